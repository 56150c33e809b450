//! Calls that `pintle doctor` makes up.
//!
//! Such a payload has a field that no host sends, beside the host's own fields. A tool's input cannot reach it, and
//! neither can the environment: a way to be let through must not be in the hands of whom the hooks are for.

use serde_json::{Map, Value};

use crate::HostDecision;

/// The field.
const FIELD: &str = "pintle_canary";
/// What the field says when nothing is to be against the call.
const PASS: &str = "pass";
/// What stands before the reason when the call is to be denied.
const DENY: &str = "deny:";

/// What a made-up call has to come to, in place of what hooks say; nothing for a real one.
///
/// The caller loads the hooks as ever, so that this too is tried, but asks none and writes nothing down.
#[must_use]
pub fn canary_decision(payload: &Value) -> Option<HostDecision> {
    let wanted = payload.get(FIELD)?.as_str()?;
    if wanted == PASS {
        return Some(HostDecision::pass());
    }
    wanted.strip_prefix(DENY).map(HostDecision::deny)
}

/// What `pintle doctor` tries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Canary {
    /// A call that must be let through.
    Pass,
    /// A call that must be denied.
    Deny,
}

impl Canary {
    /// The reason of the deny.
    const REASON: &'static str = "pintle self-test: this call must be denied";

    /// What the call has to come to.
    pub(crate) fn decision(self) -> HostDecision {
        match self {
            Self::Pass => HostDecision::pass(),
            Self::Deny => HostDecision::deny(Self::REASON),
        }
    }

    /// The payload with the field in it.
    pub(crate) fn with_marker(self, mut payload: Map<String, Value>) -> Value {
        let wanted = match self {
            Self::Pass => String::from(PASS),
            Self::Deny => format!("{DENY}{}", Self::REASON),
        };
        payload.insert(String::from(FIELD), Value::String(wanted));
        Value::Object(payload)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_made_up_call_comes_to_what_it_says_and_a_real_one_to_nothing() {
        for canary in [Canary::Pass, Canary::Deny] {
            assert_eq!(canary_decision(&canary.with_marker(Map::new())), Some(canary.decision()));
        }
        let real = [json!({}), json!(null), json!([1]), json!({"tool_input": {"pintle_canary": "pass"}})];
        for payload in real.into_iter().chain([json!({"pintle_canary": 1}), json!({"pintle_canary": "allow"})]) {
            assert_eq!(canary_decision(&payload), None, "{payload}");
        }
    }
}
