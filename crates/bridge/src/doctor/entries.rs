//! Whether entries are whole and of today.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::{Finding, Placement};
use crate::Host;
use crate::install::{self, program};

/// Whether entries are whole and of today.
pub(super) fn check(host: &'static Host, place: &Placement) -> Vec<Finding> {
    let scope = place.scope.as_str();
    let again = format!("`pintle install {} --scope {scope}` writes them anew", host.name);
    let mut findings = Vec::new();
    let mut programs: Vec<String> = place.entries.iter().filter_map(|entry| program(host, entry)).collect();
    programs.sort();
    programs.dedup();
    let gone = |program: &&String| program.contains('/') && !is_program(Path::new(program.as_str()));
    for program in programs.iter().filter(gone) {
        let what = format!("the {scope} entries run `{program}`, which is not there; guarded events are refused");
        findings.push(Finding::bad(what).help(again.clone()));
    }
    let has = |event: &str| place.entries.iter().any(|entry| entry.event == event);
    let guards = host.rows.iter().filter(|row| row.guards && !row.noisy);
    let missing: Vec<String> = guards.filter(|row| !has(row.name)).map(|row| format!("`{}`", row.name)).collect();
    if !missing.is_empty() {
        findings.push(Finding::note(format!(
            "the {scope} entries leave out {}, so nothing is refused there",
            missing.join(", ")
        )));
    }
    let changed = |entry: &&install::Entry| !install::is_current(host, entry);
    if let Some(entry) = place.entries.iter().find(changed) {
        let what = format!("the {scope} entry of `{}` is not as this Pintle writes it", entry.event);
        findings.push(Finding::note(what).help(again));
    }
    findings
}

/// Whether a file can be run.
pub(crate) fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}
