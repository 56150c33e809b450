//! `budget.threshold`.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::def::{ContextScope, EventClass, EventDef, RewriteTarget, no_aliases};

/// The event definition of `budget.threshold`.
pub static ROW: EventDef = EventDef {
    name: "budget.threshold",
    fires_when: "A budget reaches a threshold. It fires once for each threshold of a budget.",
    class: EventClass::Observe,
    subject: Some("budget"),
    target: RewriteTarget::Nothing,
    deny_means: "Nothing: hooks can observe this event, but not block it.",
    deny_restricts: true,
    context: ContextScope::Turn,
    on_failure: FailurePolicy::Open,
    example: || {
        json!({
            "budget": "tokens",
            "scope": "session",
            "used": 80500.0,
            "limit": 100000.0,
            "percent": 80.5,
            "threshold_percent": 80.0,
            "previous_percent": 50.0,
        })
    },
    normalize: no_aliases,
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
