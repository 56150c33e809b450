//! `pintle tape prove` and `pintle tape verify-proof`.

use std::path::PathBuf;

use clap::Args;
use pintle_host::files;
use pintle_host::tape::proof::{InclusionProof, InclusionProofError};
use serde_json::json;

use super::key::read_keys;
use super::tape_error;
use crate::error::{CliError, CliStatus};
use crate::options::{GlobalOptions, locate_tape};
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(crate) struct TapeProveArgs {
    /// Tape with the record: its path, the ID of its session or the start of it, or `last`.
    tape: PathBuf,
    /// Number of the record: its `seq`.
    #[arg(long, value_name = "SEQ")]
    record: u64,
}

#[derive(Debug, Args)]
pub(crate) struct TapeVerifyProofArgs {
    /// File that `pintle tape prove` wrote.
    proof: PathBuf,
    /// Public key of the machine, as `pintle tape key` prints it, or a file with such keys.
    #[arg(long, value_name = "KEY", required = true)]
    key: Vec<String>,
}

impl TapeProveArgs {
    /// Prints the proof as JSON.
    pub(crate) fn execute(mut self, terminal: &Terminal, _global: &GlobalOptions) -> Result<CliStatus, CliError> {
        self.tape = locate_tape(&self.tape)?;
        let proof = InclusionProof::from_tape(&self.tape, self.record).map_err(|error| match error {
            InclusionProofError::Tape(error) => tape_error(&self.tape, error),
            error => CliError::invalid_input(format!("`{}`: {error}", self.tape.display())),
        })?;
        terminal.print_json(&proof);
        Ok(CliStatus::Done)
    }
}

impl TapeVerifyProofArgs {
    /// Checks a proof; the exit status is 1 unless it proves its record.
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        let keys = read_keys(&self.key)?;
        let shown = self.proof.display();
        let text = files::read_text(&self.proof)
            .map_err(|error| CliError::invalid_input(format!("cannot read `{shown}`: {error}")))?;
        let proof: InclusionProof = serde_json::from_str(&text)
            .map_err(|error| CliError::invalid_input(format!("`{shown}` is not a proof: {error}")))?;
        let checked = proof.check(&keys);
        let (index, size) = (proof.index, proof.size);
        if global.json {
            let reason = checked.as_ref().err().map(ToString::to_string);
            terminal.print_json(&json!({"valid": checked.is_ok(), "index": index, "size": size, "reason": reason}));
            return Ok(if checked.is_ok() { CliStatus::Done } else { CliStatus::Failed });
        }
        let kind = checked.map_err(|error| CliError::failure(format!("`{shown}` proves nothing: {error}")))?;
        let origin = proof.checkpoint.lines().next().unwrap_or_default();
        terminal.print_line(format_args!(
            "proved: record {index}, `{kind}`, of the tape `{origin}`, of which {size} records were signed"
        ));
        Ok(CliStatus::Done)
    }
}
