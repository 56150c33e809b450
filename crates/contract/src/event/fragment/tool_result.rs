//! What a tool gave back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::aliases::{json_to_text, parse_json_or_text};

/// What a tool gave back, in both spellings.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ToolResult {
    /// The call that it answers.
    pub call_id: String,
    /// The tool's name.
    pub name: String,
    /// The result as the model gets it: a text as it is, anything else as JSON text.
    pub content: String,
    /// Whether the tool failed, was refused or was not found.
    pub is_error: bool,
    /// The result, decoded when it is JSON.
    pub result: Value,
}

impl ToolResult {
    /// A result, in both spellings.
    pub fn new(call_id: impl Into<String>, name: impl Into<String>, result: Value, is_error: bool) -> Self {
        let content = json_to_text(&result);
        Self { call_id: call_id.into(), name: name.into(), content, is_error, result }
    }

    /// A result of which only the text is known.
    pub fn from_content(call_id: impl Into<String>, name: impl Into<String>, content: &str, is_error: bool) -> Self {
        Self::new(call_id, name, parse_json_or_text(content), is_error).with_content(content)
    }

    fn with_content(mut self, content: &str) -> Self {
        content.clone_into(&mut self.content);
        self
    }
}
