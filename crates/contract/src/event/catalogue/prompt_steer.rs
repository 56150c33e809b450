//! `prompt.steer`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::row::{Class, ContextScope, Row, Target, schema_of};
use crate::event::spelling::{lists, object};

/// The row of `prompt.steer`.
pub static ROW: Row = Row {
    name: "prompt.steer",
    fires: "Messages that a person sent while the agent was at work are about to enter the conversation.",
    class: Class::Guard,
    subject: None,
    target: Target::Fields(&["messages"]),
    deny: "The messages are dropped; the person sees the reason.",
    deny_restricts: true,
    context: ContextScope::Turn,
    on_failure: FailurePolicy::Closed,
    schema: schema_of::<PromptSteer>,
    example: || json!({"messages": ["leave the tests alone"]}),
    settle,
};

/// The payload of `prompt.steer`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PromptSteer {
    /// What the person wrote, oldest first.
    pub messages: Vec<String>,
}

/// The messages stay a list.
fn settle(_before: &Value, after: &mut Value) -> Result<(), String> {
    lists(object(ROW.name, after)?, &["messages"])
}
