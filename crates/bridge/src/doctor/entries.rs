//! Checks whether installed entries are complete and up to date, and whether the host waits for each of them.

use std::path::{Path, PathBuf};

use pintle_host::loader::UserDirs;

use super::entry_faults;
use super::finding::DoctorFinding;
use super::location::InstallLocation;
use crate::HostDef;
use crate::install::{self, InstallEnvironment, InstallScope, is_executable, program_of};

/// Checks whether the programs of entries are there, and whether entries are up to date and effective and name the user's
/// current directories.
pub(super) fn check_entries(
    host: &'static HostDef,
    environment: &InstallEnvironment,
    location: &InstallLocation,
    (dirs, missing): (&UserDirs, &[String]),
) -> Vec<DoctorFinding> {
    let scope = location.scope.as_str();
    let again = format!("run `{}` to rewrite them", install_command(host, environment, location.scope));
    let mut findings = Vec::new();
    for program in missing {
        let what = format!("the {scope} entries run `{program}`, which does not exist; guarded events are denied");
        let copy = || format!("copy it to `{}`", environment.path_now(Path::new(program)).display());
        let help = if environment.is_image() { copy() } else { again.clone() };
        findings.push(DoctorFinding::problem(what).help(help));
    }
    let faults = entry_faults::find_faults(host, location);
    for (fault, events) in &faults {
        let what = format!("{scope}, {}: {fault}", events.join(", "));
        findings.push(DoctorFinding::problem(what).help(again.clone()));
    }
    let changed = |entry: &&install::InstalledEntry| !install::is_current(host, location.scope, entry);
    if let Some(entry) = location.entries.iter().find(changed).filter(|_| faults.is_empty()) {
        let what = format!("the {scope} entry of `{}` differs from what this version of Pintle writes", entry.event);
        findings.push(DoctorFinding::note(what).help(again.clone()));
    }
    if location.scope == InstallScope::User {
        findings
            .extend(find_moved_dirs(host, location, dirs).map(|what| DoctorFinding::note(what).help(again.clone())));
    }
    findings
}

/// The programs that entries name by their path, and that are not there.
pub(super) fn missing_programs(
    host: &'static HostDef,
    environment: &InstallEnvironment,
    location: &InstallLocation,
) -> Vec<String> {
    let mut programs: Vec<String> = location.entries.iter().filter_map(|entry| program_of(host, entry)).collect();
    programs.sort();
    programs.dedup();
    programs.retain(|program| program.contains('/') && !is_executable(&environment.path_now(Path::new(program))));
    programs
}

/// The problem that an event which is installed by default is in none of the locations.
pub(super) fn check_missing_events(
    host: &'static HostDef,
    environment: &InstallEnvironment,
    places: &[InstallLocation],
) -> Option<DoctorFinding> {
    let missing: Vec<String> = missing_events(host, places).iter().map(|name| format!("`{name}`")).collect();
    let scope = places.iter().find(|place| !place.entries.is_empty())?.scope;
    let what = format!("{} does not call Pintle at {}, so no hook runs there", host.title, missing.join(", "));
    let help = format!("run `{}` to add them", install_command(host, environment, scope));
    (!missing.is_empty()).then(|| DoctorFinding::problem(what).help(help))
}

/// The events that are installed by default and are in none of the locations.
pub(super) fn missing_events(host: &'static HostDef, places: &[InstallLocation]) -> Vec<&'static str> {
    let has = |event: &str| places.iter().flat_map(|place| &place.entries).any(|entry| entry.event == event);
    host.host_events().filter(|def| !def.high_volume && !has(def.name)).map(|def| def.name).collect()
}

/// A description of a user directory, with its field.
type NamedDir = (&'static str, fn(&UserDirs) -> &Option<PathBuf>);

const HELD: [NamedDir; 3] = [
    ("your own hooks", |folders| &folders.config),
    ("trust decisions and sessions", |folders| &folders.state),
    ("additional hooks of your organisation", |folders| &folders.managed),
];

/// Reports directories in the entries that differ from the user's current ones. Entries without directories are
/// reported as outdated instead.
fn find_moved_dirs(host: &HostDef, location: &InstallLocation, dirs: &UserDirs) -> impl Iterator<Item = String> {
    let named: Vec<UserDirs> = location.entries.iter().map(|entry| install::named_dirs(host, entry)).collect();
    HELD.into_iter().filter_map(move |(what, of)| {
        let named = named.iter().filter(|folders| folders.config.is_some());
        let other = named.map(of).find(|dir| *dir != of(dirs))?;
        let there = other.as_ref().map_or(String::from("no directory"), |dir| format!("`{}`", dir.display()));
        let here = match of(dirs) {
            Some(dir) => format!("the directory in use now, `{}`, is ignored", dir.display()),
            None => String::from("that directory is no longer configured"),
        };
        Some(format!("the user entries look for {what} in {there}; {here}"))
    })
}

/// The command that installs Pintle in a host again.
pub(super) fn install_command(host: &HostDef, environment: &InstallEnvironment, scope: InstallScope) -> String {
    let sudo = if scope == InstallScope::Managed && !environment.is_image() { "sudo " } else { "" };
    let root = if environment.is_image() { format!(" --root {}", environment.root.display()) } else { String::new() };
    format!("{sudo}pintle install {} --scope {}{root}", host.name, scope.as_str())
}
