//! `iteration.end`.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::def::{ContextScope, EventClass, EventDef, RewriteTarget, no_aliases};

/// The event definition of `iteration.end`.
pub static ROW: EventDef = EventDef {
    name: "iteration.end",
    fires_when: "A model call and its tool calls are over, whatever the result. It fires once for each \
                 `iteration.start`.",
    class: EventClass::Observe,
    subject: Some("reason"),
    target: RewriteTarget::Nothing,
    deny_means: "Nothing: hooks can observe this event, but not block it.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    example: || json!({"iteration": 1, "reason": "continue"}),
    normalize: no_aliases,
};

/// Why an iteration is over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum IterationEndReason {
    /// The model gave its answer.
    #[default]
    Normal,
    /// The model is called again.
    Continue,
    /// The same, with messages that the user sent meanwhile.
    Steered,
    /// Another agent always gets the conversation.
    ForcedHandoff,
    /// A hook ended the turn.
    Blocked,
    /// The same tool calls were repeated too often.
    Loop,
    /// The budget is exhausted.
    BudgetExceeded,
    /// The turn was cancelled.
    Cancelled,
    /// The turn failed.
    Error,
}

/// The payload of `iteration.end`, which docker-agent calls `turn_end`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct IterationEnd {
    /// The number of the model call within the turn, from 1.
    pub iteration: u32,
    /// Why the iteration is over.
    pub reason: IterationEndReason,
}
