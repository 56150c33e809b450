//! `tool.result`.

use super::prelude::*;

/// The event definition of `tool.result`.
pub static ROW: EventDef = EventDef {
    fires_when: "A tool returned its result, or a part of it. Hooks can change the result before it is used.",
    subject: Some("name"),
    target: RewriteTarget::Fields(&["content", "result", "is_error"]),
    deny_means: "The result is withheld and replaced by the reason, as an error.",
    normalize: sync_tool_result,
    ..EventDef::rewrite("tool.result")
};

/// The payload of `tool.result`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ToolResultPayload {
    /// The provider's ID of the call.
    pub call_id: String,
    /// The tool's name.
    pub name: String,
    /// The result as the model receives it: a text unchanged, any other value as JSON text.
    pub content: String,
    /// Whether the tool failed, was denied or was not found.
    pub is_error: bool,
    /// The result: decoded if it is JSON, otherwise the text.
    pub result: Value,
    /// The error: the content of a failed call; absent if the call succeeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The arguments of the call, decoded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args: Option<Value>,
    /// Whether more of the result follows.
    pub partial: bool,
    /// What else is known about the call.
    #[serde(flatten)]
    pub facts: CallFacts,
}
