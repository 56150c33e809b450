//! `completion.pre`.

use super::prelude::*;

/// The event definition of `completion.pre`.
pub static ROW: EventDef = EventDef {
    fires_when: "A request is about to be sent to the model.",
    subject: Some("model"),
    target: RewriteTarget::Fields(&[
        "model",
        "messages",
        "tools",
        "tool_choice",
        "max_tokens",
        "temperature",
        "top_p",
        "stop",
    ]),
    deny_means: "The request is not sent and the turn fails: `completion blocked: <reason>`.",
    context: ContextScope::Call,
    texts: &["model"],
    lists: &["messages", "tools"],
    ..EventDef::guard("completion.pre")
};

/// The payload of `completion.pre`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CompletionPre {
    /// The model that the request is sent to.
    pub model: String,
    /// The whole conversation, oldest message first, including system messages.
    pub messages: Vec<ChatMessage>,
    /// The tools that the model may call.
    pub tools: Vec<ChatTool>,
    /// Which tool the model must call, in the provider's format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<Value>,
    /// The maximum number of output tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// The sampling temperature, from 0 to 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The share of probability that sampling is limited to (nucleus sampling), above 0 and at most 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// The texts at which the model stops.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<Vec<String>>,
    /// The number of the model call within the turn, from 1.
    pub iteration: u32,
    /// The provider of the model; absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The host agent's own data for this event; absent in Pintle's own agent loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}
