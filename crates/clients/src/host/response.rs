//! Builds a response.

use serde_json::{Map, Value};

use super::{HostDecision, HostResponse};
use crate::event_def::ClientEventDef;

/// The inputs of a response writer other than the decision.
#[derive(Debug, Clone, Copy)]
pub struct ResponseContext<'a> {
    /// The event definition.
    pub event_def: &'static ClientEventDef,
    /// The payload as the host sent it; null if it could not be read.
    pub payload: &'a Value,
}

/// A response builder: fields at the top level, and those of the event's `hookSpecificOutput`.
#[derive(Debug)]
pub struct HookJsonResponse {
    event: &'static str,
    top_fields: Map<String, Value>,
    event_fields: Map<String, Value>,
}

impl HookJsonResponse {
    /// Starts the response to an event.
    #[must_use]
    pub fn new(context: &ResponseContext<'_>) -> Self {
        Self { event: context.event_def.name, top_fields: Map::new(), event_fields: Map::new() }
    }

    /// Adds a top-level field, if there is a value.
    #[must_use]
    pub fn with_top_field(mut self, name: &str, value: Option<impl Into<Value>>) -> Self {
        if let Some(value) = value {
            self.top_fields.insert(name.to_owned(), value.into());
        }
        self
    }

    /// Adds a field of the event, if there is a value.
    #[must_use]
    pub fn with_event_field(mut self, name: &str, value: Option<impl Into<Value>>) -> Self {
        if let Some(value) = value {
            self.event_fields.insert(name.to_owned(), value.into());
        }
        self
    }

    /// Ends the run with its reason, if it must end.
    #[must_use]
    pub fn with_run_end(self, decision: &HostDecision) -> Self {
        let ended = decision.stop.as_deref();
        self.with_top_field("continue", ended.map(|_| false)).with_top_field("stopReason", ended)
    }

    /// Adds the notices for the user, if there are any.
    #[must_use]
    pub fn with_notice(self, decision: &HostDecision) -> Self {
        self.with_top_field("systemMessage", decision.notice_text())
    }

    /// Adds the context for the model, if there is any.
    #[must_use]
    pub fn with_context(self, decision: &HostDecision) -> Self {
        self.with_event_field("additionalContext", decision.context_text())
    }

    /// The response, status 0. Without fields it is empty.
    #[must_use]
    pub fn into_response(mut self) -> HostResponse {
        if !self.event_fields.is_empty() {
            let mut specific = Map::new();
            specific.insert(String::from("hookEventName"), Value::from(self.event));
            specific.append(&mut self.event_fields);
            self.top_fields.insert(String::from("hookSpecificOutput"), Value::Object(specific));
        }
        HostResponse::json(&Value::Object(self.top_fields))
    }

    /// The denying response of an event whose field `decision` can be `block`.
    #[must_use]
    pub fn into_block(self, reason: &str) -> HostResponse {
        self.with_top_field("decision", Some("block")).with_top_field("reason", Some(reason)).into_denial(reason)
    }

    /// The response to the denied start of a session, which starts anyway: the reason is a notice for the user.
    #[must_use]
    pub fn into_denied_start(self, decision: &HostDecision) -> HostResponse {
        let notices = decision.notice_text().map(|text| format!("\n{text}")).unwrap_or_default();
        self.with_top_field("systemMessage", Some(format!("{}{notices}", decision.reason))).into_response()
    }

    /// The denying response: the reason is also on standard error, and the status is 2, so that a host that reads only
    /// one of them denies as well.
    #[must_use]
    pub fn into_denial(self, reason: &str) -> HostResponse {
        self.into_response().with_stderr(reason).with_exit_code(2)
    }
}
