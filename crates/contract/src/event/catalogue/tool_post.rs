//! `tool.post`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::fragment::{HostPayload, ToolResult};
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of};
use crate::event::aliases::{sync_tool_result};

/// The row of `tool.post`.
pub static ROW: EventDef = EventDef {
    name: "tool.post",
    fires_when: "A tool call is over, whether it ran, failed, was refused or was not found.",
    class: EventClass::Rewrite,
    subject: Some("name"),
    target: RewriteTarget::Fields(&["content", "result", "is_error"]),
    deny_means: "The model gets the reason in place of the result, as an error.",
    deny_restricts: true,
    context: ContextScope::Turn,
    on_failure: FailurePolicy::Open,
    schema: schema_of::<ToolPost>,
    example: || {
        json!({
            "call_id": "call_1",
            "name": "run_command",
            "content": "{\"stdout\":\"README.md\",\"exit_code\":0}",
            "is_error": false,
            "result": {"stdout": "README.md", "exit_code": 0},
            "args": {"command": "ls -la"},
            "duration_ms": 31,
        })
    },
    normalize,
};

/// The payload of `tool.post` (AI Harness reference, canonical payload shapes).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ToolPost {
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
    /// How long the tool ran, in milliseconds; absent when it did not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// Whether the tool ran; absent when it did. A call that was refused, skipped, cancelled or not found did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executed: Option<bool>,
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

impl ToolPost {
    /// The end of a call, with the result in both spellings.
    #[must_use]
    pub fn new(result: ToolResult) -> Self {
        let ToolResult { call_id, name, content, is_error, result } = result;
        let error = is_error.then(|| content.clone());
        Self { call_id, name, content, is_error, result, error, ..Self::default() }
    }
}

/// `content` and `result` are two spellings of one value: the one that changed decides. `error` is the content of a
/// failed call.
fn normalize(before: &Value, after: &mut Value) -> Result<(), String> {
    sync_tool_result(ROW.name, before, after)
}
