//! The definition of a native tool.

use serde_json::Value;

use crate::turn_context::ToolContext;

/// A native tool in the table.
pub(super) struct NativeToolDef {
    pub(super) name: &'static str,
    /// When the tool is offered to an agent.
    pub(super) offer: ToolOffer,
    /// The description for the model.
    pub(super) description: &'static str,
    /// The JSON Schema of its arguments.
    pub(super) parameters: fn() -> Value,
    /// Runs the tool.
    pub(super) call: fn(&Value, &ToolContext<'_>) -> Result<Value, String>,
}

/// When a native tool is offered to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolOffer {
    /// Unless a policy denies it.
    Always,
    /// If a policy's `allow` list covers it. A project's guards are written for the tools that its policy names, so a
    /// tool that they do not know must not be offered.
    Granted,
    /// If a policy's `allow` list contains exactly this name, because it is the second name of another tool.
    Named,
}
