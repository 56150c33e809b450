//! Encodes events as one JSON object for the scripts.

use pintle_contract::{Event, KeySource, LazyPayload, LazyValue, PayloadKey};
use serde_json::Value;

use super::event_def;

/// The transcript of a session without one: an existing, empty file.
const NO_TRANSCRIPT: &str = "/dev/null";

/// The first keys of every payload; the name of the event, as the hook's author wrote it, follows them.
static EVERYWHERE: &[PayloadKey] = &[
    PayloadKey { name: "session_id", get: KeySource::Computed(|event| LazyValue::Text(&event.origin.session)) },
    PayloadKey { name: "transcript_path", get: KeySource::Computed(|event| LazyValue::Text(transcript_path(event))) },
];

/// The object on a script's standard input.
pub(super) fn build_payload(event: &Event, event_alias: &str) -> Value {
    let object = |keys| LazyPayload::new(event, [keys, &[]]).to_object();
    let named = (String::from("hook_event_name"), Value::from(event_alias));
    let own = object(event_def::for_event(event).keys);
    Value::Object(object(EVERYWHERE).into_iter().chain([named]).chain(own).collect())
}

/// The transcript file: that of the host agent that sent the event, otherwise the session's own.
fn transcript_path(event: &Event) -> &str {
    let told = event.payload.field("host").and_then(|host| host.get("transcript_path")).and_then(Value::as_str);
    let known = told.into_iter().chain([event.origin.transcript.as_str()]).find(|path| !path.is_empty());
    known.unwrap_or(NO_TRANSCRIPT)
}
