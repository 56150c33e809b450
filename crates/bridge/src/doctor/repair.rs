//! Plans what `pintle doctor --fix` writes: installed entries that do not run this program as `pintle install` makes them.

use std::path::{Path, PathBuf};

use pintle_host::loader::UserDirs;

use super::location::InstallLocation;
use super::{DoctorReport, entries, entry_faults, find_on_path};
use crate::HostDef;
use crate::install::{
    EntryProgram, InstallEnvironment, InstallError, InstallOptions, InstallPlan, InstallScope, InstalledEntry,
    StartedProgram, call_words, is_current, is_left_behind, is_replaceable_program, program_of,
};

/// The entries of one scope of a host, and what is written instead of them.
#[derive(Debug)]
pub struct EntryRepair {
    /// The host.
    pub host: &'static HostDef,
    /// What is wrong with the entries.
    pub reasons: Vec<String>,
    /// The program that they run afterwards.
    pub program: EntryProgram,
    /// The changes.
    pub plan: InstallPlan,
}

/// Plans the repairs of a host that was examined. `find_present` gives the program and the directories that
/// `pintle install` writes for a scope.
pub fn plan_repairs<E: From<InstallError>>(
    report: &DoctorReport,
    environment: &InstallEnvironment,
    started: &StartedProgram,
    find_present: impl Fn(InstallScope) -> Result<(EntryProgram, UserDirs), E>,
) -> Vec<Result<EntryRepair, E>> {
    let first = report.locations.iter().position(|location| !location.entries.is_empty());
    let missing = entries::missing_events(report.host, &report.locations);
    let repairs = report.locations.iter().enumerate().filter_map(|(index, location)| {
        let missing = if Some(index) == first { missing.as_slice() } else { &[] };
        let defects = find_defects(report.host, environment, location, (missing, started))?;
        let repair = find_present(location.scope)
            .and_then(|present| Ok(plan_repair(report.host, environment, location, (missing, defects, present))?));
        repair.transpose()
    });
    repairs.collect()
}

/// What is wrong with the entries of a scope.
struct EntryDefects {
    /// In words.
    reasons: Vec<String>,
    /// The program that they keep; `None` if it is gone, or does not answer.
    kept_program: Option<String>,
}

/// Finds what is wrong with the entries of a scope; `None` if they are right.
fn find_defects(
    host: &'static HostDef,
    environment: &InstallEnvironment,
    location: &InstallLocation,
    (missing, started): (&[&'static str], &StartedProgram),
) -> Option<EntryDefects> {
    let program = program_of(host, location.entries.first()?);
    let mut reasons = find_lost_programs(host, environment, location, started);
    let is_lost = !reasons.is_empty();
    for (fault, events) in entry_faults::find_faults(host, location) {
        reasons.push(format!("{}: {fault}", events.join(", ")));
    }
    if reasons.is_empty() && location.entries.iter().any(|entry| !is_current(host, location.scope, entry)) {
        reasons.push(String::from("they differ from what this version of Pintle writes"));
    }
    if !missing.is_empty() {
        reasons.push(format!("they are missing at `{}`", missing.join("`, `")));
    }
    let is_mute = location.guards.is_none() && !is_lost;
    if is_mute {
        reasons.push(String::from("they do not answer test calls as they should"));
    }
    // Those who share a project's entries have the program on a PATH of their own.
    let is_shared_name = |program: &String| location.scope == InstallScope::Project && !program.contains('/');
    let kept_program = program.filter(|program| !is_lost && !is_mute || is_shared_name(program));
    (!reasons.is_empty()).then_some(EntryDefects { reasons, kept_program })
}

/// Plans the repair of the entries of a scope; `None` if nothing would change.
fn plan_repair(
    host: &'static HostDef,
    environment: &InstallEnvironment,
    location: &InstallLocation,
    (missing, defects, present): (&[&'static str], EntryDefects, (EntryProgram, UserDirs)),
) -> Result<Option<EntryRepair>, InstallError> {
    let (program, folders) = present;
    let program = defects.kept_program.map_or(program, EntryProgram::named);
    let options = InstallOptions {
        program: program.program.clone(),
        hooks: named_paths(location, "--hooks"),
        folders: keep_dirs(location, folders),
        events: host
            .host_events()
            .map(|def| def.name)
            .filter(|name| missing.contains(name) || location.entries.iter().any(|entry| entry.event == *name))
            .map(str::to_owned)
            .collect(),
    };
    let plan = InstallPlan::install(host, environment, location.scope, &options)?;
    Ok((!plan.is_empty()).then_some(EntryRepair { host, reasons: defects.reasons, program, plan }))
}

/// The programs of entries that are gone, of another version that an upgrade left behind, or not safe from the project.
fn find_lost_programs(
    host: &'static HostDef,
    environment: &InstallEnvironment,
    location: &InstallLocation,
    started: &StartedProgram,
) -> Vec<String> {
    let mut reasons: Vec<String> = entries::missing_programs(host, environment, location)
        .into_iter()
        .map(|program| format!("`{program}` does not exist"))
        .collect();
    let is_own = location.scope != InstallScope::Project && !environment.is_image();
    for entry in &location.entries {
        let Some(program) = program_of(host, entry) else { continue };
        let reason = match program.contains('/') {
            _ if is_replaceable_program(&program, environment) => {
                format!("`{program}` is a program that the project or everybody here can replace")
            }
            true if is_own && is_left_behind(Path::new(&program), started, environment) => {
                format!("`{program}` is of another version than this program")
            }
            false if is_own && find_on_path(&program, environment).is_none() => {
                format!("`{program}` is not on the PATH")
            }
            _ => continue,
        };
        // Each program is named once.
        if !reasons.iter().any(|known| known.starts_with(&format!("`{program}`"))) {
            reasons.push(reason);
        }
    }
    reasons
}

/// The directories that entries of a user name already, if they are there; otherwise those of now. Entries that others share
/// name only what fits everyone.
fn keep_dirs(location: &InstallLocation, now: UserDirs) -> UserDirs {
    let named = |option: &str| named_paths(location, option).into_iter().next();
    match named("--config-dir").filter(|dir| location.scope == InstallScope::User && dir.is_dir()) {
        Some(config) => {
            let state = named("--state-dir").or(now.state);
            UserDirs { config: Some(config), state, managed: named("--managed-dir") }
        }
        None => now,
    }
}

/// The values of an option in the entries, without repetitions.
fn named_paths(location: &InstallLocation, option: &str) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for InstalledEntry { command, .. } in &location.entries {
        let words = call_words(command);
        let values = words.iter().zip(words.iter().skip(1)).filter(|(word, _)| *word == option);
        for path in values.map(|(_, value)| PathBuf::from(value)) {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
    }
    paths
}
