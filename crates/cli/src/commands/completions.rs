//! `pintle completions`: what a shell completes on a command line of `pintle`.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::Cli;
use crate::error::{CliError, CliStatus};
use crate::options::GlobalOptions;
use crate::terminal::Terminal;

/// What `--help` says.
pub(crate) const LONG_ABOUT: &str = "Print the completions of a shell, for the file from which that shell loads them. \
Packages that install completions contain them already";

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// Shell that completes the command line.
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

impl CompletionsArgs {
    pub(crate) fn execute(self, terminal: &Terminal, _global: &GlobalOptions) -> Result<CliStatus, CliError> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "pintle", &mut script);
        terminal.print_piece(String::from_utf8_lossy(&script));
        Ok(CliStatus::Done)
    }
}
