//! The result of a tool call.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::aliases::{json_to_text, parse_json_or_text};

/// The result of a tool call, decoded and as text.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ToolResult {
    /// The ID of the tool call.
    pub call_id: String,
    /// The tool's name.
    pub name: String,
    /// The result as the model receives it: a text unchanged, any other value as JSON text.
    pub content: String,
    /// Whether the tool failed, was denied or was not found.
    pub is_error: bool,
    /// The result: decoded if it is JSON, otherwise the text.
    pub result: Value,
}

impl ToolResult {
    /// Creates a result and encodes it as text.
    pub fn new(call_id: impl Into<String>, name: impl Into<String>, result: Value, is_error: bool) -> Self {
        let content = json_to_text(&result);
        Self { call_id: call_id.into(), name: name.into(), content, is_error, result }
    }

    /// Creates a result from its text, and decodes it if it is JSON.
    pub fn from_content(call_id: impl Into<String>, name: impl Into<String>, content: &str, is_error: bool) -> Self {
        Self::new(call_id, name, parse_json_or_text(content), is_error).with_content(content)
    }

    fn with_content(mut self, content: &str) -> Self {
        content.clone_into(&mut self.content);
        self
    }
}
