//! `prompt.submit`.

use super::prelude::*;

/// The event definition of `prompt.submit`.
pub static ROW: EventDef = EventDef {
    fires_when: "The user sent a prompt, which is about to enter the conversation.",
    target: RewriteTarget::Fields(&["prompt"]),
    deny_means: "The prompt does not enter the conversation and no turn starts; the user sees the reason.",
    context: ContextScope::Turn,
    texts: &["prompt"],
    ..EventDef::guard("prompt.submit")
};

/// The payload of `prompt.submit`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct PromptSubmit {
    /// The text that the user wrote.
    pub prompt: String,
    /// The source of the prompt if it is not the user, such as `command` or `schedule`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The host agent's own data for this event; absent in Pintle's own agent loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}
