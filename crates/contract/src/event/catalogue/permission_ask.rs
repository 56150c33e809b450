//! `permission.ask`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::FailurePolicy;
use crate::event::fragment::HostPayload;
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of};
use crate::event::aliases::{sync_tool_call};

/// The row of `permission.ask`.
pub static ROW: EventDef = EventDef {
    name: "permission.ask",
    fires_when: "A person is about to be asked whether a tool call may run.",
    class: EventClass::Guard,
    subject: Some("name"),
    target: RewriteTarget::Fields(&["args", "arguments"]),
    deny_means: "The tool does not run and nobody is asked; the reason is the tool's error result.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Closed,
    schema: schema_of::<PermissionAsk>,
    example: || {
        json!({
            "id": "call_1",
            "name": "run_command",
            "arguments": "{\"command\":\"git push\"}",
            "args": {"command": "git push"},
            "reason": "it publishes the branch",
            "asked_by": "publish_guard",
        })
    },
    normalize,
};

/// The payload of `permission.ask`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PermissionAsk {
    /// The provider's id of the call.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as JSON text.
    pub arguments: String,
    /// The arguments, decoded.
    pub args: Value,
    /// Why somebody should look.
    pub reason: String,
    /// The hook or rule that wants somebody to look.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked_by: Option<String>,
    /// How the session asks for permission, in the host's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<String>,
    /// The group that the tool belongs to, such as `shell` or `filesystem`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Whether the tool says of itself that it changes nothing; a claim, not a proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// What the hooks that want somebody to look said about the call, for whoever is asked.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    /// What the agent that told of it said in its own words, when it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}

/// As for `tool.pre`.
fn normalize(before: &Value, after: &mut Value) -> Result<(), String> {
    sync_tool_call(ROW.name, before, after)
}
