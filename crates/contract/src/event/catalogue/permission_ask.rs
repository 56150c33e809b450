//! `permission.ask`.

use super::prelude::*;

/// The event definition of `permission.ask`.
pub static ROW: EventDef = EventDef {
    fires_when: "The user is about to be prompted for permission to run a tool call.",
    subject: Some("name"),
    target: RewriteTarget::Fields(&["args", "arguments"]),
    deny_means: "The tool does not run and the user is not prompted; the reason is the tool's error result.",
    normalize: sync_tool_call,
    ..EventDef::guard("permission.ask")
};

/// The payload of `permission.ask`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct PermissionAsk {
    /// The provider's ID of the call.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as JSON text.
    pub arguments: String,
    /// The arguments, decoded.
    pub args: Value,
    /// Why the user's permission is needed.
    pub reason: String,
    /// The hook or rule that requires the user's permission.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked_by: Option<String>,
    /// Data for the approver from the hooks that returned `ask`; absent if empty.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    /// What else is known about the call.
    #[serde(flatten)]
    pub facts: CallFacts,
}
