//! Encodes events as one JSON object for the scripts.

use pintle_contract::Event;
use serde_json::{Map, Value, json};

use super::event_def::{self, FrameworkField};

/// The transcript of a session without one: an existing, empty file.
const NO_TRANSCRIPT: &str = "/dev/null";

/// The object on a script's standard input.
pub(super) fn build_payload(event: &Event, spelling: &str) -> Value {
    let mut payload = Map::new();
    payload.insert(String::from("session_id"), Value::from(event.origin.session.as_str()));
    payload.insert(String::from("transcript_path"), Value::from(transcript_path(event)));
    payload.insert(String::from("hook_event_name"), Value::from(spelling));
    for field in event_def::for_event(event).fields {
        let value = match field {
            FrameworkField::Prompt => event.payload.field("prompt").cloned().unwrap_or_else(|| json!("")),
            FrameworkField::ToolName => event.payload.field("name").cloned().unwrap_or_else(|| json!("")),
            FrameworkField::ToolInput => event.payload.field("args").cloned().unwrap_or_default(),
        };
        payload.insert(field.name().to_owned(), value);
    }
    Value::Object(payload)
}

/// The transcript file: that of the host agent that sent the event, otherwise the session's own.
fn transcript_path(event: &Event) -> &str {
    let told = event.payload.field("host").and_then(|host| host.get("transcript_path")).and_then(Value::as_str);
    let known = told.into_iter().chain([event.origin.transcript.as_str()]).find(|path| !path.is_empty());
    known.unwrap_or(NO_TRANSCRIPT)
}
