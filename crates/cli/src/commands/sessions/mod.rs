//! `pintle sessions`: lists and deletes the sessions that were run here and those of host agents.

mod collection;
mod delete;
mod expired;
mod list;
mod row;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use pintle_bridge::list_host_names;
use pintle_host::loader;

use crate::error::{CliError, CliStatus};
use crate::options::{GlobalOptions, HostsArgument};
use crate::terminal::Terminal;
use collection::SessionCollection;

#[derive(Debug, Args)]
pub(crate) struct SessionsArgs {
    /// Directory of the sessions: the agent's own, or the one where a docker-agent YAML file was run [default: the
    /// current directory]. With `--host`: the project that the agent worked in [default: every project].
    #[arg(long, global = true, value_name = "DIR")]
    directory: Option<PathBuf>,
    #[arg(
        long,
        global = true,
        value_name = "HOST",
        help = format!("Use the sessions of another agent under `pintle hook`: {}, or `all` of them", list_host_names())
    )]
    host: Option<HostsArgument>,
    /// Directory in which `pintle hook` keeps sessions [default: `PINTLE_STATE_DIR`, otherwise
    /// `~/.local/state/pintle`].
    #[arg(long, global = true, value_name = "DIR")]
    state_dir: Option<PathBuf>,
    #[command(subcommand)]
    command: Option<SessionsCommand>,
}

#[derive(Debug, Subcommand)]
enum SessionsCommand {
    /// List the sessions, oldest first [default].
    List(list::SessionsListArgs),
    /// Delete sessions and their tapes.
    Delete(delete::SessionsDeleteArgs),
}

impl SessionsArgs {
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        let state = self.state_dir.or_else(loader::state_dir);
        let shelf = match self.host {
            Some(HostsArgument(hosts)) => SessionCollection::for_hosts(hosts, state, self.directory)?,
            None => SessionCollection::for_folder(self.directory.unwrap_or_else(|| PathBuf::from(".")), state)?,
        };
        match self.command.unwrap_or(SessionsCommand::List(list::SessionsListArgs {})) {
            SessionsCommand::List(list) => list.execute(&shelf, terminal, global),
            SessionsCommand::Delete(delete) => delete.execute(&shelf, terminal, global),
        }
    }
}
