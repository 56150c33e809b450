//! `pintle sessions`: the sessions that were run here, which can be taken up again or deleted.

mod delete;
mod list;

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::fault::{Fault, Status};
use crate::options::Global;
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(crate) struct Sessions {
    /// The folder whose sessions are meant: an agent's own, or the one that a docker-agent YAML was run in. Default: the
    /// current directory.
    #[arg(long, global = true, value_name = "DIR", default_value = ".", hide_default_value = true)]
    directory: PathBuf,
    #[command(subcommand)]
    command: Option<SessionsCommand>,
}

#[derive(Debug, Subcommand)]
enum SessionsCommand {
    /// List the sessions, oldest first. The default.
    List(list::List),
    /// Delete sessions with all that is on their tapes.
    Delete(delete::Delete),
}

impl Sessions {
    pub(crate) fn execute(self, terminal: &Terminal, global: &Global) -> Result<Status, Fault> {
        match self.command.unwrap_or(SessionsCommand::List(list::List {})) {
            SessionsCommand::List(list) => list.execute(&self.directory, terminal, global),
            SessionsCommand::Delete(delete) => delete.execute(&self.directory, terminal, global),
        }
    }
}
