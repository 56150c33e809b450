//! `prompt.steer`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::EventPayloadError;
use crate::event::aliases::{require_lists, require_object};
use crate::event::def::{ContextScope, EventDef, RewriteTarget};

/// The event definition of `prompt.steer`.
pub static ROW: EventDef = EventDef {
    fires_when: "Messages that the user sent while the agent was working are about to enter the conversation.",
    target: RewriteTarget::Fields(&["messages"]),
    deny_means: "The messages are dropped; the user sees the reason.",
    context: ContextScope::Turn,
    example_json: include_str!("../examples/prompt_steer.json"),
    normalize,
    ..EventDef::guard("prompt.steer")
};

/// The payload of `prompt.steer`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct PromptSteer {
    /// The messages that the user wrote, oldest first.
    pub messages: Vec<String>,
}

/// The messages must stay a list.
fn normalize(_before: &Value, after: &mut Value) -> Result<(), EventPayloadError> {
    require_lists(require_object(ROW.name, after)?, &["messages"])
}
