//! `meta.*`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of, no_aliases};

/// The row of `meta.*`.
pub static ROW: EventDef = EventDef {
    name: "meta.*",
    fires_when: "An agent is about to change itself: `meta.register_tool`, `meta.register_hook`, `meta.register_agent`, `meta.call_tool`.",
    class: EventClass::Guard,
    subject: Some("name"),
    target: RewriteTarget::Nothing,
    deny_means: "The change is not made; the caller gets `blocked by governance: <reason>`.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Closed,
    schema: schema_of::<MetaPayload>,
    example: || json!({"name": "weather", "description": "Tells the weather.", "replace": false}),
    normalize: no_aliases,
};

/// The payload of `meta.*`: who is registered or called, and what it is made of.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MetaPayload {
    /// The name of the tool, hook or agent.
    pub name: String,
    /// What the tool is for (`meta.register_tool`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether an existing tool is replaced (`meta.register_tool`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replace: Option<bool>,
    /// The source of the tool or hook (`meta.register_tool`, `meta.register_hook`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
    /// The event (`meta.register_hook`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// The priority (`meta.register_hook`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<i64>,
    /// The model (`meta.register_agent`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How many tools it brings (`meta.register_agent`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_count: Option<u32>,
    /// The arguments as JSON text (`meta.call_tool`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<String>,
    /// The arguments, decoded (`meta.call_tool`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args: Option<Value>,
}
