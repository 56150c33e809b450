//! A tool call that the model made.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A tool call that the model made, with its arguments decoded and as text.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ToolCall {
    /// The provider's ID of the call.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments, decoded.
    pub args: Value,
    /// The arguments as JSON text.
    pub arguments: String,
}

impl ToolCall {
    /// Creates a call and encodes its arguments as text.
    pub fn new(id: impl Into<String>, name: impl Into<String>, args: Value) -> Self {
        Self { id: id.into(), name: name.into(), arguments: args.to_string(), args }
    }
}
