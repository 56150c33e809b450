//! `iteration.start`.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::def::{ContextScope, EventClass, EventDef, RewriteTarget, no_aliases};

/// The event definition of `iteration.start`.
pub static ROW: EventDef = EventDef {
    name: "iteration.start",
    fires_when: "A model call of the turn is being prepared. Context that hooks return applies to this call only.",
    class: EventClass::Observe,
    subject: None,
    target: RewriteTarget::Nothing,
    deny_means: "Nothing: hooks can observe this event, but not block it.",
    deny_restricts: true,
    context: ContextScope::Call,
    on_failure: FailurePolicy::Open,
    example: || json!({"iteration": 1}),
    normalize: no_aliases,
};

/// The payload of `iteration.start`, which docker-agent calls `turn_start`: its turn is one model call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct IterationStart {
    /// The number of the model call within the turn, from 1.
    pub iteration: u32,
}
