//! `iteration.end`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of, no_aliases};

/// The row of `iteration.end`.
pub static ROW: EventDef = EventDef {
    name: "iteration.end",
    fires_when: "A model call and the tool calls that it asked for are over, however that came. It follows every `iteration.start`, once.",
    class: EventClass::Observe,
    subject: Some("reason"),
    target: RewriteTarget::Nothing,
    deny_means: "Nothing follows: the event only tells.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    schema: schema_of::<IterationEnd>,
    example: || json!({"iteration": 1, "reason": "continue"}),
    normalize: no_aliases,
};

/// The payload of `iteration.end` (docker-agent, `turn_end`).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct IterationEnd {
    /// Which model call of the turn it was, from 1.
    pub iteration: u32,
    /// Why it is over: `normal`, `continue`, `steered`, `error`, `canceled`, `hook_blocked`, `loop_detected`,
    /// `force_handoff` or `budget_exceeded`.
    pub reason: String,
}
