//! `prompt.followup`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::row::{Class, ContextScope, Row, Target, schema_of};
use crate::event::spelling::{object, texts};

/// The row of `prompt.followup`.
pub static ROW: Row = Row {
    name: "prompt.followup",
    fires: "A prompt that was queued while the agent was at work is taken up.",
    class: Class::Guard,
    subject: None,
    target: Target::Fields(&["prompt"]),
    deny: "The prompt is dropped and no turn starts; the person sees the reason.",
    deny_restricts: true,
    context: ContextScope::Turn,
    on_failure: FailurePolicy::Closed,
    schema: schema_of::<PromptFollowup>,
    example: || json!({"prompt": "now update the changelog", "waiting": 0}),
    settle,
};

/// The payload of `prompt.followup`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PromptFollowup {
    /// What the person wrote.
    pub prompt: String,
    /// How many more prompts wait in the queue.
    pub waiting: u32,
}

/// The prompt stays a text.
fn settle(_before: &Value, after: &mut Value) -> Result<(), String> {
    texts(object(ROW.name, after)?, &["prompt"])
}
