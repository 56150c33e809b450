//! `finish.post`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::piece::{Unsettled};
use crate::event::row::{Class, ContextScope, Row, Target, schema_of, settled};

/// The row of `finish.post`.
pub static ROW: Row = Row {
    name: "finish.post",
    fires: "A run has finished; the value goes to the host next.",
    class: Class::Observe,
    subject: None,
    target: Target::Nothing,
    deny: "Nothing follows: the event only tells.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    schema: schema_of::<FinishPost>,
    example: || json!({"return_value": {"merged": true}, "unsettled": []}),
    settle: settled,
};

/// The payload of `finish.post`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FinishPost {
    /// What it gave back.
    pub return_value: Value,
    /// The work that was left unsettled.
    pub unsettled: Vec<Unsettled>,
}
