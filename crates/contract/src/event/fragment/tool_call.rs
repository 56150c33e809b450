//! A tool call that was made.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A tool call that was made, in both spellings of its arguments.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ToolCall {
    /// The provider's id of the call.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments, decoded.
    pub args: Value,
    /// The arguments as JSON text.
    pub arguments: String,
}

impl ToolCall {
    /// A call, with the arguments in both spellings.
    pub fn new(id: impl Into<String>, name: impl Into<String>, args: Value) -> Self {
        Self { id: id.into(), name: name.into(), arguments: args.to_string(), args }
    }
}
