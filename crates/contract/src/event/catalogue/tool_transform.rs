//! `tool.transform`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::fragment::HostPayload;
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of};
use crate::event::aliases::{sync_tool_call};

/// The event definition of `tool.transform`.
pub static ROW: EventDef = EventDef {
    name: "tool.transform",
    fires_when: "The model requested a tool call. Hooks can change the call before any guard sees it.",
    class: EventClass::Rewrite,
    subject: Some("name"),
    target: RewriteTarget::Fields(&["name", "args", "arguments"]),
    deny_means: "The tool does not run; the reason is the tool's error result.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    schema: schema_of::<ToolTransform>,
    example: || {
        json!({
            "id": "call_1",
            "name": "run_command",
            "arguments": "{\"command\":\"ls -la\"}",
            "args": {"command": "ls -la"},
            "category": "shell",
        })
    },
    normalize,
};

/// The payload of `tool.transform`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// The tool's category, such as `shell` or `filesystem`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Whether the tool declares itself read-only. Pintle does not verify the claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// The session's permission mode, by the host's own name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<String>,
    /// The host agent's own data for this event; absent in Pintle's own agent loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}

/// Keeps `args` and `arguments` equal, as in `tool.pre`.
fn normalize(before: &Value, after: &mut Value) -> Result<(), String> {
    sync_tool_call(ROW.name, before, after)
}
