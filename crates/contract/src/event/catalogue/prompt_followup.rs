//! `prompt.followup`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of};
use crate::event::aliases::{require_object, require_texts};

/// The row of `prompt.followup`.
pub static ROW: EventDef = EventDef {
    name: "prompt.followup",
    fires_when: "A prompt that was queued while the agent was at work is taken up.",
    class: EventClass::Guard,
    subject: None,
    target: RewriteTarget::Fields(&["prompt"]),
    deny_means: "The prompt is dropped and no turn starts; the person sees the reason.",
    deny_restricts: true,
    context: ContextScope::Turn,
    on_failure: FailurePolicy::Closed,
    schema: schema_of::<PromptFollowup>,
    example: || json!({"prompt": "now update the changelog", "waiting": 0}),
    normalize,
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
fn normalize(_before: &Value, after: &mut Value) -> Result<(), String> {
    require_texts(require_object(ROW.name, after)?, &["prompt"])
}
