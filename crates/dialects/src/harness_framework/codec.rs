//! The codec of Harness Framework hooks.

use std::sync::Arc;

use pintle_contract::{
    Codec, Event, HandlerOutput, KeySource, LazyPayload, LazyValue, MatchResult, Matcher, PayloadKey, SubjectFilter,
    Verdict,
};
use pintle_tools::CLAUDE;
use serde_json::{Map, Value};

use super::{DIALECT, decode, event_def};

/// The codec of a hook without a name.
#[must_use]
pub fn codec() -> Arc<dyn Codec> {
    Arc::new(FrameworkCodec { hook: Arc::from("") })
}

/// The codec of one hook, with its name for the explanation of a block without one.
#[derive(Debug, Clone)]
pub(super) struct FrameworkCodec {
    pub(super) hook: Arc<str>,
}

impl Codec for FrameworkCodec {
    fn dialect(&self) -> &'static str {
        DIALECT.name
    }

    fn tool_vocabulary(&self, _event_alias: &str) -> Option<&'static str> {
        Some(CLAUDE.name)
    }

    fn event_filter(&self, event_alias: &str) -> Option<fn(&Event) -> bool> {
        let is_outermost = event_def::by_name(event_alias).is_some_and(|def| def.is_outermost_only);
        // `Stop` comes with a response, which a failed turn does not have.
        is_outermost.then_some(|event| event.origin.depth == 0 && event.payload.field("error").is_none())
    }

    fn encode(&self, event: &Event, event_alias: &str) -> Option<Value> {
        Some(build_payload(event, event_alias))
    }

    fn decode(&self, event: &Event, event_alias: &str, answer: HandlerOutput) -> Verdict {
        decode::decode(
            &decode::FrameworkDecodeContext { hook: &self.hook, event, event_alias, def: event_def::for_event(event) },
            answer,
        )
    }
}

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

/// The conditions of one entry.
#[derive(Debug)]
pub(super) struct FrameworkMatcher {
    /// The event's name in the settings.
    pub(super) event_alias: &'static str,
    /// The required values of payload fields.
    pub(super) expected_fields: Map<String, Value>,
}

impl FrameworkMatcher {
    /// The tool that the conditions name, if it is a single one.
    fn tool_name(&self) -> Option<&str> {
        self.expected_fields.get("tool_name").and_then(Value::as_str)
    }
}

impl Matcher for FrameworkMatcher {
    fn matches(&self, event: &Event) -> MatchResult {
        let payload = build_payload(event, self.event_alias);
        let holds = self
            .expected_fields
            .iter()
            .all(|(field, wanted)| payload.get(field).is_some_and(|have| matches_value(wanted, have)));
        if holds { MatchResult::Yes } else { MatchResult::No }
    }

    fn subjects(&self) -> SubjectFilter {
        match self.tool_name().filter(|_| self.event_alias == "PreToolUse") {
            Some(tool) => SubjectFilter::possible(vec![tool.to_owned()]),
            None => SubjectFilter::Any,
        }
    }

    fn describe(&self) -> String {
        Value::Object(self.expected_fields.clone()).to_string()
    }
}

/// Whether a condition holds: values must be equal, a mapping must hold for each of its fields, and a list for one of
/// its items.
fn matches_value(wanted: &Value, have: &Value) -> bool {
    match wanted {
        Value::Object(fields) => {
            fields.iter().all(|(field, wanted)| have.get(field).is_some_and(|have| matches_value(wanted, have)))
        }
        Value::Array(choices) => wanted == have || choices.iter().any(|choice| matches_value(choice, have)),
        _ => wanted == have,
    }
}
