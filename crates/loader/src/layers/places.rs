//! The folders that the environment names.

use std::env;
use std::path::PathBuf;

/// Where an organisation puts what holds for everybody on a machine.
const MANAGED: &str = "/etc/pintle";
/// A further folder of the organisation. It adds to the first one, so that no variable can take policy away.
const MORE_MANAGED: &str = "PINTLE_MANAGED_DIR";
/// Variables that name the folder of the person's own settings, the first one first: Pintle's, then docker-agent's.
const CONFIG: [&str; 3] = ["PINTLE_CONFIG_DIR", "DOCKER_AGENT_CONFIG_DIR", "CAGENT_CONFIG_DIR"];
/// The variable that names the folder of what Pintle remembers.
const STATE: &str = "PINTLE_STATE_DIR";

/// The person's home.
pub(super) fn home() -> Option<PathBuf> {
    folder_of("HOME")
}

/// The folders of the organisation.
pub(super) fn managed() -> Vec<PathBuf> {
    std::iter::once(PathBuf::from(MANAGED)).chain(folder_of(MORE_MANAGED)).collect()
}

/// The folder of the person's own settings and hooks: `PINTLE_CONFIG_DIR`, docker-agent's variables for the same,
/// `$XDG_CONFIG_HOME/pintle`, else `~/.config/pintle`. It need not be there.
#[must_use]
pub fn config_dir() -> Option<PathBuf> {
    named_config_dir().map(|(folder, _)| folder).or_else(usual_config_dir)
}

/// The folder that a variable names for the person's own settings and hooks, and which variable that is.
#[must_use]
pub fn named_config_dir() -> Option<(PathBuf, &'static str)> {
    CONFIG.into_iter().find_map(|variable| Some((folder_of(variable)?, variable)))
}

/// Where the person's own settings and hooks are when nobody says otherwise: `$XDG_CONFIG_HOME/pintle`, else
/// `~/.config/pintle`. It need not be there.
#[must_use]
pub fn usual_config_dir() -> Option<PathBuf> {
    usual("XDG_CONFIG_HOME", ".config")
}

/// The folder of what Pintle remembers between runs: `PINTLE_STATE_DIR`, `$XDG_STATE_HOME/pintle`, else
/// `~/.local/state/pintle`. It need not be there; `None` when there is not even a home.
#[must_use]
pub fn state_dir() -> Option<PathBuf> {
    folder_of(STATE).or_else(|| usual("XDG_STATE_HOME", ".local/state"))
}

fn usual(base: &'static str, below_home: &str) -> Option<PathBuf> {
    // A relative one is to be ignored (XDG Base Directory Specification).
    let base = folder_of(base).filter(|base| base.is_absolute());
    Some(base.or_else(|| Some(home()?.join(below_home)))?.join("pintle"))
}

fn folder_of(variable: &'static str) -> Option<PathBuf> {
    env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}
