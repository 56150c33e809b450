//! How Pintle is installed in a client, as data.

use serde_json::Value;

use crate::ClientDef;

/// The scope of settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstallScope {
    /// The settings of the machine, for all its users. An administrator manages them, and no project can override them.
    Managed,
    /// The user's settings, for all projects.
    User,
    /// The settings of one project.
    Project,
}

impl InstallScope {
    /// All scopes, in the order of reports.
    pub const ALL: [Self; 3] = [Self::User, Self::Project, Self::Managed];

    /// The word on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Managed => "managed",
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

/// The location of the files of a scope.
#[derive(Debug, Clone, Copy)]
pub struct SettingsLocation {
    /// The environment variable that names the host's directory, and replaces `folder`; empty if there is none.
    pub variable: &'static str,
    /// The host's directory, relative to the home directory, the project or the root of the file system.
    pub folder: &'static str,
    /// The settings file, or the directory of executables, relative to the host's directory; empty if `folder` and
    /// `variable` name the settings file itself.
    pub file: &'static str,
}

impl SettingsLocation {
    /// The settings file of the machine, without the leading `/`.
    #[must_use]
    pub const fn managed(linux: &'static str, macos: &'static str) -> Self {
        let folder = if cfg!(target_os = "macos") { macos } else { linux };
        Self { variable: "", folder, file: "" }
    }

    /// The same, unless an environment variable names another file.
    #[must_use]
    pub const fn named_by(self, variable: &'static str) -> Self {
        Self { variable, ..self }
    }
}

/// One installed entry: an event and its command.
#[derive(Debug, Clone, PartialEq)]
pub struct InstalledEntry {
    /// The host's event.
    pub event: String,
    /// The command line.
    pub command: String,
    /// The host's timeout, in milliseconds.
    pub timeout_ms: u64,
}

/// The way to install Pintle in a host.
#[derive(Debug)]
pub struct InstallSpec {
    /// The host's own program.
    pub program: &'static str,
    /// The directory that the host itself creates, relative to that of its user settings; empty if they are the same.
    pub own_dir: &'static str,
    /// The location of the machine's settings; `None` if the host's documents have no such settings with hooks.
    pub managed: Option<SettingsLocation>,
    /// Settings of the machine that keep other settings from switching its hooks off: paths and values.
    pub managed_switches: &'static [(&'static [&'static str], bool)],
    /// The location of the user's settings.
    pub user: SettingsLocation,
    /// The location of a project's settings.
    pub project: SettingsLocation,
    /// The format of an entry.
    pub form: EntryFormat,
    /// The host's timeouts for single events in milliseconds, which limit Pintle's own deadline. The others use
    /// [`ClientDef::deadline_ms`] plus some seconds.
    pub timeout_limits: &'static [(&'static str, u64)],
    /// The shell, with its arguments, that runs a command line.
    pub shell: &'static [&'static str],
    /// Information for the user after installing.
    pub hints: fn(scope: InstallScope) -> Vec<String>,
}

/// The format of a host's entries.
#[derive(Debug)]
pub enum EntryFormat {
    /// A file with, for each event, a list of groups, each with a list of handlers.
    Groups(HandlerFormat),
    /// A file with, for each event, a list of handlers.
    Flat(HandlerFormat),
    /// A directory with an executable for each event.
    Programs,
    /// A module of code that the host loads, with a table of entries.
    Module {
        /// Writes the module with these entries.
        write: fn(host: &ClientDef, entries: &[InstalledEntry]) -> String,
    },
}

/// The format of a handler in a settings file.
#[derive(Debug)]
pub struct HandlerFormat {
    /// The field of the file whose fields are the events; `None` if the file's own fields are.
    pub root: Option<&'static str>,
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
    /// What most clients have in common, to be completed.
    pub const COMMON: Self = Self {
        program: "",
        own_dir: "",
        managed: None,
        managed_switches: &[],
        user: SettingsLocation { variable: "", folder: "", file: "" },
        project: SettingsLocation { variable: "", folder: "", file: "" },
        form: EntryFormat::Programs,
        timeout_limits: &[],
        // Clients on Windows bring a shell, on the search path.
        shell: if cfg!(windows) { &["sh", "-c"] } else { &["/bin/sh", "-c"] },
        hints: |_| Vec::new(),
    };

    /// The location of the settings of a scope; `None` if the host has no such settings.
    #[must_use]
    pub fn location(&self, scope: InstallScope) -> Option<&SettingsLocation> {
        match scope {
            InstallScope::Managed => self.managed.as_ref(),
            InstallScope::User => Some(&self.user),
            InstallScope::Project => Some(&self.project),
        }
    }

    /// The scopes that the host has settings for, with their locations.
    pub fn locations(&self) -> impl Iterator<Item = (InstallScope, &SettingsLocation)> {
        InstallScope::ALL.into_iter().filter_map(|scope| Some((scope, self.location(scope)?)))
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

/// A timeout of a handler in seconds, in milliseconds; 0 if it has none.
#[must_use]
pub fn seconds_field(handler: &Value, name: &str) -> u64 {
    handler.get(name).and_then(Value::as_f64).map_or(0, |seconds| (seconds * 1_000.0) as u64)
}
