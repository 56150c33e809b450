//! `budget.threshold`.

use super::prelude::*;

/// The event definition of `budget.threshold`.
pub static ROW: EventDef = EventDef {
    fires_when: "A budget reaches a threshold. It fires once for each threshold of a budget.",
    subject: Some("budget"),
    context: ContextScope::Turn,
    ..EventDef::observe("budget.threshold")
};

/// The payload of `budget.threshold`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct BudgetThreshold {
    /// The budget: `tokens`, `cost_usd`, `time_ms`, `iterations` or `tool_calls`.
    pub budget: String,
    /// What the budget applies to: `session`, `turn`, `agent`, `persona` or `step`.
    pub scope: String,
    /// The amount used, in the unit that `budget` names.
    pub used: f64,
    /// The amount available, in the unit that `budget` names.
    pub limit: f64,
    /// `used` as a percentage of `limit`.
    pub percent: f64,
    /// The threshold that was reached, in per cent.
    pub threshold_percent: f64,
    /// The last threshold for which the event fired, in per cent; 0 if this is the first. A hook that sets its own
    /// threshold runs if that threshold is above this value and at most `threshold_percent`, so it runs once.
    pub previous_percent: f64,
    /// The running persona; absent outside a persona.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub persona: String,
    /// The persona's current step; absent outside a step.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub step: String,
}
