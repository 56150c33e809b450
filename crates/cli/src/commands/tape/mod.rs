//! `pintle tape`: the tapes of sessions.

mod export;
mod show;
mod verify;

use std::path::Path;

use clap::{Args, Subcommand};
use pintle::tape::TapeError;

use crate::error::{CliError, CliStatus};
use crate::options::GlobalOptions;
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(crate) struct TapeArgs {
    #[command(subcommand)]
    command: TapeCommand,
}

#[derive(Debug, Subcommand)]
enum TapeCommand {
    /// Show what a tape holds, one block an event.
    Show(show::TapeShowArgs),
    /// Check that nothing of a tape was changed or is missing, and that the host did what was decided.
    Verify(verify::TapeVerifyArgs),
    /// Write a tape's records as plain JSON lines, each whole, for other programs.
    Export(export::TapeExportArgs),
}

impl TapeArgs {
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        match self.command {
            TapeCommand::Show(show) => show.execute(terminal, global),
            TapeCommand::Verify(verify) => verify.execute(terminal, global),
            TapeCommand::Export(export) => export.execute(terminal, global),
        }
    }
}

/// Why a tape cannot be read, with its name.
fn tape_error(path: &Path, fault: TapeError) -> CliError {
    match fault {
        TapeError::Open { .. } => CliError::invalid_input(fault),
        fault => CliError::invalid_input(format!("`{}`: {fault}", path.display())),
    }
}
