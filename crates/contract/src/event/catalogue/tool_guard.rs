//! `tool.guard`.

use super::prelude::*;

/// The event definition of `tool.guard`.
pub static ROW: EventDef = EventDef {
    fires_when: "A tool call is checked, whatever the permission rules decide about it.",
    subject: Some("name"),
    deny_means: "The tool does not run; the reason is the tool's error result.",
    ..EventDef::guard("tool.guard")
};

/// The payload of `tool.guard`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ToolGuard {
    /// The provider's ID of the call.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as JSON text.
    pub arguments: String,
    /// The arguments, decoded.
    pub args: Value,
    /// What else is known about the call.
    #[serde(flatten)]
    pub facts: CallFacts,
}
