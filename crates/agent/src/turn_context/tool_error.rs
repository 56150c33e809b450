//! The error of a tool.

use pintle_host::jail::JailError;
use pintle_host::mcp::McpError;

/// The error of a tool: a text for the model that says what went wrong and what to do next.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct ToolError {
    text: String,
}

impl ToolError {
    /// The text for the model.
    #[must_use]
    pub fn into_text(self) -> String {
        self.text
    }
}

impl From<String> for ToolError {
    fn from(text: String) -> Self {
        Self { text }
    }
}

impl From<&str> for ToolError {
    fn from(text: &str) -> Self {
        Self { text: text.to_owned() }
    }
}

impl From<JailError> for ToolError {
    fn from(error: JailError) -> Self {
        Self { text: error.to_string() }
    }
}

impl From<McpError> for ToolError {
    fn from(error: McpError) -> Self {
        Self { text: error.to_string() }
    }
}
