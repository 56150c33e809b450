//! Writes decisions in Cline's format: only JSON. Cline ignores the status, and everything but the JSON.

use serde_json::{Map, Value};

use crate::host::{HostDecision, HostResponse, ResponseContext};

/// An event at which the task can be ended.
pub(super) fn cancel_task(_asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    let mut fields = Map::new();
    let mut say = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    if let Some(reason) = ruling.is_denied().then_some(&ruling.reason).or(ruling.stop.as_ref()) {
        say("cancel", Value::Bool(true));
        say("errorMessage", Value::from(reason.as_str()));
    } else {
        if let Some(input) = &ruling.input {
            say("overrideInput", input.clone());
        }
        if let Some(text) = ruling.context_text() {
            say("contextModification", Value::from(text));
        }
    }
    HostResponse::json(&Value::Object(fields))
}
