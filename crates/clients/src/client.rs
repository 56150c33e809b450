//! The definition of a client, as data.

use std::borrow::Cow;

use pintle_contract::{EventKind, suggest_nearest};
use pintle_tools::{CLAUDE, ToolVocabulary};
use serde_json::Value;

use crate::host::{HostDecision, HostResponse, ResponseContext};
use crate::install::InstallSpec;
use crate::transcript::TranscriptReader;
use crate::{AgentMarks, CLIENTS, ClientEventDef, ClientFileLocation, GuardedPaths, OutputField, SettingsFormat};

/// A coding agent: its hooks, which Pintle runs, and its calls of Pintle as its hook.
#[derive(Debug)]
pub struct ClientDef {
    /// The name on the command line.
    pub name: &'static str,
    /// The client's display name.
    pub title: &'static str,
    /// Its events.
    pub events: &'static [ClientEventDef],
    /// The tool vocabulary.
    pub tools: &'static ToolVocabulary,

    /// The dialect of its hook files; `None` if it has none.
    pub dialect: Option<&'static str>,
    /// A one-sentence description of the dialect.
    pub description: &'static str,
    /// Where its hook files are.
    pub files: &'static [ClientFileLocation],
    /// The client's events that the catalogue does not have, and why.
    pub unmapped_events: &'static [UnmappedClientEvents],
    /// The format of its settings files.
    pub settings: SettingsFormat,
    /// The fields that a hook's output can have.
    pub output_fields: &'static [OutputField],
    /// Whether an unknown field makes an output invalid.
    pub strict: bool,
    /// Whether exit codes have a meaning.
    pub statuses: bool,
    /// Extracts the JSON answer from a program's output.
    pub extract_answer: fn(&str) -> Cow<'_, str>,
    /// The environment variables of its hook programs.
    pub environment: &'static [(&'static str, EnvVariable)],

    /// The default deadline of `pintle hook`, in milliseconds. It is below the timeout that is installed with the
    /// command line.
    pub deadline_ms: u64,
    /// The way to install Pintle in the client.
    pub install: InstallSpec,
    /// What tells its processes from those of its user.
    pub marks: AgentMarks,
    /// Its settings that decide which hooks it runs, in addition to `files`.
    pub guarded: GuardedPaths,
    /// Reads the client's event name from a payload, if the payload has it.
    pub event_name: fn(payload: &Value) -> Option<&str>,
    /// The environment variable with the project's directory.
    pub project_variable: Option<&'static str>,
    /// Reads the lines of its transcript, in which a hook can look back; `None` if it does not keep one as JSON lines, or
    /// writes it so late that a hook would not see what was just said.
    pub transcript: Option<TranscriptReader>,
    /// The newest version in which Pintle was tried; empty if it was never run here.
    pub tried_version: &'static str,
    /// The actions that do not run any hook, for reports.
    pub unhooked_actions: &'static [&'static str],
    /// Returns the event of a payload that this client can have sent, judged by the fields that only this client sends
    /// and those that it always or never sends. It is used for payloads of an unknown sender.
    pub recognise: fn(payload: &Value) -> Option<&str>,
    /// Detects payloads from another client that runs this client's entries.
    pub sender: Option<fn(payload: &Value) -> Option<&'static Self>>,
}

/// Events that the catalogue does not have.
#[derive(Debug, Clone, Copy)]
pub struct UnmappedClientEvents {
    /// The names of the events.
    pub names: &'static [&'static str],
    /// Why the catalogue does not have them, for diagnostics.
    pub reason: &'static str,
}

impl UnmappedClientEvents {
    /// Events with these names, and why the catalogue does not have them.
    pub(crate) const fn new(names: &'static [&'static str], reason: &'static str) -> Self {
        Self { names, reason }
    }
}

