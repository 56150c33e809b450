//! `prompt.steer`.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::EventPayloadError;
use crate::event::aliases::{require_lists, require_object};
use crate::event::def::{ContextScope, EventClass, EventDef, RewriteTarget};

/// The event definition of `prompt.steer`.
pub static ROW: EventDef = EventDef {
    name: "prompt.steer",
    fires_when: "Messages that the user sent while the agent was working are about to enter the conversation.",
    class: EventClass::Guard,
    subject: None,
    target: RewriteTarget::Fields(&["messages"]),
    deny_means: "The messages are dropped; the user sees the reason.",
    deny_restricts: true,
    context: ContextScope::Turn,
    on_failure: FailurePolicy::Closed,
    example: || json!({"messages": ["leave the tests alone"]}),
    normalize,
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
