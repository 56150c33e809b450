//! `finish.post`.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::def::{ContextScope, EventClass, EventDef, RewriteTarget, no_aliases};
use crate::event::fragment::UnsettledWork;

/// The event definition of `finish.post`.
pub static ROW: EventDef = EventDef {
    name: "finish.post",
    fires_when: "A run has finished; its return value is about to go to the host.",
    class: EventClass::Observe,
    subject: None,
    target: RewriteTarget::Nothing,
    deny_means: "Nothing: hooks can observe this event, but not block it.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    example: || json!({"return_value": {"merged": true}, "unsettled": []}),
    normalize: no_aliases,
};

/// The payload of `finish.post`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct FinishPost {
    /// The value that the run returned.
    pub return_value: Value,
    /// The work that was still pending when the run finished.
    pub unsettled: Vec<UnsettledWork>,
}
