//! Finds the host's own program.

use std::path::PathBuf;

use super::DoctorFinding;
use super::run_program::run;
use crate::HostDef;
use crate::install::{InstallEnvironment, is_executable};

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

impl HostProgram {
    /// Says so if the program is newer than the version in which Pintle was tried.
    pub(super) fn note_newer(&self, host: &HostDef) -> Option<DoctorFinding> {
        let (own, tried) = (version_numbers(&self.version)?, version_numbers(host.tried_version)?);
        let what = format!("{} is newer than {}, in which Pintle was tried", self.version, host.tried_version);
        let help = "its new events are not guarded until Pintle knows them; look for a newer Pintle";
        (own > tried).then(|| DoctorFinding::note(what).help(help))
    }
}

/// The first version in a text, such as `2.1.330` in `2.1.330 (Claude Code)`.
fn version_numbers(text: &str) -> Option<Vec<u64>> {
    let is_version = |word: &&str| word.contains('.') && word.starts_with(|first: char| first.is_ascii_digit());
    let version = text.split([' ', '/', 'v', '-']).find(is_version)?;
    version.split('.').map(|number| number.trim_end_matches(|end: char| !end.is_ascii_digit()).parse().ok()).collect()
}

/// Finds a program on the PATH with its version.
pub(super) fn find(name: &str, environment: &InstallEnvironment) -> Option<HostProgram> {
    let path = find_on_path(name, environment)?;
    let said = run(&[path.as_os_str(), "--version".as_ref()], environment, "", LIMIT_MS);
    let version = said.map(|ran| ran.stdout).unwrap_or_default();
    let version = version.lines().find(|line| line.contains(|character: char| character.is_ascii_digit()));
    Some(HostProgram { path, version: version.unwrap_or_default().trim().to_owned() })
}

/// The path of a program on the PATH.
#[must_use]
pub fn find_on_path(name: &str, environment: &InstallEnvironment) -> Option<PathBuf> {
    list_on_path(name, environment).next()
}

/// The paths of the programs of this name on the PATH, in its order.
pub(crate) fn list_on_path<'e>(
    name: &'e str,
    environment: &'e InstallEnvironment,
) -> impl Iterator<Item = PathBuf> + 'e {
    let folders = environment.variable("PATH").map(std::env::split_paths).into_iter().flatten();
    // A program of Windows has an ending, which its name leaves out.
    let endings: &[&str] = if cfg!(windows) { &[".exe", ".cmd"] } else { &[""] };
    let paths = folders.flat_map(move |dir| endings.iter().map(move |ending| dir.join(format!("{name}{ending}"))));
    paths.filter(|path| is_executable(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_newer_than_what_was_tried_is_told() {
        let claude = crate::HOSTS.iter().find(|def| def.name == "claude").unwrap();
        let note = |version: &str| HostProgram { path: PathBuf::new(), version: version.to_owned() }.note_newer(claude);
        let tried = claude.tried_version;
        for (version, is_told) in [
            (format!("{tried} (Claude Code)"), false),
            (format!("{tried}0 (Claude Code)"), true),
            (String::from("1.9999.9999"), false),
            (String::from("claude 10.0"), true),
            (String::from("an unknown build"), false),
        ] {
            assert_eq!(note(&version).is_some(), is_told, "{version}");
        }
    }
}
