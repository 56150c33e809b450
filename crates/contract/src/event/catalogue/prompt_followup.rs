//! `prompt.followup`.

use super::prelude::*;

/// The event definition of `prompt.followup`.
pub static ROW: EventDef = EventDef {
    fires_when: "A prompt that was queued while the agent was working is about to start a turn.",
    target: RewriteTarget::Fields(&["prompt"]),
    deny_means: "The prompt is dropped and no turn starts; the user sees the reason.",
    context: ContextScope::Turn,
    texts: &["prompt"],
    ..EventDef::guard("prompt.followup")
};

/// The payload of `prompt.followup`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct PromptFollowup {
    /// The text that the user wrote.
    pub prompt: String,
    /// How many more prompts are queued.
    pub waiting: u32,
}
