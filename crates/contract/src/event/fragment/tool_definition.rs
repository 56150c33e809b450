//! A tool definition as sent to a model.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::function;

/// A tool definition as sent to a model, in OpenAI's chat format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ChatTool {
    /// Always `function`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The function that the tool is.
    pub function: ChatFunction,
}

/// The function of a [`ChatTool`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ChatFunction {
    /// The tool's name.
    pub name: String,
    /// The description of the tool.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub parameters: Value,
}

impl Default for ChatTool {
    fn default() -> Self {
        Self { kind: function(), function: ChatFunction::default() }
    }
}

impl ChatTool {
    /// Creates a tool definition; `parameters` is the JSON Schema of its arguments.
    pub fn new(name: impl Into<String>, description: impl Into<String>, parameters: Value) -> Self {
        let function = ChatFunction { name: name.into(), description: description.into(), parameters };
        Self { function, ..Self::default() }
    }
}
