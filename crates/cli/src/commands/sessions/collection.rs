//! The sessions that a command works with.

use std::path::{Path, PathBuf};

use pintle_bridge::{HostDef, StoredSession, hosts_dir};

use super::row::SessionRow;
use crate::error::CliError;
use crate::options::{LAST, find_tape, list_tapes, pick_by_id, tapes_folder};

/// The sessions that a command works with.
pub(super) enum SessionCollection {
    /// Sessions that were run in a directory.
    Folder {
        home: PathBuf,
        /// The state directory, with the sessions of host agents.
        state: Option<PathBuf>,
    },
    /// Sessions of host agents.
    Hosts {
        hosts: Vec<&'static HostDef>,
        /// The state directory.
        state: PathBuf,
        /// The project that they worked in, if limited to one.
        project: Option<PathBuf>,
    },
}

impl SessionCollection {
    pub(super) fn for_folder(home: PathBuf, state: Option<PathBuf>) -> Result<Self, CliError> {
        if !home.is_dir() {
            return Err(CliError::invalid_input(format!("directory `{}` does not exist", home.display())));
        }
        Ok(Self::Folder { home, state })
    }

    pub(super) fn for_hosts(
        hosts: Vec<&'static HostDef>,
        state: Option<PathBuf>,
        project: Option<PathBuf>,
    ) -> Result<Self, CliError> {
        let state = state.ok_or_else(|| {
            let error = CliError::invalid_input(
                "cannot find the sessions of other agents: there is neither a state directory nor a home directory",
            );
            error.help("name the state directory with `--state-dir`")
        })?;
        Ok(Self::Hosts { hosts, state, project })
    }

    /// Whether they can be of more than one host agent.
    pub(super) fn is_mixed(&self) -> bool {
        matches!(self, Self::Hosts { hosts, .. } if hosts.len() > 1)
    }

    /// Lists the sessions, oldest first.
    pub(super) fn list_all(&self) -> Vec<SessionRow> {
        match self {
            Self::Folder { home, .. } => list_tapes(home).into_iter().map(SessionRow::from_tape).collect(),
            Self::Hosts { hosts, state, project } => {
                let kept = hosts.iter().flat_map(|host| StoredSession::list(state, host));
                let meant = |kept: &StoredSession| project.as_deref().is_none_or(|project| kept.belongs_to(project));
                let mut all: Vec<SessionRow> = kept.filter(meant).map(SessionRow::from_stored).collect();
                all.sort_by_key(|listed| listed.last_ms);
                all
            }
        }
    }

    /// Finds the session that the user names.
    pub(super) fn find_session(&self, named: &str) -> Result<SessionRow, CliError> {
        match self {
            Self::Folder { home, .. } => find_tape(named, std::slice::from_ref(home)).map(SessionRow::from_tape),
            Self::Hosts { .. } => {
                let mut all = self.list_all();
                match named {
                    _ if all.is_empty() => Err(CliError::invalid_input(self.empty_message())),
                    LAST => all.pop().ok_or_else(|| CliError::invalid_input(self.empty_message())),
                    _ if all.iter().filter(|listed| listed.id == named).count() > 1 => {
                        let error = CliError::invalid_input(format!(
                            "`{named}` is ambiguous: more than one agent had a session with this ID"
                        ));
                        Err(error.help("name the agent with `--host`"))
                    }
                    _ => pick_by_id(named, all, |listed| &listed.id),
                }
            }
        }
    }

    /// Returns the message for an empty list.
    pub(super) fn empty_message(&self) -> String {
        match self {
            Self::Folder { home, .. } => {
                format!("no sessions in `{}` yet; `pintle run` creates one", tapes_folder(home).display())
            }
            Self::Hosts { hosts, state, project } => {
                let titles: Vec<&str> = hosts.iter().map(|host| host.title).collect();
                let place = project.as_deref().map(|project| format!(" of the project `{}`", project.display()));
                let place = place.unwrap_or_default();
                format!("no sessions of {}{place} in `{}`", titles.join(", "), hosts_dir(state).display())
            }
        }
    }

    /// Returns a hint at sessions of host agents in the same project.
    pub(super) fn list_hint(&self) -> Option<String> {
        let Self::Folder { home, state: Some(state) } = self else { return None };
        let count = StoredSession::count_for_project(state, home);
        let command = format!("`pintle sessions --host all --directory {}`", quote_path(home));
        match count {
            0 => None,
            1 => Some(format!("another agent had a session in this project: {command} lists it")),
            _ => Some(format!("other agents had {count} sessions in this project: {command} lists them")),
        }
    }
}

/// Quotes a path for a shell, if necessary.
fn quote_path(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte);
    if text.bytes().all(plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}
