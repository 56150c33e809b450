//! Encodes events as one JSON object for the scripts.

use std::borrow::Cow;

use pintle_contract::Event;
use serde_json::{Map, Value, json};

use super::event_def::{self, FrameworkField};
use pintle_tools::CLAUDE;

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
            FrameworkField::ToolName => Value::from(native_call(event).0),
            FrameworkField::ToolInput => native_call(event).1.into_owned(),
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

/// A tool call in Claude Code's vocabulary. A call that Claude Code itself sent is unchanged, unless its arguments were
/// rewritten since.
pub(super) fn native_call(event: &Event) -> (String, Cow<'_, Value>) {
    let name = event.payload.field("name").and_then(Value::as_str).unwrap_or_default();
    let args = event.payload.field("args").unwrap_or(&Value::Null);
    if let Some((tool, input)) = reported_call(event) {
        let same = |part: pintle_tools::CanonicalCall| part.name == name && part.args == *args;
        if CLAUDE.to_canonical(tool, input).into_iter().any(same) {
            return (tool.to_owned(), Cow::Borrowed(input));
        }
    }
    let native = CLAUDE.to_native(name, args);
    (native.name, Cow::Owned(native.input))
}

/// The tool and its input as a host agent with Claude Code's vocabulary sent them.
fn reported_call(event: &Event) -> Option<(&str, &Value)> {
    let host = event.payload.field("host")?;
    let is_claude = host.get("client").and_then(Value::as_str) == Some(CLAUDE.name);
    is_claude.then(|| Some((host.get("tool")?.as_str()?, host.get("input")?)))?
}
