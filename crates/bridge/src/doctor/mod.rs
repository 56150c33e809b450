//! Checks for `pintle doctor` whether installed hosts run Pintle.

mod client;
mod clients;
mod documents;
mod entries;
mod entry_faults;
mod finding;
mod guards;
mod location;
mod probe;
mod repair;
pub(crate) mod run_program;
mod test_calls;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use pintle_host::loader::UserDirs;
use serde_json::{Map, Value};

pub(crate) use client::list_on_path;
pub use client::{HostProgram, find_on_path};
pub use documents::SettingsDocument;
pub use finding::{CheckStatus, DoctorFinding};
pub use guards::{AppliedHook, GuardCheck, ProvenRefusal};
pub use location::InstallLocation;
pub use repair::{EntryRepair, plan_repairs};
pub(crate) use run_program::exchange_line;

use self::probe::EntryProbe;
use crate::HostDef;
use crate::install::{InstallEnvironment, InstallScope, installed_entries, named_dirs};
use crate::session::host_folder;

/// The report about one host.
#[derive(Debug)]
pub struct DoctorReport {
    /// The host.
    pub host: &'static HostDef,
    /// The host's program, if it is on the PATH.
    pub client: Option<HostProgram>,
    /// The possible locations of entries.
    pub locations: Vec<InstallLocation>,
    /// The findings, in the order of the checks.
    pub findings: Vec<DoctorFinding>,
    /// The installed events in the host's order, with the time when each last fired.
    pub events: Vec<LastFired>,
}

/// An installed event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastFired {
    /// The host's name of the event.
    pub event: &'static str,
    /// The time when it last fired, in milliseconds since 1970; `None` if it never did.
    pub last_ms: Option<u64>,
}

impl DoctorReport {
    /// Whether no problem was found.
    #[must_use]
    pub fn is_healthy(&self) -> bool {
        self.findings.iter().all(|finding| finding.status < CheckStatus::Problem)
    }

    /// Whether Pintle is installed in the host.
    #[must_use]
    pub fn is_installed(&self) -> bool {
        self.locations.iter().any(|place| !place.entries.is_empty())
    }
}

/// Examines a host for a user with these directories. Runs the host's program to get its version, and the installed
/// command lines with test calls.
#[must_use]
pub fn examine(host: &'static HostDef, environment: &InstallEnvironment, dirs: &UserDirs) -> DoctorReport {
    // The host's program of this machine says nothing about that of an image.
    let client = if environment.is_image() { None } else { client::find(host.install.program, environment) };
    let mut findings = Vec::new();
    let mut places = Vec::new();
    let is_examined = |scope| scope == InstallScope::Managed || !environment.is_image();
    for (scope, place) in host.install.locations().filter(|(scope, _)| is_examined(*scope)) {
        let path = environment.settings_path(scope, place);
        let entries = installed_entries(host, environment, scope).unwrap_or_else(|error| {
            findings.push(DoctorFinding::problem(error.to_string()));
            Vec::new()
        });
        places.push(InstallLocation { scope, path, entries, guards: None });
    }
    let mut examination = DoctorReport { host, client, locations: places, findings, events: Vec::new() };
    if !examination.is_installed() {
        let what = format!("Pintle is not installed in {}", host.title);
        let command = match environment.is_image() {
            true => entries::install_command(host, environment, InstallScope::Managed),
            false => format!("pintle install {}", host.name),
        };
        examination.findings.push(DoctorFinding::problem(what).help(format!("run `{command}`")));
        return examination;
    }
    if examination.client.is_none() && !environment.is_image() {
        let what = format!("`{}` is not on the PATH, so its version is unknown", host.install.program);
        examination.findings.push(DoctorFinding::note(what));
    }
    examination.findings.extend(examination.client.as_ref().and_then(|client| client.note_newer(host)));
    if !host.unhooked_actions.is_empty() {
        let what = format!("{} calls no hook for {}", host.title, host.unhooked_actions.join(", nor for "));
        examination.findings.push(DoctorFinding::note(what));
    }
    examination.findings.extend(clients::check_settings(host, environment));
    for place in examination.locations.iter_mut().filter(|place| !place.entries.is_empty()) {
        let missing = entries::missing_programs(host, environment, place);
        examination.findings.extend(entries::check_entries(host, environment, place, (dirs, &missing)));
        let probe = EntryProbe { host, site: environment, place };
        // Nothing answers there, which is said above.
        if !missing.is_empty() {
            continue;
        }
        let foreign = probe.note_foreign_program().or_else(|| probe.find_project_program());
        let wire = if foreign.is_none() { probe.check_wire() } else { Vec::new() };
        let responds = wire.iter().all(|finding| finding.status < CheckStatus::Problem);
        examination.findings.extend(wire);
        place.guards = match foreign {
            Some(note) => Some(GuardCheck::unproven(note)),
            None => responds.then(|| guards::check(probe)),
        };
        examination.findings.extend(place.guards.iter().flat_map(|guards| guards.findings.clone()));
    }
    examination.findings.extend(entries::check_missing_events(host, environment, &examination.locations));
    examination.findings.extend(guards::check_any(host, environment, &examination.locations));
    if !environment.is_image() {
        examination.events = list_last_fired(&examination, dirs);
    }
    examination
}

