//! `pintle sessions`: lists, deletes and prunes the sessions that were run here and those of host agents.

mod collection;
mod delete;
mod expired;
mod list;
mod prune;
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
    /// Remove the sessions of other agents that are not kept any longer.
    #[command(long_about = prune::LONG_ABOUT)]
    Prune(prune::SessionsPruneArgs),
}

impl SessionsArgs {
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        let state = self.state_dir.or_else(loader::state_dir);
        let command = self.command.unwrap_or(SessionsCommand::List(list::SessionsListArgs {}));
        let is_limited = self.host.is_some() || self.directory.is_some();
        let known_state = state.clone();
        let open_collection = move || match self.host {
            Some(HostsArgument(hosts)) => SessionCollection::for_hosts(hosts, known_state, self.directory),
            None => SessionCollection::for_folder(self.directory.unwrap_or_else(|| PathBuf::from(".")), known_state),
        };
        match command {
            SessionsCommand::List(list) => list.execute(&open_collection()?, terminal, global),
            SessionsCommand::Delete(delete) => delete.execute(&open_collection()?, terminal, global),
            SessionsCommand::Prune(_) if is_limited => {
                let error = CliError::invalid_input("`prune` is for the sessions of all agents together");
                Err(error.help("`pintle sessions delete --older-than DAYS` takes `--host` and `--directory`"))
            }
            SessionsCommand::Prune(prune) => prune.execute(state, terminal, global),
        }
    }
}
