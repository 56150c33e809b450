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
    fires: "A pipeline wants to finish while work is not settled.",
    class: Class::Guard,
    subject: None,
    target: Target::Nothing,
    deny: "The pipeline does not finish: it waits for the work or fails with the reason.",
    context: ContextScope::None,
    on_failure: FailurePolicy::Closed,
    schema: schema_of::<FinishUnsettled>,
    example: || {
        json!({
            "unsettled": [
                {
                    "category": "suspended_agent",
                    "id": "worker_3",
                    "summary": "waits for an answer",
                    "age_ms": 61000,
                },
            ],
            "summary": "1 suspended agent",
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