/// Examines only which of the user's hooks an installed location loads, and whether they refuse anything, as
/// [`examine`] does.
#[must_use]
pub fn examine_guards(host: &'static HostDef, environment: &InstallEnvironment, scope: InstallScope) -> GuardCheck {
    let path = host.install.location(scope).map(|place| environment.settings_path(scope, place)).unwrap_or_default();
    // Settings that cannot be read have no entries.
    let entries = installed_entries(host, environment, scope).unwrap_or_default();
    let mut place = InstallLocation { scope, path, entries, guards: None };
    let probe = EntryProbe { host, site: environment, place: &place };
    place.guards = Some(probe.note_foreign_program().map_or_else(|| guards::check(probe), GuardCheck::unproven));
    let unguarded = guards::check_any(host, environment, std::slice::from_ref(&place));
    let mut guards = place.guards.unwrap_or_default();
    guards.findings.extend(unguarded);
    // What the client itself skips is not guarded, whatever its installed lines refuse.
    let settings = clients::check_settings(host, environment);
    guards.findings.extend(settings.into_iter().filter(|finding| finding.status >= CheckStatus::Problem));
    guards
}

/// The times when the installed events last fired, from the state directories in the entries and the user's current
/// one.
fn list_last_fired(report: &DoctorReport, dirs: &UserDirs) -> Vec<LastFired> {
    let host = report.host;
    let entries = || report.locations.iter().flat_map(|place| &place.entries);
    let mut states: Vec<PathBuf> = entries().filter_map(|entry| named_dirs(host, entry).state).collect();
    states.extend(dirs.state.clone());
    states.sort();
    states.dedup();
    let mut last: BTreeMap<String, u64> = BTreeMap::new();
    for (event, at_ms) in states.iter().flat_map(|state| read_last_fired(host, state)) {
        let known = last.entry(event).or_default();
        *known = at_ms.max(*known);
    }
    let rows = host.host_events().filter(|def| entries().any(|entry| entry.event == def.name));
    rows.map(|def| LastFired { event: def.name, last_ms: last.get(def.name).copied() }).collect()
}

/// The time when each host event last fired, in milliseconds since 1970.
fn read_last_fired(host: &HostDef, state: &Path) -> BTreeMap<String, u64> {
    let text = fs::read_to_string(host_folder(state, host.name).join("fired.json")).unwrap_or_default();
    let fields: Map<String, Value> = serde_json::from_str(&text).unwrap_or_default();
    fields.into_iter().filter_map(|(event, at)| Some((event, at.as_u64()?))).collect()
}
