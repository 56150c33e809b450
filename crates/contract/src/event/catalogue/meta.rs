//! `meta.*`.

use super::prelude::*;

/// The event definition of `meta.*`.
pub static ROW: EventDef = EventDef {
    fires_when: "An agent is about to change itself: `meta.register_tool`, `meta.register_hook`, \
                 `meta.register_agent`, `meta.call_tool`.",
    subject: Some("name"),
    deny_means: "The change is not made; the caller gets `blocked by governance: <reason>`.",
    ..EventDef::guard("meta.*")
};

/// The payload of `meta.*`: the tool, hook or agent that is registered or called, and its definition.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MetaPayload {
    /// The name of the tool, hook or agent.
    pub name: String,
    /// The description of the tool (`meta.register_tool`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether the registration replaces an existing tool (`meta.register_tool`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replace: Option<bool>,
    /// The source of the tool or hook (`meta.register_tool`, `meta.register_hook`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
    /// The event of the hook (`meta.register_hook`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// The priority of the hook (`meta.register_hook`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<i64>,
    /// The model of the agent (`meta.register_agent`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The number of tools that the agent brings (`meta.register_agent`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_count: Option<u32>,
    /// The arguments of the call as JSON text (`meta.call_tool`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<String>,
    /// The arguments of the call, decoded (`meta.call_tool`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args: Option<Value>,
}
