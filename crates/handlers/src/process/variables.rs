//! The variables of this process, and those that programs get: variables that look like a secret ([`is_secret`]) are
//! withheld from programs that a model runs.

use std::ffi::OsString;
use std::sync::OnceLock;

use crate::secrets::{is_secret, matches_listed_name};

/// Variables that this process holds only in memory: its own environment, which its children can read, does not contain
/// them.
static HELD: OnceLock<Vec<(String, String)>> = OnceLock::new();

/// Names the pipe with the variables that a process holds.
pub(super) const HELD_PIPE: &str = "PINTLE_HELD";

/// Harmless variables that every program needs.
const BASE: &[&str] = &[
    "ALL_PROXY",
    "COLORTERM",
    "CURL_CA_BUNDLE",
    "DOCKER_CONFIG",
    "DOCKER_HOST",
    "FORCE_COLOR",
    "HOME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "LOGNAME",
    "NODE_EXTRA_CA_CERTS",
    "NO_COLOR",
    "NO_PROXY",
    "PATH",
    "PWD",
    "REQUESTS_CA_BUNDLE",
    "SHELL",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "SYSTEMROOT",
    "TEMP",
    "TERM",
    "TMP",
    "TMPDIR",
    "TZ",
    "USER",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_DIRS",
    "XDG_CONFIG_HOME",
    "XDG_DATA_DIRS",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
];

/// Holds variables in memory for [`variable`], instead of those that this process was started without.
pub fn hold_variables(variables: Vec<(String, String)>) {
    let _ = HELD.set(variables);
}

/// Whether this process holds variables that it was started without.
pub(super) fn is_holding_variables() -> bool {
    HELD.get().is_some_and(|held| !held.is_empty())
}

/// A variable of this process.
#[must_use]
pub fn variable(name: &str) -> Option<String> {
    let held = HELD.get().into_iter().flatten().find(|(held, _)| held == name);
    held.map(|(_, value)| value.clone()).or_else(|| std::env::var(name).ok())
}

/// All variables of this process that are UTF-8.
#[must_use]
pub fn all_variables() -> Vec<(String, String)> {
    let text = |text: OsString| text.into_string().ok();
    let own = std::env::vars_os().filter_map(|(name, value)| Some((text(name)?, text(value)?)));
    let own = own.filter(|(name, _)| name != HELD_PIPE);
    own.chain(HELD.get().into_iter().flatten().cloned()).collect()
}

/// The variables that are not secrets.
#[must_use]
pub fn harmless_variables() -> Vec<(String, String)> {
    all_variables().into_iter().filter(|(name, value)| !is_secret(name, value)).collect()
}

/// The variables that every program gets: its location, and how to display text. No secrets.
#[must_use]
pub fn base_variables() -> Vec<(String, String)> {
    let is_base = |name: &str| BASE.iter().any(|base| matches_listed_name(base, name));
    harmless_variables().into_iter().filter(|(name, _)| is_base(&name.to_ascii_uppercase())).collect()
}
