//! Whether Pintle is asked where it is installed: what `pintle doctor` looks at.

mod client;
mod documents;
mod entries;
mod last_fired;
mod probe;
mod run_program;

use std::collections::BTreeMap;
use std::path::PathBuf;

use pintle::loader::UserDirs;

pub use client::{HostProgram, find_on_path};
pub use documents::SettingsDocument;
pub(crate) use run_program::{ProgramRun, exchange_line, run};

use crate::HostDef;
use crate::install::{InstallEnvironment, InstallScope, InstalledEntry, installed_entries, named_dirs};

/// How good or bad something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckStatus {
    /// As it should be.
    Ok,
    /// Worth knowing.
    Note,
    /// Hooks do not run, or not as they should.
    Problem,
}

impl CheckStatus {
    /// The word in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Problem => "bad",
        }
    }
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoctorFinding {
    /// How good it is.
    pub status: CheckStatus,
    /// What it is, in one line.
    pub text: String,
    /// What to do next.
    pub help: Option<String>,
}

impl DoctorFinding {
    /// As it should be.
    pub fn ok(text: impl Into<String>) -> Self {
        Self { status: CheckStatus::Ok, text: text.into(), help: None }
    }

    /// Worth knowing.
    pub fn note(text: impl Into<String>) -> Self {
        Self { status: CheckStatus::Note, text: text.into(), help: None }
    }

    /// Hooks do not run, or not as they should.
    pub fn problem(text: impl Into<String>) -> Self {
        Self { status: CheckStatus::Problem, text: text.into(), help: None }
    }

    /// The same with what to do next.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}

/// What was found of one host.
#[derive(Debug)]
pub struct DoctorReport {
    /// The host.
    pub host: &'static HostDef,
    /// Its program, when it is on the path.
    pub client: Option<HostProgram>,
    /// Where entries can be.
    pub locations: Vec<InstallLocation>,
    /// What was found, in the order it was looked at.
    pub findings: Vec<DoctorFinding>,
    /// The installed events, in the host's order, and when each last fired.
    pub events: Vec<LastFired>,
}

/// One place where entries can be.
#[derive(Debug)]
pub struct InstallLocation {
    /// Whose it is.
    pub scope: InstallScope,
    /// The settings file, or the folder of executables.
    pub path: PathBuf,
    /// Our entries there.
    pub entries: Vec<InstalledEntry>,
}

/// An installed event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastFired {
    /// The host's name of it.
    pub event: &'static str,
    /// When it last fired, in milliseconds since 1970; nothing when it never did.
    pub last_ms: Option<u64>,
}

impl DoctorReport {
    /// Whether nothing bad was found.
    #[must_use]
    pub fn is_healthy(&self) -> bool {
        self.findings.iter().all(|finding| finding.status < CheckStatus::Problem)
    }

    /// Whether Pintle is installed there at all.
    #[must_use]
    pub fn is_installed(&self) -> bool {
        self.locations.iter().any(|place| !place.entries.is_empty())
    }
}

/// Examines a host for a person who has these folders. Starts the host's program for its version, and the installed
/// command lines with calls that are made up.
#[must_use]
pub fn examine(host: &'static HostDef, site: &InstallEnvironment, now: &UserDirs) -> DoctorReport {
    let client = client::find(host.install.program, site);
    let mut findings = Vec::new();
    let mut places = Vec::new();
    for scope in InstallScope::ALL {
        let path = site.settings_path(scope, host.install.location(scope));
        let entries = installed_entries(host, site, scope).unwrap_or_else(|fault| {
            findings.push(DoctorFinding::problem(fault.to_string()));
            Vec::new()
        });
        places.push(InstallLocation { scope, path, entries });
    }
    let mut examination = DoctorReport { host, client, locations: places, findings, events: Vec::new() };
    if !examination.is_installed() {
        let what = format!("Pintle is not installed in {}", host.title);
        examination.findings.push(DoctorFinding::problem(what).help(format!("`pintle install {}`", host.name)));
        return examination;
    }
    if examination.client.is_none() {
        let what = format!("`{}` is not on the PATH, so its version is unknown", host.install.program);
        examination.findings.push(DoctorFinding::note(what));
    }
    examination.findings.extend((host.install.check_settings)(host, site));
    for place in examination.locations.iter().filter(|place| !place.entries.is_empty()) {
        examination.findings.extend(entries::check_entries(host, place, now));
        examination.findings.extend(probe::probe(host, site, place));
    }
    examination.events = list_last_fired(&examination, now);
    examination
}

/// When the installed events last fired, as is kept where the entries say and where the person has it now.
fn list_last_fired(examination: &DoctorReport, now: &UserDirs) -> Vec<LastFired> {
    let host = examination.host;
    let entries = || examination.locations.iter().flat_map(|place| &place.entries);
    let mut states: Vec<PathBuf> = entries().filter_map(|entry| named_dirs(host, entry).state).collect();
    states.extend(now.state.clone());
    states.sort();
    states.dedup();
    let mut last: BTreeMap<String, u64> = BTreeMap::new();
    for (event, at_ms) in states.iter().flat_map(|state| last_fired::read_last_fired(host, state)) {
        let known = last.entry(event).or_default();
        *known = at_ms.max(*known);
    }
    let rows = host.events.iter().filter(|row| entries().any(|entry| entry.event == row.name));
    rows.map(|row| LastFired { event: row.name, last_ms: last.get(row.name).copied() }).collect()
}
