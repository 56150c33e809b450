//! `pintle tape show`.

use std::path::PathBuf;

use clap::Args;
use pintle::tape::show::{Options, lines};
use pintle::tape::{TapeError, read};

use crate::fault::{Fault, Status};
use crate::options::Global;
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The tape.
    tape: PathBuf,
    /// Leave out hooks that passed and did nothing.
    #[arg(long)]
    brief: bool,
    /// How much of one text is shown, in characters.
    #[arg(long, value_name = "CHARS", default_value_t = 200)]
    cut: usize,
}

impl Show {
    /// Shows a tape. With `--json` the records pass through as they are, up to one that was not written whole.
    pub(crate) fn execute(self, terminal: &Terminal, global: &Global) -> Result<Status, Fault> {
        let reading = read(&self.tape).map_err(|fault| match fault {
            TapeError::Open { .. } => Fault::invalid(fault),
            fault => Fault::invalid(format!("`{}`: {fault}", self.tape.display())),
        })?;
        if global.json {
            for record in &reading.records {
                terminal.out(record.to_line().map_err(Fault::failed)?);
            }
            if let Some(torn) = reading.torn {
                terminal.note(torn);
            }
        } else {
            let options = Options { everything: !self.brief, text_chars: self.cut, ..Options::default() };
            terminal.lines(&lines(&reading, &options));
        }
        Ok(Status::Done)
    }
}
