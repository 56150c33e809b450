//! `pintle tape`: the tapes of sessions.

mod show;

use clap::{Args, Subcommand};

use crate::fault::{Fault, Status};
use crate::options::Global;
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(crate) struct Tape {
    #[command(subcommand)]
    command: TapeCommand,
}

#[derive(Debug, Subcommand)]
enum TapeCommand {
    /// Show what a tape holds, one block an event.
    Show(show::Show),
}

impl Tape {
    pub(crate) fn execute(self, terminal: &Terminal, global: &Global) -> Result<Status, Fault> {
        match self.command {
            TapeCommand::Show(show) => show.execute(terminal, global),
        }
    }
}
