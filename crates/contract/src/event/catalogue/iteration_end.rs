//! `iteration.end`.

use super::prelude::*;

/// The event definition of `iteration.end`.
pub static ROW: EventDef = EventDef {
    fires_when: "A model call and its tool calls are over, whatever the result. It fires once for each \
                 `iteration.start`.",
    subject: Some("reason"),
    ..EventDef::observe("iteration.end")
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
