//! Putting Pintle into the settings of a host, and taking it out again.
//!
//! A [`InstallPlan`] says what would change; nothing is touched before [`InstallPlan::apply`]. What stays of it in a host's file are
//! entries whose command line starts `pintle hook HOST`: by that they are known again, replaced and removed.

mod apply;
mod backup;
mod entry;
mod environment;
mod error;
mod installed_line;
mod json_tree;
mod line;
mod plan;
mod programs;
mod settings;

pub use apply::InstallReport;
pub use entry::InstalledEntry;
pub use environment::{InstallEnvironment, InstallScope, SettingsLocation};
pub use error::InstallError;
pub use installed_line::{is_current, named_dirs};
pub(crate) use line::UNASKED;
pub use line::{InstallOptions, parse_own_command};
pub use plan::{InstallPlan, SettingsChange, installed_entries, program_of};

use serde_json::Value;

use crate::HostDef;

/// How Pintle gets into a host.
#[derive(Debug)]
pub struct InstallSpec {
    /// The host's own program, for `pintle doctor`.
    pub program: &'static str,
    /// Where the person's settings are.
    pub user: SettingsLocation,
    /// Where a project's settings are.
    pub project: SettingsLocation,
    /// What an entry looks like.
    pub form: EntryFormat,
    /// Time-outs of the host that our own deadline has to stay below: events and milliseconds. The others get
    /// [`HostDef::deadline_ms`] and some seconds.
    pub timeout_limits: &'static [(&'static str, u64)],
    /// The shell, with its arguments, that the host gives a command line to.
    pub shell: &'static [&'static str],
    /// What a person has to know or do after installing.
    pub hints: fn(scope: InstallScope) -> Vec<String>,
    /// What of the host's settings keeps hooks from running.
    pub check_settings: fn(host: &'static HostDef, site: &InstallEnvironment) -> Vec<crate::doctor::DoctorFinding>,
}

/// What an entry of a host looks like.
#[derive(Debug)]
pub enum EntryFormat {
    /// A file with `hooks`: events, and in each a list of groups with a list of handlers in it.
    Groups(HandlerFormat),
    /// A file with `hooks`: events, and in each a list of handlers.
    Flat(HandlerFormat),
    /// A folder with an executable for each event.
    Programs,
}

/// One handler of a settings file.
#[derive(Debug)]
pub struct HandlerFormat {
    /// The field that has the command line.
    pub command: &'static str,
    /// What a new file holds besides the hooks, such as a version.
    pub file_head: &'static [(&'static str, i64)],
    /// A handler with this command line and this time-out in milliseconds.
    pub build: fn(command: &str, timeout_ms: u64) -> Value,
    /// The time-out of a handler, in milliseconds; 0 when it has none.
    pub timeout_ms: fn(handler: &Value) -> u64,
}

impl InstallSpec {
    /// Where the settings of a scope are.
    #[must_use]
    pub fn location(&self, scope: InstallScope) -> &SettingsLocation {
        match scope {
            InstallScope::User => &self.user,
            InstallScope::Project => &self.project,
        }
    }
}

impl EntryFormat {
    /// The handlers of a settings file, when it is one.
    #[must_use]
    pub fn handler_format(&self) -> Option<&HandlerFormat> {
        match self {
            Self::Groups(handler) | Self::Flat(handler) => Some(handler),
            Self::Programs => None,
        }
    }
}
