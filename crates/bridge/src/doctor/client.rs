//! Finds the host's own program.

use std::path::PathBuf;

use super::run_program::run;
use crate::install::InstallEnvironment;

/// The time limit for printing the version, in milliseconds. Some programs start slowly.
const LIMIT_MS: u64 = 20_000;

/// A host's program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostProgram {
    /// The path of the program.
    pub path: PathBuf,
    /// The version that it prints; empty if it does not print one.
    pub version: String,
}

/// Finds a program on the PATH with its version.
pub(super) fn find(name: &str, site: &InstallEnvironment) -> Option<HostProgram> {
    let path = find_on_path(name, site)?;
    let said = run(&[path.as_os_str(), "--version".as_ref()], site, "", LIMIT_MS);
    let version = said.map(|ran| ran.stdout).unwrap_or_default();
    let version = version.lines().find(|line| line.contains(|character: char| character.is_ascii_digit()));
    Some(HostProgram { path, version: version.unwrap_or_default().trim().to_owned() })
}

/// The path of a program on the PATH.
#[must_use]
pub fn find_on_path(name: &str, site: &InstallEnvironment) -> Option<PathBuf> {
    let folders = site.variable("PATH").map(std::env::split_paths).into_iter().flatten();
    folders.map(|dir| dir.join(name)).find(|path| super::entries::is_executable(path))
}
