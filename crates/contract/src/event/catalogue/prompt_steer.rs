//! `prompt.steer`.

use super::prelude::*;

/// The event definition of `prompt.steer`.
pub static ROW: EventDef = EventDef {
    fires_when: "Messages that the user sent while the agent was working are about to enter the conversation.",
    target: RewriteTarget::Fields(&["messages"]),
    deny_means: "The messages are dropped; the user sees the reason.",
    context: ContextScope::Turn,
    lists: &["messages"],
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
