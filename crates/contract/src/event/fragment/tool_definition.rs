//! A tool as a model is told about it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::function;

/// A tool as a model is told about it, in the words of OpenAI's chat format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ChatTool {
    /// Always `function`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The tool.
    pub function: ChatFunction,
}

/// The function of a [`ChatTool`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ChatFunction {
    /// The tool's name.
    pub name: String,
    /// What it is for.
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
    /// A tool with its JSON Schema.
    pub fn new(name: impl Into<String>, description: impl Into<String>, parameters: Value) -> Self {
        let function = ChatFunction { name: name.into(), description: description.into(), parameters };
        Self { function, ..Self::default() }
    }
}
