//! `tool.pre`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::fragment::{HostPayload, ToolCall};
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of};
use crate::event::aliases::sync_tool_call;

/// The row of `tool.pre`.
pub static ROW: EventDef = EventDef {
    name: "tool.pre",
    fires_when: "A tool call was validated against its schema and is about to run.",
    class: EventClass::Guard,
    subject: Some("name"),
    target: RewriteTarget::Fields(&["name", "args", "arguments"]),
    deny_means: "The tool does not run; the reason is the tool's error result.",
    deny_restricts: true,
    context: ContextScope::Turn,
    on_failure: FailurePolicy::Closed,
    schema: schema_of::<ToolPre>,
    example: || {
        json!({
            "id": "call_1",
            "name": "run_command",
            "arguments": "{\"command\":\"ls -la\"}",
            "args": {"command": "ls -la"},
        })
    },
    normalize,
};

/// The payload of `tool.pre` (AI Harness reference, canonical payload shapes).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ToolPre {
    /// The provider's id of the call.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as JSON text.
    pub arguments: String,
    /// The arguments, decoded and validated.
    pub args: Value,
    /// Why the arguments cannot be used, when they cannot: such a call never runs, unless a hook repairs it. Arguments
    /// that are no JSON object are then `{}` in `args`, and `arguments` is what the model wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invalid: Option<String>,
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

impl From<ToolCall> for ToolPre {
    fn from(call: ToolCall) -> Self {
        let ToolCall { id, name, args, arguments } = call;
        Self { id, name, arguments, args, ..Self::default() }
    }
}

/// `args` and `arguments` are two spellings of one value: the one that changed decides.
fn normalize(before: &Value, after: &mut Value) -> Result<(), String> {
    sync_tool_call(ROW.name, before, after)
}
