//! `pintle serve`: the process that answers hosts: agents in other languages, and `pintle-hook`.

mod hosts;
mod http;
#[cfg(target_os = "linux")]
mod resident;
mod stdio;

pub(super) use hosts::SessionOptions;
pub(super) use stdio::read_line;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use pintle_host::loader::state_dir;

use crate::error::{CliError, CliStatus};
use crate::options::GlobalOptions;
use crate::terminal::Terminal;

/// What `--help` says.
pub(crate) const LONG_ABOUT: &str = "Handle the calls of agents in one process, which stays.

With `--stdio` or `--http`, an agent or app in any language runs its tool calls and the other events of its life by your \
hooks: it sends requests as JSON (`open`, `fire`, `decide`, `approve`, `conclude`, `explain`, `end`) and obeys the \
answers. Each session has its own state, turns and tape. The hooks are those that `pintle fire` would call; if one does \
not load, nothing is served.

With `--resident`, it answers `pintle-hook`, which `pintle install` writes into an agent's settings, and which starts it; \
without it, each call is handled by a process of its own, with the same outcome. It belongs to one user and one \
environment, and ends when no call comes";

/// The options that the resident does not have.
const HOST_OPTIONS: [&str; 9] =
    ["stdio", "http", "token_file", "tapes", "hooks", "config_dir", "compat", "agent", "redact_secrets"];

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ServeArgs {
    #[command(subcommand)]
    action: Option<ServeAction>,
    #[command(flatten)]
    hosts: hosts::HostArgs,
    #[command(flatten)]
    resident: ResidentArgs,
}

#[derive(Debug, Args)]
struct ResidentArgs {
    /// Listen for the calls of `pintle-hook`, on a socket in the state directory. Each call names its own hooks.
    #[arg(long, conflicts_with_all = HOST_OPTIONS)]
    resident: bool,
    /// End the resident after this many seconds without a call.
    #[arg(long, value_name = "N", default_value_t = 600, requires = "resident")]
    idle_seconds: u64,
    #[command(flatten)]
    place: StateOption,
}

#[derive(Debug, Subcommand)]
enum ServeAction {
    /// Show the residents of this user.
    Status(StateOption),
    /// End them. The next call of an agent starts one again.
    Stop(StateOption),
    /// Print what they wrote into their logs.
    Logs(StateOption),
}

#[derive(Debug, Args)]
struct StateOption {
    /// State directory of the installed hooks [default: `PINTLE_STATE_DIR`, otherwise `~/.local/state/pintle`].
    #[arg(long, value_name = "DIR")]
    state_dir: Option<PathBuf>,
}

impl StateOption {
    fn find(self) -> Result<PathBuf, CliError> {
        let dir = self.state_dir.or_else(state_dir);
        dir.ok_or_else(|| CliError::invalid_input("no state directory").help("set HOME or PINTLE_STATE_DIR"))
    }
}

impl ServeArgs {
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        match self.action {
            #[cfg(target_os = "linux")]
            Some(action) => resident::ask(action, terminal, global),
            #[cfg(target_os = "linux")]
            None if self.resident.resident => resident::run(self.resident),
            None if self.hosts.stdio || self.hosts.http.is_wanted() => {
                self.hosts.serve(self.resident.place.state_dir, terminal)
            }
            #[cfg(not(target_os = "linux"))]
            Some(ServeAction::Status(place) | ServeAction::Stop(place) | ServeAction::Logs(place)) => {
                let _ = (place.find()?, terminal, global);
                Err(CliError::invalid_input("there are residents on Linux only so far"))
            }
            _ => Err(CliError::invalid_input("say whom to serve")
                .help("`--stdio` or `--http` serves an agent of your own, `--resident` serves `pintle-hook`")),
        }
    }
}

/// Ends the residents of a state directory. One that does not answer ends when no call comes.
pub(super) fn stop_residents(state_dir: Option<&Path>) {
    #[cfg(target_os = "linux")]
    if let Some(dir) = state_dir.filter(|dir| dir.is_dir()) {
        let _ = pintle_bridge::ask_residents(dir, &pintle_hook::ResidentRequest::Stop);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = state_dir;
}
