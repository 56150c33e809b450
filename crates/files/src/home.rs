//! The user's home directory.

use std::env;
use std::path::PathBuf;

/// The user's home directory, by the variable `HOME`.
#[must_use]
pub fn home_dir() -> Option<PathBuf> {
    env::var_os("HOME").filter(|value| !value.is_empty()).map(PathBuf::from)
}
