//! The hosts.

use pintle::dialects::tools::ToolVocabulary;
use pintle::suggest_nearest;
use serde_json::Value;

use crate::hosts;
use crate::install::InstallSpec;
use crate::{HostDecision, HostEventContext, HostEventDef, HostPayloadError, HostResponse, ResponseContext};

/// An agent that asks Pintle.
#[derive(Debug)]
pub struct HostDef {
    /// The word for it on the command line.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Its events.
    pub events: &'static [HostEventDef],
    /// How it calls its tools.
    pub tools: &'static ToolVocabulary,
    /// The dialect whose hooks it runs itself, which are therefore left out.
    pub own_dialect: Option<&'static str>,
    /// How long `pintle hook` takes at most when nobody says otherwise, in milliseconds. Below the time-out that is
    /// installed with the command line.
    pub deadline_ms: u64,
    /// How Pintle gets into it.
    pub install: &'static InstallSpec,
    /// Which event a payload is of, in the host's words, when the payload says.
    pub event_name: fn(payload: &Value) -> Option<&str>,
    /// The environment variable in which it names the project's folder.
    pub project_variable: Option<&'static str>,
    /// What it does without asking any hook, for reports.
    pub unhooked_actions: &'static [&'static str],
    /// Another host that runs this one's entries, where a payload is of its making.
    pub sender: Option<fn(payload: &Value) -> Option<&'static Self>>,
    /// Whose life a payload is about.
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
];

/// A word that is no host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown host `{name}`, expected one of {known}{suggestion}")]
pub struct UnknownHost {
    name: String,
    known: String,
    suggestion: String,
}

impl HostDef {
    /// The host of a name.
    ///
    /// # Errors
    /// With the names there are.
    pub fn by_name(name: &str) -> Result<&'static Self, UnknownHost> {
        let found = HOSTS.iter().find(|host| host.name == name).copied();
        found.ok_or_else(|| {
            let names = || HOSTS.iter().map(|host| host.name);
            let meant = suggest_nearest(name, names()).map(|near| format!("; did you mean `{near}`?"));
            let known = names().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            UnknownHost { name: name.to_owned(), known, suggestion: meant.unwrap_or_default() }
        })
    }

    /// The row of an event, by the host's name of it.
    #[must_use]
    pub fn find_event(&'static self, event: &str) -> Option<&'static HostEventDef> {
        self.events.iter().find(|row| row.name == event)
    }

    /// What a host is told when `pintle hook` could not answer itself: a written deny of a guarded event.
    ///
    /// Installed command lines carry it, for a program that was killed, ran out of memory or is not there any more.
    #[must_use]
    pub fn fallback_response(&self, row: &'static HostEventDef, reason: &str) -> HostResponse {
        if !row.is_guard {
            return HostResponse::empty();
        }
        (row.write_response)(&ResponseContext { event_def: row, payload: &Value::Null }, &HostDecision::deny(reason))
    }
}
