//! The host's own program.

use std::path::PathBuf;

use super::run_program::run;
use crate::install::InstallEnvironment;

/// How long a program may take to say its version, in milliseconds. Some are slow to start.
const LIMIT_MS: u64 = 20_000;

/// A program that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostProgram {
    /// Where it is.
    pub path: PathBuf,
    /// What it says of its version; empty when it does not.
    pub version: String,
}

/// A program on the path.
pub(super) fn find(name: &str, site: &InstallEnvironment) -> Option<HostProgram> {
    let path = find_on_path(name, site)?;
    let said = run(&[path.as_os_str(), "--version".as_ref()], site, "", LIMIT_MS);
    let version = said.map(|ran| ran.stdout).unwrap_or_default();
    let version = version.lines().find(|line| line.contains(|character: char| character.is_ascii_digit()));
    Some(HostProgram { path, version: version.unwrap_or_default().trim().to_owned() })
}

/// Where the path has a program.
#[must_use]
pub fn find_on_path(name: &str, site: &InstallEnvironment) -> Option<PathBuf> {
    let folders = site.variable("PATH").map(std::env::split_paths).into_iter().flatten();
    folders.map(|folder| folder.join(name)).find(|path| super::entries::is_executable(path))
}
