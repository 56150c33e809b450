//! `prompt.submit`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::fragment::HostPayload;
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of};
use crate::event::aliases::{require_object, require_texts};

/// The row of `prompt.submit`.
pub static ROW: EventDef = EventDef {
    name: "prompt.submit",
    fires_when: "A person sent a prompt, which is about to enter the conversation.",
    class: EventClass::Guard,
    subject: None,
    target: RewriteTarget::Fields(&["prompt"]),
    deny_means: "The prompt does not enter the conversation and no turn starts; the person sees the reason.",
    deny_restricts: true,
    context: ContextScope::Turn,
    on_failure: FailurePolicy::Closed,
    schema: schema_of::<PromptSubmit>,
    example: || json!({"prompt": "fix the failing test"}),
    normalize,
};

/// The payload of `prompt.submit`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PromptSubmit {
    /// What the person wrote.
    pub prompt: String,
    /// Where it came from when not from the person, such as `command` or `schedule`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// What the agent that told of it said in its own words, when it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}

/// The prompt stays a text.
fn normalize(_before: &Value, after: &mut Value) -> Result<(), String> {
    require_texts(require_object(ROW.name, after)?, &["prompt"])
}
