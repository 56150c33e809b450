//! Events: their names, their data, and the catalogue that defines them.

mod aliases;
mod catalogue;
mod complete;
mod def;
mod fit;
mod fragment;
mod name;
mod payload_error;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use aliases::json_to_text;
pub use catalogue::*;
pub use complete::read_aliases;
pub use def::{ContextScope, EventClass, EventDef, RewriteTarget};
pub use fit::{check_payload, check_rewrite};
pub use fragment::{
    CallFacts, CallPath, ChatFunction, ChatFunctionCall, ChatMessage, ChatTool, ChatToolCall, CodeFile,
    CompletionChoice, HostPayload, LogLine, TokenUsage, ToolCall, ToolResult, UnsettledState, UnsettledWork,
};
pub use name::{EventName, UnknownEvent};
pub use payload_error::EventPayloadError;

use crate::Payload;

/// One point in an agent's lifecycle, with its data.
#[derive(Debug, Clone)]
pub struct Event {
    /// The canonical name, such as `tool.pre`.
    pub name: EventName,
    /// The data, as the catalogue defines it for the name.
    pub payload: Payload,
    /// The session, turn and agent that fired the event.
    pub origin: Arc<Origin>,
}

impl Event {
    /// Whether a deny only prevents something, by the catalogue and the host. If it makes an agent go on, untrusted
    /// hooks cannot deny.
    #[must_use]
    pub fn deny_restricts(&self) -> bool {
        self.origin.deny_restricts(self.name.def())
    }

    /// Creates an event from a JSON value. The name is an [`EventKind`], or an [`EventName`] for an event of a family.
    #[must_use]
    pub fn new(name: impl Into<EventName>, payload: impl Into<Payload>, origin: Arc<Origin>) -> Self {
        Self { name: name.into(), payload: payload.into(), origin }
    }

    /// Creates an event from a typed payload of the catalogue.
    #[must_use]
    pub fn from_payload<P: EventPayload>(payload: &P, origin: Arc<Origin>) -> Self {
        Self::from_payload_with(payload, [], origin)
    }

    /// Creates an event from a typed payload with these fields in place of its own. They are not copied, so this is for
    /// fields that can be long.
    #[must_use]
    pub fn from_payload_with<P: EventPayload>(
        payload: &P,
        fields: impl IntoIterator<Item = (&'static str, Value)>,
        origin: Arc<Origin>,
    ) -> Self {
        // A catalogue payload is plain data with string keys, which can always be serialised to JSON.
        let mut value = serde_json::to_value(payload).unwrap_or(Value::Null);
        if let Some(known) = value.as_object_mut() {
            known.extend(fields.into_iter().map(|(name, field)| (name.to_owned(), field)));
        }
        Self::new(P::KIND, value, origin)
    }

    /// The event's subject: the payload field that matchers check first, such as the tool name. `None` if the event has
    /// none.
    #[must_use]
    pub fn subject(&self) -> Option<&str> {
        self.name.def().subject.and_then(|field| self.payload.field(field)).and_then(Value::as_str)
    }

    /// Copies the event with another payload.
    #[must_use]
    pub fn with_payload(&self, payload: Payload) -> Self {
        Self { name: self.name.clone(), payload, origin: Arc::clone(&self.origin) }
    }
}

/// The session, turn and agent that an event belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Origin {
    /// The ID of the session.
    pub session: String,
    /// The number of the turn within the session, from 1; 0 outside a turn.
    pub turn: u32,
    /// The name of the agent.
    pub agent: String,
    /// The delegation depth: 0 for the main agent.
    pub depth: u32,
    /// The ID of the child agent's run within the session; empty for the main agent.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub run: String,
    /// The running persona; empty outside a persona.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub persona: String,
    /// The persona's current step; empty outside a step.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub step: String,
    /// Whether the host answers a deny of this event by letting the agent go on, with the reason as its next message,
    /// although the catalogue says that a deny prevents something: the end of a sub-agent's task.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deny_continues: bool,
    /// The absolute path of the working directory. It is not recorded on the tape, so that tapes can be read on other
    /// machines.
    #[serde(skip)]
    pub cwd: String,
    /// The absolute path of the session file, in JSON Lines; empty if the session is not stored. It is not recorded on
    /// the tape.
    #[serde(skip)]
    pub transcript: String,
    /// The payload as the host agent sent it, for hooks that are written for this agent; `None` if the event comes from
    /// Pintle's own agent loop. It is not recorded on the tape.
    #[serde(skip)]
    pub sent: Option<Arc<Vec<u8>>>,
}

impl Origin {
    /// Whether a deny of an event from here only prevents something: [`Event::deny_restricts`].
    #[must_use]
    pub fn deny_restricts(&self, def: &EventDef) -> bool {
        def.deny_restricts && !self.deny_continues
    }
}

/// A typed payload of the catalogue.
pub trait EventPayload: Serialize {
    /// The event that the payload belongs to.
    const KIND: EventKind;
}
