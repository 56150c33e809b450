//! Test calls of `pintle doctor`.
//!
//! Such a payload has a field that no host sends, next to the host's own fields. Neither a tool's input nor the
//! environment can set it: the agent that the hooks govern must not be able to get a call allowed. Only a call that
//! runs no hook can be allowed; a report is always a denial, whose reason is the report.

mod call_watch;
mod hook_list;
mod reply;

use serde_json::{Map, Value};

pub(crate) use call_watch::{CallWatch, CanaryVerdict};
pub(crate) use hook_list::{CanaryDiagnostic, CanaryHook, CanaryHooks};
pub(crate) use reply::{read_report, report_decision};

use crate::HostDecision;

/// The name of the field.
const FIELD: &str = "pintle_canary";
/// The prefix of the value for a call that must be denied; the reason follows.
const DENY: &str = "deny:";
/// The reason for that denial.
const REASON: &str = "pintle self-test: this call must be denied";

/// A test call of `pintle doctor`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Canary {
    /// A call that must be allowed. No hook runs.
    Pass,
    /// A call that must be denied, for this reason. No hook runs.
    Deny(String),
    /// A call that is answered with the hooks that a real call would load.
    ListHooks,
    /// A call that the hooks judge as a real one, answered with their verdict. Nothing is stored.
    TryHooks,
}

impl Canary {
    /// The call that must be denied, for the usual reason.
    pub(crate) fn denied() -> Self {
        Self::Deny(String::from(REASON))
    }

    /// The test call that a payload is; `None` for a real call.
    pub(crate) fn from_payload(payload: &Value) -> Option<Self> {
        match payload.get(FIELD)?.as_str()? {
            "pass" => Some(Self::Pass),
            "hooks" => Some(Self::ListHooks),
            "try" => Some(Self::TryHooks),
            wanted => wanted.strip_prefix(DENY).map(|reason| Self::Deny(reason.to_owned())),
        }
    }

    /// The payload with the field added.
    pub(crate) fn with_marker(&self, mut payload: Map<String, Value>) -> Value {
        let wanted = match self {
            Self::Pass => String::from("pass"),
            Self::Deny(reason) => format!("{DENY}{reason}"),
            Self::ListHooks => String::from("hooks"),
            Self::TryHooks => String::from("try"),
        };
        payload.insert(String::from(FIELD), Value::String(wanted));
        Value::Object(payload)
    }

    /// The decision on a call that runs no hook, and `None` for one that does.
    pub(crate) fn fixed_decision(&self) -> Option<HostDecision> {
        match self {
            Self::Pass => Some(HostDecision::pass()),
            Self::Deny(reason) => Some(HostDecision::deny(reason)),
            Self::ListHooks | Self::TryHooks => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_test_call_is_what_it_says_and_a_real_one_is_none() {
        for canary in [Canary::Pass, Canary::denied(), Canary::ListHooks, Canary::TryHooks] {
            assert_eq!(Canary::from_payload(&canary.with_marker(Map::new())), Some(canary));
        }
        let real = [json!({}), json!(null), json!([1]), json!({"tool_input": {"pintle_canary": "pass"}})];
        for payload in real.into_iter().chain([json!({"pintle_canary": 1}), json!({"pintle_canary": "allow"})]) {
            assert_eq!(Canary::from_payload(&payload), None, "{payload}");
        }
    }
}
