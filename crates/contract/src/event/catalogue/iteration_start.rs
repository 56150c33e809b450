//! `iteration.start`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of, no_aliases};

/// The row of `iteration.start`.
pub static ROW: EventDef = EventDef {
    name: "iteration.start",
    fires_when: "A model call of the turn is being prepared; what hooks tell the model is for this call alone.",
    class: EventClass::Observe,
    subject: None,
    target: RewriteTarget::Nothing,
    deny_means: "Nothing follows: the event only tells.",
    deny_restricts: true,
    context: ContextScope::Call,
    on_failure: FailurePolicy::Open,
    schema: schema_of::<IterationStart>,
    example: || json!({"iteration": 1}),
    normalize: no_aliases,
};

/// The payload of `iteration.start` (docker-agent, `turn_start`: there a turn is one model call).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct IterationStart {
    /// Which model call of the turn it is, from 1.
    pub iteration: u32,
}
