//! `budget.threshold`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of, no_aliases};

/// The row of `budget.threshold`.
pub static ROW: EventDef = EventDef {
    name: "budget.threshold",
    fires_when: "A budget is used up to a mark; once for each mark of a budget.",
    class: EventClass::Observe,
    subject: Some("budget"),
    target: RewriteTarget::Nothing,
    deny_means: "Nothing follows: the event only tells.",
    deny_restricts: true,
    context: ContextScope::Turn,
    on_failure: FailurePolicy::Open,
    schema: schema_of::<BudgetThreshold>,
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
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct BudgetThreshold {
    /// What is counted: `tokens`, `cost_usd`, `time_ms`, `iterations` or `tool_calls`.
    pub budget: String,
    /// Over what: `session`, `turn`, `agent`, `persona` or `step`.
    pub scope: String,
    /// How much is used, in the unit that `budget` names.
    pub used: f64,
    /// How much there is, in the same unit.
    pub limit: f64,
    /// `used` in per cent of `limit`.
    pub percent: f64,
    /// The mark that was reached, in per cent.
    pub threshold_percent: f64,
    /// The mark before it that the event was fired for, in per cent; 0 for the first. A hook that waits for a mark of its
    /// own is meant when that lies above this one and not above `threshold_percent`, which is once.
    pub previous_percent: f64,
    /// The persona at work; absent outside one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub persona: String,
    /// The persona's step that runs; absent outside one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub step: String,
}
