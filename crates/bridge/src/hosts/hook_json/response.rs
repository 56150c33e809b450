//! Putting an answer together.

use serde_json::{Map, Value};

use crate::{HostResponse, ResponseContext};

/// An answer in the making: fields at the top, and those of the event's own `hookSpecificOutput`.
#[derive(Debug)]
pub struct HookJsonResponse {
    event: &'static str,
    top_fields: Map<String, Value>,
    event_fields: Map<String, Value>,
}

impl HookJsonResponse {
    /// Begins the answer to an event.
    #[must_use]
    pub fn new(asked: &ResponseContext<'_>) -> Self {
        Self { event: asked.event_def.name, top_fields: Map::new(), event_fields: Map::new() }
    }

    /// Says something at the top, when there is something.
    #[must_use]
    pub fn with_top_field(mut self, name: &str, value: Option<impl Into<Value>>) -> Self {
        if let Some(value) = value {
            self.top_fields.insert(name.to_owned(), value.into());
        }
        self
    }

    /// Says something of the event's own, when there is something.
    #[must_use]
    pub fn with_event_field(mut self, name: &str, value: Option<impl Into<Value>>) -> Self {
        if let Some(value) = value {
            self.event_fields.insert(name.to_owned(), value.into());
        }
        self
    }

    /// The answer, status 0. Nothing said is nothing written.
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

    /// The answer that denies: the reason stands on standard error too, and the status is 2, so that a host that reads
    /// one of them only denies as well (agents' hook contracts, the recipe that denies in five clients).
    #[must_use]
    pub fn into_denial(self, reason: &str) -> HostResponse {
        self.into_response().with_stderr(reason).with_exit_code(2)
    }
}
