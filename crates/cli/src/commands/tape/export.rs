//! `pintle tape export`.

use std::path::PathBuf;

use clap::Args;
use pintle::tape::{RecordBody, TapeReader, read_file_bytes};

use super::fault_of;
use crate::fault::{Fault, Status};
use crate::options::Global;
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The tape.
    tape: PathBuf,
}

impl Export {
    /// Writes each record as one whole line of JSON: what is stored once is in its place again. It is for other programs; a
    /// tape it is no longer.
    pub(crate) fn execute(self, terminal: &Terminal, _global: &Global) -> Result<Status, Fault> {
        let fault = |fault| fault_of(&self.tape, fault);
        let bytes = read_file_bytes(&self.tape).map_err(fault)?;
        let mut reader = TapeReader::new(&bytes).map_err(fault)?;
        for line in &mut reader {
            let record = line.map_err(fault)?.record;
            if !matches!(record.body, RecordBody::Blob(_)) {
                terminal.out(record.to_line().map_err(Fault::failed)?);
            }
        }
        if let Some(torn) = reader.torn() {
            terminal.note(torn);
        }
        Ok(Status::Done)
    }
}
