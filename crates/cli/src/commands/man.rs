//! `pintle man`: the man pages of the commands, which packages contain.

use std::path::PathBuf;

use clap::Args;

use crate::command_help::command_tree;
use crate::error::{CliError, CliStatus};
use crate::options::GlobalOptions;
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Directory of the pages, which exists.
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

impl ManArgs {
    pub(crate) fn execute(self, _terminal: &Terminal, _global: &GlobalOptions) -> Result<CliStatus, CliError> {
        // A page for each of the commands, but none for `help`, which would repeat them.
        let command = command_tree().disable_help_subcommand(true);
        clap_mangen::generate_to(command, &self.dir)
            .map_err(|error| CliError::failure(format!("cannot write into `{}`: {error}", self.dir.display())))?;
        Ok(CliStatus::Done)
    }
}