/// The value of an environment variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnvVariable {
    /// The project directory.
    Project,
    /// The session ID.
    Session,
    /// The working directory.
    Directory,
    /// The directory of the plugin that declares the hook; absent for other hooks.
    Plugin,
    /// A fixed value.
    Fixed(&'static str),
    /// A fixed value if another agent reported the event. The client itself sets the variable for its own.
    FixedElsewhere(&'static str),
}

/// The names of all clients in a sentence: `claude, codex or gemini`.
#[must_use]
pub fn list_names() -> String {
    let names: Vec<&str> = CLIENTS.iter().map(|client| client.name).collect();
    match names.split_last() {
        Some((last, first)) if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => names.concat(),
    }
}

/// An unknown client name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown host `{name}`, expected one of {known}{suggestion}")]
pub struct UnknownHost {
    name: String,
    known: String,
    suggestion: String,
}

impl ClientDef {
    /// What most clients have in common, to be completed.
    pub const COMMON: Self = Self {
        name: "",
        title: "",
        events: &[],
        tools: &CLAUDE,
        dialect: None,
        description: "",
        files: &[],
        unmapped_events: &[],
        settings: SettingsFormat::COMMON,
        output_fields: &[],
        strict: false,
        statuses: true,
        extract_answer: |text| Cow::Borrowed(text),
        environment: &[],
        deadline_ms: 25_000,
        install: InstallSpec::COMMON,
        marks: AgentMarks::NONE,
        guarded: GuardedPaths::NONE,
        event_name: hook_event_name,
        project_variable: None,
        transcript: None,
        tried_version: "",
        unhooked_actions: &[],
        recognise: no_event_name,
        sender: None,
    };

    /// Finds a client by its name on the command line.
    ///
    /// # Errors
    /// For an unknown name; the error lists the known ones.
    pub fn by_name(name: &str) -> Result<&'static Self, UnknownHost> {
        let found = CLIENTS.iter().find(|client| client.name == name).copied();
        found.ok_or_else(|| {
            let names = || CLIENTS.iter().map(|client| client.name);
            let meant = suggest_nearest(name, names()).map(|near| format!("; did you mean `{near}`?"));
            let known = names().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            UnknownHost { name: name.to_owned(), known, suggestion: meant.unwrap_or_default() }
        })
    }

    /// The events at which its hooks run here.
    pub fn hook_events(&self) -> impl Iterator<Item = &'static ClientEventDef> + Clone + use<> {
        self.events.iter().filter(|def| def.canonical.is_some())
    }

    /// The definition of an event at which its hooks run here.
    #[must_use]
    pub fn event_def(&self, name: &str) -> Option<&'static ClientEventDef> {
        self.hook_events().find(|def| def.name == name)
    }

    /// The events that it reports as a host.
    pub fn host_events(&self) -> impl Iterator<Item = &'static ClientEventDef> + Clone + use<> {
        self.events.iter().filter(|def| def.fired_events().next().is_some())
    }

    /// The definition of an event that it reports as a host.
    #[must_use]
    pub fn find_event(&self, name: &str) -> Option<&'static ClientEventDef> {
        self.host_events().find(|def| def.name == name)
    }

    /// The event that it reports before a tool call.
    #[must_use]
    pub fn call_event(&self) -> Option<&'static ClientEventDef> {
        self.host_events().find(|def| def.fires.contains(&EventKind::ToolPre))
    }

    /// The response if `pintle hook` could not answer itself: a denial of a guarded event.
    ///
    /// Installed command lines contain it, for a program that was killed, ran out of memory or does not exist any more.
    #[must_use]
    pub fn fallback_response(&self, def: &'static ClientEventDef, reason: &str) -> HostResponse {
        if !def.is_guard {
            return HostResponse::empty();
        }
        (def.write_response)(&ResponseContext { event_def: def, payload: &Value::Null }, &HostDecision::deny(reason))
    }
}

/// The event name in a payload of Claude Code's format.
#[must_use]
pub fn hook_event_name(payload: &Value) -> Option<&str> {
    payload.get("hook_event_name").and_then(Value::as_str)
}

/// No event name, because the payloads do not have it, have another one, or are not the client's.
#[must_use]
pub fn no_event_name(_payload: &Value) -> Option<&str> {
    None
}
