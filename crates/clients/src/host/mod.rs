//! The client as a host: what it reports, what it supports, and what it is answered.

mod event;
mod fields;
mod response;
mod result_shape;
mod support;

use serde_json::Value;

use crate::client::hook_event_name;

pub use event::{HostEvent, HostEventContext, HostEventData, HostToolCall};
pub use fields::{HostEventKind, HostField, HostFields, HostPayloadError};
pub use response::{HookJsonResponse, HostDecision, HostResponse, ResponseContext};
pub use result_shape::shape_like;
pub use support::{ActionSupport, HookAction, HostSupport};

pub(crate) use fields::{at_path, read_json_text, text};

/// Whether a payload has a field that is not null.
pub(crate) fn has(payload: &Value, name: &str) -> bool {
    payload.get(name).is_some_and(|value| !value.is_null())
}

/// The event of a payload in Claude Code's format that has a session, too.
pub(crate) fn event_of_session(payload: &Value) -> Option<&str> {
    hook_event_name(payload).filter(|_| has(payload, "session_id"))
}

/// Whether the transcript is one of Codex, which has the start time in its name; `None` without a transcript.
pub(crate) fn is_codex_transcript(payload: &Value) -> Option<bool> {
    let path = payload.get("transcript_path").and_then(Value::as_str).filter(|path| !path.is_empty())?;
    Some(path.rsplit(['/', '\\']).next().is_some_and(|name| name.starts_with("rollout-")))
}

/// Whether the permission mode is one of Droid's, whose payloads are Claude Code's otherwise.
pub(crate) fn is_droid_mode(payload: &Value) -> bool {
    let mode = payload.get("permission_mode").and_then(Value::as_str);
    mode.is_some_and(|mode| mode == "off" || mode == "spec" || mode.starts_with("auto-"))
}
