//! Test calls of `pintle doctor`.
//!
//! Such a payload has a field that no host sends, next to the host's own fields. Neither a tool's input nor the
//! environment can set it: the agent that the hooks govern must not be able to get a call allowed.

use serde_json::{Map, Value};

use crate::HostDecision;

/// The name of the field.
const FIELD: &str = "pintle_canary";
/// The value of the field for a call that must be allowed.
const PASS: &str = "pass";
/// The prefix of the value for a call that must be denied; the reason follows.
const DENY: &str = "deny:";

/// The decision for a test call, which replaces the hooks' decision; `None` for a real call.
///
/// The caller loads the hooks as usual, so that loading is tested too, but runs none and records nothing.
#[must_use]
pub fn canary_decision(payload: &Value) -> Option<HostDecision> {
    let wanted = payload.get(FIELD)?.as_str()?;
    if wanted == PASS {
        return Some(HostDecision::pass());
    }
    wanted.strip_prefix(DENY).map(HostDecision::deny)
}

/// A test call of `pintle doctor`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Canary {
    /// A call that must be allowed.
    Pass,
    /// A call that must be denied.
    Deny,
}

impl Canary {
    /// The reason for the denial.
    const REASON: &'static str = "pintle self-test: this call must be denied";

    /// The expected decision.
    pub(crate) fn decision(self) -> HostDecision {
        match self {
            Self::Pass => HostDecision::pass(),
            Self::Deny => HostDecision::deny(Self::REASON),
        }
    }

    /// The payload with the field added.
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
