//! A message of the conversation with a model.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::function;

/// A message of the conversation, in OpenAI's chat format.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ChatMessage {
    /// The role of the sender: `system`, `user`, `assistant` or `tool`.
    pub role: String,
    /// A text, or a list of content parts; absent if the assistant only calls tools.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub content: Value,
    /// The tool calls that the assistant requests.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ChatToolCall>,
    /// The ID of the tool call that a tool message responds to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The name of the sender or tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Caching instructions for the provider, passed through unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_control: Option<Value>,
}

/// A tool call in a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ChatToolCall {
    /// The provider's ID of the call.
    pub id: String,
    /// Always `function`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The function to call, with its arguments.
    pub function: ChatFunctionCall,
}

/// The function of a [`ChatToolCall`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ChatFunctionCall {
    /// The tool's name.
    pub name: String,
    /// The arguments as JSON text.
    pub arguments: String,
}

impl Default for ChatToolCall {
    fn default() -> Self {
        Self { id: String::new(), kind: function(), function: ChatFunctionCall::default() }
    }
}

impl ChatMessage {
    /// Creates a message with plain text.
    pub fn text(role: impl Into<String>, text: impl Into<String>) -> Self {
        Self { role: role.into(), content: Value::String(text.into()), ..Self::default() }
    }
}
