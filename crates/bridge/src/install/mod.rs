//! Installs Pintle in the settings of a host, and uninstalls it.
//!
//! An [`InstallPlan`] contains the changes; nothing is written before [`InstallPlan::apply`]. Installed entries in a
//! host's file are recognised by their command line, which starts with `pintle hook HOST`, and can so be replaced and
//! removed.

mod apply;
mod backup;
mod entry;
mod environment;
mod error;
mod installed_line;
mod json_tree;
mod line;
mod module_file;
mod plan;
mod programs;
mod settings;

pub use apply::InstallReport;
pub use entry::InstalledEntry;
pub use environment::{InstallEnvironment, InstallScope, SettingsLocation};
pub use error::InstallError;
pub use installed_line::{is_current, named_dirs};
pub(crate) use line::NO_RESPONSE;
pub use line::{InstallOptions, parse_own_command};
pub use plan::{InstallPlan, SettingsChange, installed_entries, program_of};

use serde_json::Value;

use crate::HostDef;

/// The way to install Pintle in a host.
#[derive(Debug)]
pub struct InstallSpec {
    /// The host's own program, for `pintle doctor`.
    pub program: &'static str,
    /// The location of the user's settings.
    pub user: SettingsLocation,
    /// The location of a project's settings.
    pub project: SettingsLocation,
    /// The format of an entry.
    pub form: EntryFormat,
    /// The host's timeouts for single events in milliseconds, which limit Pintle's own deadline. The others use
    /// [`HostDef::deadline_ms`] plus some seconds.
    pub timeout_limits: &'static [(&'static str, u64)],
    /// The shell, with its arguments, that runs a command line.
    pub shell: &'static [&'static str],
    /// Information for the user after installing.
    pub hints: fn(scope: InstallScope) -> Vec<String>,
    /// Checks the host's settings for what prevents hooks from running.
    pub check_settings: fn(host: &'static HostDef, site: &InstallEnvironment) -> Vec<crate::doctor::DoctorFinding>,
}

/// The format of a host's entries.
#[derive(Debug)]
pub enum EntryFormat {
    /// A file with `hooks`: for each event a list of groups, each with a list of handlers.
    Groups(HandlerFormat),
    /// A file with `hooks`: for each event a list of handlers.
    Flat(HandlerFormat),
    /// A directory with an executable for each event.
    Programs,
    /// A module of code that the host loads, with a table of entries.
    Module {
        /// Writes the module with these entries.
        write: fn(host: &HostDef, entries: &[InstalledEntry]) -> String,
    },
}

/// The format of a handler in a settings file.
#[derive(Debug)]
pub struct HandlerFormat {
    /// The field with the command line.
    pub command: &'static str,
    /// Fields of a new file other than the hooks, such as a version.
    pub file_head: &'static [(&'static str, i64)],
    /// Builds a handler with this command line and this timeout in milliseconds.
    pub build: fn(command: &str, timeout_ms: u64) -> Value,
    /// The timeout of a handler, in milliseconds; 0 if it has none.
    pub timeout_ms: fn(handler: &Value) -> u64,
}

impl InstallSpec {
    /// The location of the settings of a scope.
    #[must_use]
    pub fn location(&self, scope: InstallScope) -> &SettingsLocation {
        match scope {
            InstallScope::User => &self.user,
            InstallScope::Project => &self.project,
        }
    }
}

impl EntryFormat {
    /// The handler format, if the host uses a settings file.
    #[must_use]
    pub fn handler_format(&self) -> Option<&HandlerFormat> {
        match self {
            Self::Groups(handler) | Self::Flat(handler) => Some(handler),
            Self::Programs | Self::Module { .. } => None,
        }
    }
}
