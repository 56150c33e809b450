//! `step.pre`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::row::{Class, ContextScope, Row, Target, schema_of};
use crate::event::spelling::{lists, object};

/// The row of `step.pre`.
pub static ROW: Row = Row {
    name: "step.pre",
    fires: "A step of a persona is about to run.",
    class: Class::Guard,
    subject: Some("step"),
    target: Target::Fields(&["args"]),
    deny: "The step does not run and fails with the reason.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Closed,
    schema: schema_of::<StepPre>,
    example: || {
        json!({
            "persona": "merge_captain",
            "step": "verify",
            "function": "verify_change",
            "args": [17],
        })
    },
    settle,
};

/// The payload of `step.pre`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct StepPre {
    /// The persona; empty for a step of its own.
    pub persona: String,
    /// The step's name.
    pub step: String,
    /// The function that is the step.
    pub function: String,
    /// Its arguments, in order.
    pub args: Vec<Value>,
}

/// The arguments stay a list.
fn settle(_before: &Value, after: &mut Value) -> Result<(), String> {
    lists(object(ROW.name, after)?, &["args"])
}
