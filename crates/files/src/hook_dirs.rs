//! The directories of hooks of a user and an organisation, and the policy bundles in them: `pintle-fleet` switches links, and
//! the loader follows them.

use std::path::{Path, PathBuf};

use crate::{default_pintle_dir, dir_from_env};

/// The directory of an organisation's hooks for everyone on the machine.
pub const MANAGED_DIR: &str = "/etc/pintle";

/// Variables that name the user's configuration directory, in order of precedence: Pintle's, then docker-agent's.
const CONFIG: [&str; 3] = ["PINTLE_CONFIG_DIR", "DOCKER_AGENT_CONFIG_DIR", "CAGENT_CONFIG_DIR"];
/// The default place of a user's hooks in a home directory.
pub const BELOW_CONFIG: &str = ".config";

/// The link to the bundle that is enforced, in the directory of a user or an organisation.
pub const BUNDLE_LINK: &str = "bundle";

/// The link to the bundle whose hooks are called and not enforced.
pub const SHADOW_BUNDLE_LINK: &str = "bundle-shadow";

/// The user's configuration directory that a variable names, with that variable.
#[must_use]
pub fn config_dir_from_env() -> Option<(PathBuf, &'static str)> {
    CONFIG.into_iter().find_map(|variable| Some((dir_from_env(variable)?, variable)))
}

/// The default directory of the user's own settings and hooks.
#[must_use]
pub fn default_config_dir() -> Option<PathBuf> {
    default_pintle_dir("XDG_CONFIG_HOME", BELOW_CONFIG)
}

/// The bundle to which a link of a directory leads, without links in its path: a switch of the link while hooks are loaded
/// must not mix the files of two bundles. If it leads nowhere, it is the link itself, so that loading it fails.
#[must_use]
pub fn find_bundle(dir: &Path, link: &str) -> Option<PathBuf> {
    let path = dir.join(link);
    match crate::symlink_metadata(&path) {
        Err(error) if is_absent(&error) => None,
        _ => Some(crate::canonicalize(&path).unwrap_or(path)),
    }
}

/// Whether an error says that a file is not there, rather than that it cannot be seen.
#[must_use]
pub fn is_absent(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}
