//! The locations of installed entries.

use std::path::PathBuf;

use super::guards::GuardCheck;
use crate::install::{InstallScope, InstalledEntry};

/// A possible location of entries.
#[derive(Debug)]
pub struct InstallLocation {
    /// The scope of the settings.
    pub scope: InstallScope,
    /// The settings file, or the directory of executables.
    pub path: PathBuf,
    /// The installed entries.
    pub entries: Vec<InstalledEntry>,
    /// The user's hooks that they load; `None` without entries that respond correctly.
    pub guards: Option<GuardCheck>,
}
