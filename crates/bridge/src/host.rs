//! Defines the host agents.

use pintle::suggest_nearest;
use pintle::tools::ToolVocabulary;
use serde_json::Value;

use crate::hosts;
use crate::install::InstallSpec;
use crate::{HostDecision, HostEventContext, HostEventDef, HostPayloadError, HostResponse, ResponseContext};

/// A host agent that runs Pintle's hooks.
#[derive(Debug)]
pub struct HostDef {
    /// The name on the command line.
    pub name: &'static str,
    /// The display name.
    pub title: &'static str,
    /// The event definitions.
    pub events: &'static [HostEventDef],
    /// The tool vocabulary.
    pub tools: &'static ToolVocabulary,
    /// The dialect whose hooks the host runs itself, so that Pintle leaves them out.
    pub own_dialect: Option<&'static str>,
    /// The default deadline of `pintle hook`, in milliseconds. It is below the timeout that is installed with the
    /// command line.
    pub deadline_ms: u64,
    /// The way to install Pintle in the host.
    pub install: &'static InstallSpec,
    /// Reads the host's event name from a payload, if the payload has it.
    pub event_name: fn(payload: &Value) -> Option<&str>,
    /// The environment variable with the project's directory.
    pub project_variable: Option<&'static str>,
    /// The actions that do not run any hook, for reports.
    pub unhooked_actions: &'static [&'static str],
    /// Returns the event of a payload that this host can have sent, judged by the fields that only this host sends and
    /// those that it always or never sends. It is used for payloads of an unknown sender.
    pub recognise: fn(payload: &Value) -> Option<&str>,
    /// Detects payloads from another host that runs this host's entries.
    pub sender: Option<fn(payload: &Value) -> Option<&'static Self>>,
    /// Reads the session, turn and agent of a payload.
    pub read_context: fn(payload: &Value) -> Result<HostEventContext, HostPayloadError>,
}

/// All hosts, in the order of help texts.
pub static HOSTS: &[&HostDef] = &[
    &hosts::claude::HOST,
    &hosts::codex::HOST,
    &hosts::gemini::HOST,
    &hosts::qwen::HOST,
    &hosts::copilot::HOST,
    &hosts::cline::HOST,
    &hosts::cursor::HOST,
    &hosts::opencode::HOST,
];

/// The names of all hosts in a sentence: `claude, codex or gemini`.
#[must_use]
pub fn list_host_names() -> String {
    let names: Vec<&str> = HOSTS.iter().map(|host| host.name).collect();
    match names.split_last() {
        Some((last, first)) if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => names.concat(),
    }
}

/// An unknown host name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown host `{name}`, expected one of {known}{suggestion}")]
pub struct UnknownHost {
    name: String,
    known: String,
    suggestion: String,
}

impl HostDef {
    /// Finds a host by its name.
    ///
    /// # Errors
    /// For an unknown name; the error lists the known ones.
    pub fn by_name(name: &str) -> Result<&'static Self, UnknownHost> {
        let found = HOSTS.iter().find(|host| host.name == name).copied();
        found.ok_or_else(|| {
            let names = || HOSTS.iter().map(|host| host.name);
            let meant = suggest_nearest(name, names()).map(|near| format!("; did you mean `{near}`?"));
            let known = names().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            UnknownHost { name: name.to_owned(), known, suggestion: meant.unwrap_or_default() }
        })
    }

    /// Finds an event by the host's name of it.
    #[must_use]
    pub fn find_event(&'static self, event: &str) -> Option<&'static HostEventDef> {
        self.events.iter().find(|def| def.name == event)
    }

    /// The response if `pintle hook` could not answer itself: a denial of a guarded event.
    ///
    /// Installed command lines contain it, for a program that was killed, ran out of memory or does not exist any more.
    #[must_use]
    pub fn fallback_response(&self, def: &'static HostEventDef, reason: &str) -> HostResponse {
        if !def.is_guard {
            return HostResponse::empty();
        }
        (def.write_response)(&ResponseContext { event_def: def, payload: &Value::Null }, &HostDecision::deny(reason))
    }
}
