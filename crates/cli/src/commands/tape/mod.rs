//! `pintle tape`: shows, verifies, proves and exports session tapes.

mod export;
mod key;
mod prove;
mod show;
mod verify;

use std::path::Path;

use clap::{Args, Subcommand};
use pintle_host::tape::TapeError;

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
    /// Show a tape, one block per event.
    Show(show::TapeShowArgs),
    /// Check that a tape is complete and unmodified.
    #[command(long_about = "Check that a tape is complete and unmodified, and that the host obeyed every decision")]
    Verify(verify::TapeVerifyArgs),
    /// Prove that one record is on a tape.
    ///
    /// Prints JSON with the record and what `verify-proof` needs to check it without the tape.
    Prove(prove::TapeProveArgs),
    /// Check a proof of one record.
    VerifyProof(prove::TapeVerifyProofArgs),
    /// Print the public key of this machine.
    ///
    /// This machine signs its tapes with a private key, which is made when it is needed first.
    Key(key::TapeKeyArgs),
    /// Write a tape's records as plain JSON lines.
    ///
    /// Each line is a complete record, for other programs.
    Export(export::TapeExportArgs),
}

impl TapeArgs {
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        match self.command {
            TapeCommand::Show(show) => show.execute(terminal, global),
            TapeCommand::Verify(verify) => verify.execute(terminal, global),
            TapeCommand::Prove(prove) => prove.execute(terminal, global),
            TapeCommand::VerifyProof(verify) => verify.execute(terminal, global),
            TapeCommand::Key(key) => key.execute(terminal, global),
            TapeCommand::Export(export) => export.execute(terminal, global),
        }
    }
}

/// Converts an error of a tape, and adds the tape's path.
fn tape_error(path: &Path, error: TapeError) -> CliError {
    match error {
        TapeError::Open { .. } => CliError::invalid_input(error),
        fault => CliError::invalid_input(format!("`{}`: {fault}", path.display())),
    }
}
