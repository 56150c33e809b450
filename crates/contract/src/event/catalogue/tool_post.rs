//! `tool.post`.

use super::prelude::*;

/// The event definition of `tool.post`.
pub static ROW: EventDef = EventDef {
    fires_when: "A tool call is over, whether it ran, failed, was denied or was not found.",
    subject: Some("name"),
    target: RewriteTarget::Fields(&["content", "result", "is_error"]),
    deny_means: "The model receives the reason instead of the result, as an error.",
    context: ContextScope::Turn,
    normalize: sync_tool_result,
    ..EventDef::rewrite("tool.post")
};

/// The payload of `tool.post`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ToolPost {
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
    /// How long the tool ran, in milliseconds; absent if it did not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// Whether the tool ran; absent if it did. A call that was denied, skipped, cancelled or not found did not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executed: Option<bool>,
    /// What else is known about the call.
    #[serde(flatten)]
    pub facts: CallFacts,
}

impl ToolPost {
    /// The payload for a finished call, with its result under both names.
    #[must_use]
    pub fn new(result: ToolResult) -> Self {
        let ToolResult { call_id, name, content, is_error, result } = result;
        let error = is_error.then(|| content.clone());
        Self { call_id, name, content, is_error, result, error, ..Self::default() }
    }
}
