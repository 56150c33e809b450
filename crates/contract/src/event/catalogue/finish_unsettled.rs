//! `finish.unsettled`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::piece::{Unsettled};
use crate::event::row::{Class, ContextScope, Row, Target, schema_of, settled};

/// The row of `finish.unsettled`.
pub static ROW: Row = Row {
    name: "finish.unsettled",
    fires: "A run is about to finish while work is not settled, after `finish.pre`.",
    class: Class::Observe,
    subject: None,
    target: Target::Nothing,
    deny: "Nothing follows: the event only tells.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    schema: schema_of::<FinishUnsettled>,
    example: || {
        json!({
            "unsettled": [
                {
                    "category": "background_task",
                    "id": "task_3",
                    "summary": "runs",
                    "age_ms": 61000,
                },
            ],
            "summary": "1 background task",
        })
    },
    settle: settled,
};

/// The payload of `finish.unsettled`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FinishUnsettled {
    /// The work that is not settled yet.
    pub unsettled: Vec<Unsettled>,
    /// The same as one line for a person.
    pub summary: String,
}
