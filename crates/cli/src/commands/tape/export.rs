//! `pintle tape export`.

use std::path::PathBuf;

use clap::Args;
use pintle_host::tape::TapeReader;

use super::tape_error;
use crate::error::{CliError, CliStatus};
use crate::options::{GlobalOptions, locate_tape};
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(crate) struct TapeExportArgs {
    /// Tape to export: its path, the ID of its session or the start of it, or `last`.
    tape: PathBuf,
}

impl TapeExportArgs {
    /// Writes each record as one complete line of JSON, with shared values in place. The output is for other programs;
    /// it is not a valid tape.
    pub(crate) fn execute(mut self, terminal: &Terminal, _global: &GlobalOptions) -> Result<CliStatus, CliError> {
        self.tape = locate_tape(&self.tape)?;
        let error = |error| tape_error(&self.tape, error);
        let mut reader = TapeReader::open(&self.tape).map_err(error)?;
        for line in &mut reader {
            let record = line.map_err(error)?.record;
            terminal.print_exact_line(record.to_line().map_err(CliError::failure)?);
        }
        if let Some(torn) = reader.torn() {
            terminal.print_note(torn);
        }
        Ok(CliStatus::Done)
    }
}
