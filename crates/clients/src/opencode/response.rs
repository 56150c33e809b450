//! Writes decisions in the format of Pintle's own plugin: one JSON object and status 0.

use pintle_contract::Decision;
use pintle_contract::event::json_to_text;
use serde_json::{Map, Value};

use crate::host::{HostDecision, HostResponse, ResponseContext};

/// An event that waits for permission: the answer always has a decision.
pub(super) fn decide(_asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    let mut fields = texts(ruling);
    let mut say = |name: &str, value: Option<Value>| value.map(|value| fields.insert(name.to_owned(), value));
    let denied = ruling.decision == Decision::Deny;
    say("decision", Some(Value::from(if denied { "deny" } else { "allow" })));
    say("reason", denied.then(|| Value::from(ruling.reason.as_str())));
    say("args", ruling.input.clone());
    say("output", ruling.output.as_ref().map(|output| Value::from(json_to_text(output))));
    HostResponse::json(&Value::Object(fields))
}

/// Another event.
pub(super) fn tell(_asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    HostResponse::json(&Value::Object(texts(ruling)))
}

/// The texts for the model and for the user. A denied session starts anyway, with its reason as a notice.
fn texts(ruling: &HostDecision) -> Map<String, Value> {
    let texts = [("context", ruling.context_text()), ("notice", ruling.notice_text())];
    texts.into_iter().filter_map(|(name, text)| Some((name.to_owned(), Value::from(text?)))).collect()
}
