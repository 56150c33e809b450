//! `tool.result`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::fragment::HostPayload;
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of};
use crate::event::aliases::{sync_tool_result};

/// The row of `tool.result`.
pub static ROW: EventDef = EventDef {
    name: "tool.result",
    fires_when: "A tool gave its result, or a part of it; the result may be changed before anyone sees it.",
    class: EventClass::Rewrite,
    subject: Some("name"),
    target: RewriteTarget::Fields(&["content", "result", "is_error"]),
    deny_means: "The result is withheld: the reason takes its place, as an error.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    schema: schema_of::<ToolResultPayload>,
    example: || {
        json!({
            "call_id": "call_1",
            "name": "run_command",
            "content": "{\"stdout\":\"README.md\",\"exit_code\":0}",
            "is_error": false,
            "result": {"stdout": "README.md", "exit_code": 0},
            "args": {"command": "ls -la"},
            "partial": false,
        })
    },
    normalize,
};

/// The payload of `tool.result`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ToolResultPayload {
    /// The provider's id of the call.
    pub call_id: String,
    /// The tool's name.
    pub name: String,
    /// The result as the model gets it: a text as it is, anything else as JSON text.
    pub content: String,
    /// Whether the tool failed, was refused or was not found.
    pub is_error: bool,
    /// The result, decoded when it is JSON, else the text.
    pub result: Value,
    /// What went wrong: the content of a failed call; absent when it went well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The arguments of the call, decoded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args: Option<Value>,
    /// Whether more of the result follows.
    pub partial: bool,
    /// The group that the tool belongs to, such as `shell` or `filesystem`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Whether the tool says of itself that it changes nothing; a claim, not a proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// How the session asks for permission, in the host's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<String>,
    /// What the agent that told of it said in its own words, when it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}

/// As for `tool.post`.
fn normalize(before: &Value, after: &mut Value) -> Result<(), String> {
    sync_tool_result(ROW.name, before, after)
}
