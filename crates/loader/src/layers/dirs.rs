//! The folders that a command line or the environment names.

use std::env;
use std::fmt;
use std::path::{Path, PathBuf, absolute};

/// Where an organisation puts what holds for everybody on a machine.
pub(super) const MANAGED: &str = "/etc/pintle";
/// A further folder of the organisation. It adds to the first one, so that no variable can take policy away.
const MORE_MANAGED: &str = "PINTLE_MANAGED_DIR";
/// Variables that name the folder of the person's own settings, the first one first: Pintle's, then docker-agent's.
const CONFIG: [&str; 3] = ["PINTLE_CONFIG_DIR", "DOCKER_AGENT_CONFIG_DIR", "CAGENT_CONFIG_DIR"];
/// The variable that names the folder of what Pintle remembers.
const STATE: &str = "PINTLE_STATE_DIR";

/// The folders that are a person's wherever they work. None of them need be there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserDirs {
    /// The person's own settings and hooks. Default: none.
    pub config: Option<PathBuf>,
    /// What Pintle remembers between runs: agreements, sessions and tapes. Default: none.
    pub state: Option<PathBuf>,
    /// A folder of the organisation besides `/etc/pintle`. Default: none.
    pub managed: Option<PathBuf>,
}

/// A folder of hooks that somebody names and that is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingDir {
    folder: PathBuf,
    /// The option or the variable that names it.
    named_by: &'static str,
    description: &'static str,
}

impl UserDirs {
    /// As the environment has them: the settings and hooks in `PINTLE_CONFIG_DIR`, in docker-agent's variables for the
    /// same, in `$XDG_CONFIG_HOME/pintle`, else in `~/.config/pintle`; [`state_dir`]; what `PINTLE_MANAGED_DIR` names.
    #[must_use]
    pub fn from_env() -> Self {
        let config = config_dir_from_env().map(|(folder, _)| folder).or_else(default_config_dir);
        Self { config, state: state_dir(), managed: dir_from_env(MORE_MANAGED) }
    }

    /// The same by paths that mean the same wherever somebody works.
    #[must_use]
    pub fn to_absolute(self) -> Self {
        let absolute = |folder: Option<PathBuf>| folder.map(|folder| absolute(&folder).unwrap_or(folder));
        Self { config: absolute(self.config), state: absolute(self.state), managed: absolute(self.managed) }
    }
}

impl MissingDir {
    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> String {
        format!("{} would not run: create the directory, or name another one", self.description)
    }
}

impl fmt::Display for MissingDir {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the directory `{}`, named by {}, does not exist", self.folder.display(), self.named_by)
    }
}

/// The person's home.
pub(crate) fn home_dir() -> Option<PathBuf> {
    dir_from_env("HOME")
}

/// Finds the folder of the person's own settings and hooks: the one that `--config-dir` names, else the one that a
/// variable names, else the usual one, if it is there.
///
/// # Errors
/// When somebody names a folder that is not there, since guards may be meant to be in it.
pub fn find_config_dir(named: Option<&Path>) -> Result<Option<PathBuf>, MissingDir> {
    let named = named.map(|folder| (folder.to_owned(), "--config-dir"));
    match named.or_else(config_dir_from_env) {
        Some((folder, by)) => require_dir(folder, by, "your own hooks").map(Some),
        None => Ok(default_config_dir().filter(|folder| folder.is_dir())),
    }
}

/// Finds the organisation's folder besides `/etc/pintle`: the one that `--managed-dir` names, else the one that
/// `PINTLE_MANAGED_DIR` names.
///
/// # Errors
/// As for [`find_config_dir`].
pub fn find_managed_dir(named: Option<&Path>) -> Result<Option<PathBuf>, MissingDir> {
    let named = named.map(|folder| (folder.to_owned(), "--managed-dir"));
    let named = named.or_else(|| Some((dir_from_env(MORE_MANAGED)?, MORE_MANAGED)));
    named.map(|(folder, by)| require_dir(folder, by, "the hooks of your organisation")).transpose()
}

fn require_dir(folder: PathBuf, by: &'static str, whose: &'static str) -> Result<PathBuf, MissingDir> {
    if folder.is_dir() { Ok(folder) } else { Err(MissingDir { folder, named_by: by, description: whose }) }
}

/// The folder that a variable names for the person's own settings and hooks, and which variable that is.
fn config_dir_from_env() -> Option<(PathBuf, &'static str)> {
    CONFIG.into_iter().find_map(|variable| Some((dir_from_env(variable)?, variable)))
}

/// Where the person's own settings and hooks are when nobody says otherwise.
fn default_config_dir() -> Option<PathBuf> {
    default_pintle_dir("XDG_CONFIG_HOME", ".config")
}

/// The folder of what Pintle remembers between runs: `PINTLE_STATE_DIR`, `$XDG_STATE_HOME/pintle`, else
/// `~/.local/state/pintle`. It need not be there; `None` when there is not even a home.
#[must_use]
pub fn state_dir() -> Option<PathBuf> {
    dir_from_env(STATE).or_else(|| default_pintle_dir("XDG_STATE_HOME", ".local/state"))
}

fn default_pintle_dir(base: &'static str, below_home: &str) -> Option<PathBuf> {
    // A relative one is to be ignored (XDG Base Directory Specification).
    let base = dir_from_env(base).filter(|base| base.is_absolute());
    Some(base.or_else(|| Some(home_dir()?.join(below_home)))?.join("pintle"))
}

fn dir_from_env(variable: &'static str) -> Option<PathBuf> {
    env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}
