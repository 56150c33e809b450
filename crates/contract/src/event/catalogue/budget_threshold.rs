//! `budget.threshold`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::row::{Class, ContextScope, Row, Target, schema_of, settled};

/// The row of `budget.threshold`.
pub static ROW: Row = Row {
    name: "budget.threshold",
    fires: "A budget is used up to a mark that somebody set.",
    class: Class::Observe,
    subject: Some("budget"),
    target: Target::Nothing,
    deny: "Nothing follows: the event only tells.",
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
        })
    },
    settle: settled,
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
}
