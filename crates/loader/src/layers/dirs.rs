//! Directories that a command line or the environment names.

use super::account::{is_of_each_account, resolve_named_dir};
use std::fmt;
use std::path::{Path, PathBuf, absolute};

pub use pintle_files::MANAGED_DIR;
use pintle_files::{
    BELOW_CONFIG, BELOW_STATE, config_dir_from_env, default_config_dir, default_pintle_dir, dir_from_env, state_dir,
};

/// Names another directory of the organisation. It is used in addition to the first one, so that a variable cannot
/// remove policy.
const MORE_MANAGED: &str = "PINTLE_MANAGED_DIR";

/// The directories of a user, the same in every working directory. Each may be missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserDirs {
    /// The user's own settings and hooks. Default: none.
    pub config: Option<PathBuf>,
    /// What Pintle stores between runs: trust decisions, sessions and tapes. Default: none.
    pub state: Option<PathBuf>,
    /// An organisation's directory in addition to `/etc/pintle`. Default: none.
    pub managed: Option<PathBuf>,
}

/// A named directory of hooks that does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingDir {
    folder: PathBuf,
    /// The option or the variable that names it.
    named_by: &'static str,
    description: &'static str,
}

impl UserDirs {
    /// The directories that the environment names: settings and hooks in `PINTLE_CONFIG_DIR`, in docker-agent's
    /// variables for the same, in `$XDG_CONFIG_HOME/pintle`, otherwise in `~/.config/pintle`; state in [`state_dir`];
    /// the organisation's in `PINTLE_MANAGED_DIR`.
    #[must_use]
    pub fn from_env() -> Self {
        let config = config_dir_from_env().map(|(dir, _)| dir).or_else(default_config_dir);
        Self { config, state: state_dir(), managed: dir_from_env(MORE_MANAGED) }
    }

    /// The directories of the account that runs a command line: `~` stands for the home directory of the account.
    #[must_use]
    pub fn of_each_account() -> Self {
        let dir = |below: &str| Some(Path::new("~").join(below).join("pintle"));
        Self { config: dir(BELOW_CONFIG), state: dir(BELOW_STATE), managed: None }
    }

    /// The same directories with absolute paths.
    #[must_use]
    pub fn to_absolute(self) -> Self {
        let absolute = |dir: Option<PathBuf>| dir.map(|dir| absolute(&dir).unwrap_or(dir));
        Self { config: absolute(self.config), state: absolute(self.state), managed: absolute(self.managed) }
    }
}

impl MissingDir {
    /// The next step for the user.
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

/// Every directory in which Pintle looks for policy or keeps what it knows, by the environment and without it. A default
/// directory counts although a variable names another one: the next process may not have the variable.
pub(crate) fn default_dirs() -> impl Iterator<Item = PathBuf> {
    let UserDirs { config, state, managed } = UserDirs::from_env();
    let defaults = [default_config_dir(), default_pintle_dir("XDG_STATE_HOME", BELOW_STATE)];
    [config, state, managed, Some(PathBuf::from(MANAGED_DIR))].into_iter().chain(defaults).flatten()
}

/// Finds the directory of the user's own settings and hooks: the one that `--config-dir` names, otherwise the one that
/// a variable names, otherwise the default one if it exists. A directory of each account (`~/…`) may be missing.
///
/// # Errors
/// When a named directory does not exist: it may be meant to contain guards.
pub fn find_config_dir(named: Option<&Path>) -> Result<Option<PathBuf>, MissingDir> {
    let named = named.map(|dir| (dir.to_owned(), "--config-dir"));
    match named.or_else(config_dir_from_env) {
        Some((dir, by)) if is_of_each_account(&dir) => match resolve_named_dir(&dir) {
            Some(own) => Ok(Some(own).filter(|own| pintle_files::is_dir(own))),
            None => Err(MissingDir { folder: dir, named_by: by, description: "your own hooks" }),
        },
        Some((dir, by)) => require_dir(dir, by, "your own hooks").map(Some),
        None => Ok(default_config_dir().filter(|dir| pintle_files::is_dir(dir))),
    }
}

/// Finds the organisation's directory in addition to `/etc/pintle`: the one that `--managed-dir` names, otherwise the
/// one that `PINTLE_MANAGED_DIR` names.
///
/// # Errors
/// As for [`find_config_dir`].
pub fn find_managed_dir(named: Option<&Path>) -> Result<Option<PathBuf>, MissingDir> {
    let named = named.map(|dir| (dir.to_owned(), "--managed-dir"));
    let named = named.or_else(|| Some((dir_from_env(MORE_MANAGED)?, MORE_MANAGED)));
    named.map(|(dir, by)| require_dir(dir, by, "the hooks of your organisation")).transpose()
}

fn require_dir(dir: PathBuf, setting: &'static str, subject: &'static str) -> Result<PathBuf, MissingDir> {
    if pintle_files::is_dir(&dir) {
        Ok(dir)
    } else {
        Err(MissingDir { folder: dir, named_by: setting, description: subject })
    }
}
