//! `finish.pre`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::piece::{Unsettled};
use crate::event::row::{Class, ContextScope, Row, Target, schema_of};
use crate::event::spelling::{object};

/// The row of `finish.pre`.
pub static ROW: Row = Row {
    name: "finish.pre",
    fires: "A pipeline is about to finish.",
    class: Class::Guard,
    subject: None,
    target: Target::Fields(&["return_value"]),
    deny: "The pipeline does not finish and fails with the reason.",
    context: ContextScope::None,
    on_failure: FailurePolicy::Closed,
    schema: schema_of::<FinishPre>,
    example: || json!({"return_value": {"merged": true}, "unsettled": []}),
    settle,
};

/// The payload of `finish.pre`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FinishPre {
    /// What it gives back.
    pub return_value: Value,
    /// The work that is not settled yet.
    pub unsettled: Vec<Unsettled>,
}

/// A pipeline always gives something back, be it `null`.
fn settle(_before: &Value, after: &mut Value) -> Result<(), String> {
    object(ROW.name, after)?.entry("return_value").or_insert(Value::Null);
    Ok(())
}
