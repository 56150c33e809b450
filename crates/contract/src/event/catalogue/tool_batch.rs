//! `tool.batch`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::fragment::{HostPayload, ToolCall, ToolResult};
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of, no_aliases};

/// The row of `tool.batch`.
pub static ROW: EventDef = EventDef {
    name: "tool.batch",
    fires_when: "All tool calls of one answer of the model are over.",
    class: EventClass::Observe,
    subject: None,
    target: RewriteTarget::Nothing,
    deny_means: "Nothing follows: the event only tells.",
    deny_restricts: true,
    context: ContextScope::Turn,
    on_failure: FailurePolicy::Open,
    schema: schema_of::<ToolBatch>,
    example: || {
        json!({
            "tool_calls": [
                {
                    "id": "call_1",
                    "name": "run_command",
                    "args": {"command": "ls -la"},
                    "arguments": "{\"command\":\"ls -la\"}",
                },
            ],
            "tool_results": [
                {
                    "call_id": "call_1",
                    "name": "run_command",
                    "content": "{\"stdout\":\"README.md\",\"exit_code\":0}",
                    "is_error": false,
                    "result": {"stdout": "README.md", "exit_code": 0},
                },
            ],
            "duration_ms": 34,
        })
    },
    normalize: no_aliases,
};

/// The payload of `tool.batch`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ToolBatch {
    /// The calls, in the order of the model.
    pub tool_calls: Vec<ToolCall>,
    /// Their results, in the same order.
    pub tool_results: Vec<ToolResult>,
    /// How long all of them took together, in milliseconds.
    pub duration_ms: u64,
    /// What the agent that told of it said in its own words, when it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}
