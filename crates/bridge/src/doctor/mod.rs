//! Whether Pintle is asked where it is installed: what `pintle doctor` looks at.

mod client;
mod documents;
mod entries;
mod fired;
mod ran;
mod tried;

use std::collections::BTreeMap;
use std::path::PathBuf;

use pintle::loader::UserDirs;

pub use client::{Client, which};
pub use documents::Document;
pub(crate) use ran::{Ran, ask, run};

use crate::Host;
use crate::install::{Entry, Scope, Site, folders, installed};

/// How good or bad something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Health {
    /// As it should be.
    Good,
    /// Worth knowing.
    Note,
    /// Hooks do not run, or not as they should.
    Bad,
}

impl Health {
    /// The word in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Good => "ok",
            Self::Note => "note",
            Self::Bad => "bad",
        }
    }
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// How good it is.
    pub health: Health,
    /// What it is, in one line.
    pub text: String,
    /// What to do next.
    pub help: Option<String>,
}

impl Finding {
    /// As it should be.
    pub fn good(text: impl Into<String>) -> Self {
        Self { health: Health::Good, text: text.into(), help: None }
    }

    /// Worth knowing.
    pub fn note(text: impl Into<String>) -> Self {
        Self { health: Health::Note, text: text.into(), help: None }
    }

    /// Hooks do not run, or not as they should.
    pub fn bad(text: impl Into<String>) -> Self {
        Self { health: Health::Bad, text: text.into(), help: None }
    }

    /// The same with what to do next.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}

/// What was found of one host.
#[derive(Debug)]
pub struct Examination {
    /// The host.
    pub host: &'static Host,
    /// Its program, when it is on the path.
    pub client: Option<Client>,
    /// Where entries can be.
    pub places: Vec<Placement>,
    /// What was found, in the order it was looked at.
    pub findings: Vec<Finding>,
    /// The installed events, in the host's order, and when each last fired.
    pub events: Vec<Fired>,
}

/// One place where entries can be.
#[derive(Debug)]
pub struct Placement {
    /// Whose it is.
    pub scope: Scope,
    /// The settings file, or the folder of executables.
    pub path: PathBuf,
    /// Our entries there.
    pub entries: Vec<Entry>,
}

/// An installed event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fired {
    /// The host's name of it.
    pub event: &'static str,
    /// When it last fired, in milliseconds since 1970; nothing when it never did.
    pub last_ms: Option<u64>,
}

impl Examination {
    /// Whether nothing bad was found.
    #[must_use]
    pub fn is_healthy(&self) -> bool {
        self.findings.iter().all(|finding| finding.health < Health::Bad)
    }

    /// Whether Pintle is installed there at all.
    #[must_use]
    pub fn is_installed(&self) -> bool {
        self.places.iter().any(|place| !place.entries.is_empty())
    }
}

/// Examines a host for a person who has these folders. Starts the host's program for its version, and the installed
/// command lines with calls that are made up.
#[must_use]
pub fn examine(host: &'static Host, site: &Site, now: &UserDirs) -> Examination {
    let client = client::find(host.install.program, site);
    let mut findings = Vec::new();
    let mut places = Vec::new();
    for scope in Scope::ALL {
        let path = site.path(scope, host.install.place(scope));
        let entries = installed(host, site, scope).unwrap_or_else(|fault| {
            findings.push(Finding::bad(fault.to_string()));
            Vec::new()
        });
        places.push(Placement { scope, path, entries });
    }
    let mut examination = Examination { host, client, places, findings, events: Vec::new() };
    if !examination.is_installed() {
        let what = format!("nothing of Pintle is installed in {}", host.title);
        examination.findings.push(Finding::bad(what).help(format!("`pintle install {}`", host.name)));
        return examination;
    }
    if examination.client.is_none() {
        let what = format!("`{}` is not on the PATH, so its version is not known", host.install.program);
        examination.findings.push(Finding::note(what));
    }
    examination.findings.extend((host.install.trust)(host, site));
    for place in examination.places.iter().filter(|place| !place.entries.is_empty()) {
        examination.findings.extend(entries::check(host, place, now));
        examination.findings.extend(tried::check(host, site, place));
    }
    examination.events = fired(&examination, now);
    examination
}

/// When the installed events last fired, as is kept where the entries say and where the person has it now.
fn fired(examination: &Examination, now: &UserDirs) -> Vec<Fired> {
    let host = examination.host;
    let entries = || examination.places.iter().flat_map(|place| &place.entries);
    let mut states: Vec<PathBuf> = entries().filter_map(|entry| folders(host, entry).state).collect();
    states.extend(now.state.clone());
    states.sort();
    states.dedup();
    let mut last: BTreeMap<String, u64> = BTreeMap::new();
    for (event, at_ms) in states.iter().flat_map(|state| fired::read(host, state)) {
        let known = last.entry(event).or_default();
        *known = at_ms.max(*known);
    }
    let rows = host.rows.iter().filter(|row| entries().any(|entry| entry.event == row.name));
    rows.map(|row| Fired { event: row.name, last_ms: last.get(row.name).copied() }).collect()
}
