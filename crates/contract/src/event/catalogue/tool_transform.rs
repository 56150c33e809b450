//! `tool.transform`.

use super::prelude::*;

/// The event definition of `tool.transform`.
pub static ROW: EventDef = EventDef {
    fires_when: "The model requested a tool call. Hooks can change the call before any guard sees it.",
    subject: Some("name"),
    target: RewriteTarget::Fields(&["name", "args", "arguments"]),
    deny_means: "The tool does not run; the reason is the tool's error result.",
    normalize: sync_tool_call,
    ..EventDef::rewrite("tool.transform")
};

/// The payload of `tool.transform`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ToolTransform {
    /// The provider's ID of the call.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as JSON text.
    pub arguments: String,
    /// The arguments, decoded but not validated yet.
    pub args: Value,
    /// What else is known about the call.
    #[serde(flatten)]
    pub facts: CallFacts,
}
