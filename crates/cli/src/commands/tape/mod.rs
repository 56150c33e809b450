//! `pintle tape`: the tapes of sessions.

mod export;
mod show;
mod verify;

use std::path::Path;

use clap::{Args, Subcommand};
use pintle::tape::TapeError;

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
    /// Check that nothing of a tape was changed or is missing, and that the host did what was decided.
    Verify(verify::Verify),
    /// Write a tape's records as plain JSON lines, each whole, for other programs.
    Export(export::Export),
}

impl Tape {
    pub(crate) fn execute(self, terminal: &Terminal, global: &Global) -> Result<Status, Fault> {
        match self.command {
            TapeCommand::Show(show) => show.execute(terminal, global),
            TapeCommand::Verify(verify) => verify.execute(terminal, global),
            TapeCommand::Export(export) => export.execute(terminal, global),
        }
    }
}

/// Why a tape cannot be read, with its name.
fn fault_of(path: &Path, fault: TapeError) -> Fault {
    match fault {
        TapeError::Open { .. } => Fault::invalid(fault),
        fault => Fault::invalid(format!("`{}`: {fault}", path.display())),
    }
}
