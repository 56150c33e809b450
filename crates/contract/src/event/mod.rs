//! Events: their names, their data, and the one catalogue that describes them.

mod aliases;
mod catalogue;
mod complete;
mod def;
mod fit;
mod fragment;
mod name;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use aliases::json_to_text;
pub use catalogue::*;
pub use def::{ContextScope, EventClass, EventDef, RewriteTarget};
pub use fit::check_rewrite;
pub use fragment::{
    ChatFunction, ChatFunctionCall, ChatMessage, ChatTool, ChatToolCall, CompletionChoice, HostPayload, LogLine,
    TokenUsage, ToolCall, ToolResult, UnsettledWork,
};
pub use name::{EventName, UnknownEvent};

use crate::Payload;

/// A point in an agent's life, and its data.
#[derive(Debug, Clone)]
pub struct Event {
    /// Which point.
    pub name: EventName,
    /// The data.
    pub payload: Payload,
    /// Whose life.
    pub origin: Arc<Origin>,
}

impl Event {
    /// Makes an event from a value.
    #[must_use]
    pub fn new(name: EventName, payload: impl Into<Payload>, origin: Arc<Origin>) -> Self {
        Self { name, payload: payload.into(), origin }
    }

    /// Makes an event from a typed payload of the catalogue.
    #[must_use]
    pub fn from_payload<P: EventPayload>(payload: &P, origin: Arc<Origin>) -> Self {
        // A catalogue payload is plain data with text keys, which always has a JSON form.
        let value = serde_json::to_value(payload).unwrap_or(Value::Null);
        Self::new(EventName::from_def(P::def()), value, origin)
    }

    /// The subject: the field of the payload that matchers look at first, such as the tool's name.
    #[must_use]
    pub fn subject(&self) -> Option<&str> {
        self.name.def().subject.and_then(|field| self.payload.field(field)).and_then(Value::as_str)
    }

    /// The same event with another payload.
    #[must_use]
    pub fn with_payload(&self, payload: Payload) -> Self {
        Self { name: self.name.clone(), payload, origin: Arc::clone(&self.origin) }
    }
}

/// Which session, turn and agent an event belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Origin {
    /// The session.
    pub session: String,
    /// The turn within the session, from 1; 0 outside a turn.
    pub turn: u32,
    /// The agent.
    pub agent: String,
    /// How deep in delegation: 0 for the agent the person talks to.
    pub depth: u32,
    /// The run of a delegated agent within the session; empty for the agent the person talks to.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub run: String,
    /// The persona at work; empty outside one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub persona: String,
    /// The persona's step that runs; empty outside one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub step: String,
    /// The absolute path of the working directory. It stays off the tape, which is to be read on other machines.
    #[serde(skip)]
    pub cwd: String,
    /// The absolute path of the file that keeps the session, JSON a line; empty when it is kept nowhere. It stays off the
    /// tape as well.
    #[serde(skip)]
    pub transcript: String,
}

/// A typed payload of the catalogue.
pub trait EventPayload: Serialize {
    /// The catalogue row it belongs to.
    fn def() -> &'static EventDef;
}
