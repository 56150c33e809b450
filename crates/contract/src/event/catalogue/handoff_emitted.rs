//! `handoff.emitted`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::row::{Class, ContextScope, Row, Target, schema_of, settled};

/// The row of `handoff.emitted`.
pub static ROW: Row = Row {
    name: "handoff.emitted",
    fires: "An agent passes its work on for good.",
    class: Class::Observe,
    subject: Some("to"),
    target: Target::Nothing,
    deny: "Nothing follows: the event only tells.",
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    schema: schema_of::<HandoffEmitted>,
    example: || {
        json!({
            "id": "handoff_1",
            "from": "triage",
            "to": "billing",
            "summary": "refund of order 17",
            "payload": {"order": 17},
        })
    },
    settle: settled,
};

/// The payload of `handoff.emitted`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct HandoffEmitted {
    /// The id of the handoff.
    pub id: String,
    /// The agent that had the work.
    pub from: String,
    /// The agent or pipeline that gets it.
    pub to: String,
    /// What is handed over, for a person.
    pub summary: String,
    /// What is handed over, as data.
    pub payload: Value,
}
