//! `finish.post`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::fragment::{UnsettledWork};
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of, no_aliases};

/// The row of `finish.post`.
pub static ROW: EventDef = EventDef {
    name: "finish.post",
    fires_when: "A run has finished; the value goes to the host next.",
    class: EventClass::Observe,
    subject: None,
    target: RewriteTarget::Nothing,
    deny_means: "Nothing follows: the event only tells.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    schema: schema_of::<FinishPost>,
    example: || json!({"return_value": {"merged": true}, "unsettled": []}),
    normalize: no_aliases,
};

/// The payload of `finish.post`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FinishPost {
    /// What it gave back.
    pub return_value: Value,
    /// The work that was left unsettled.
    pub unsettled: Vec<UnsettledWork>,
}
