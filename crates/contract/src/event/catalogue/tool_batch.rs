//! `tool.batch`.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::def::{ContextScope, EventClass, EventDef, RewriteTarget, no_aliases};
use crate::event::fragment::{HostPayload, ToolCall, ToolResult};

/// The event definition of `tool.batch`.
pub static ROW: EventDef = EventDef {
    name: "tool.batch",
    fires_when: "All tool calls of one model response have finished.",
    class: EventClass::Observe,
    subject: None,
    target: RewriteTarget::Nothing,
    deny_means: "Nothing: hooks can observe this event, but not block it.",
    deny_restricts: true,
    context: ContextScope::Turn,
    on_failure: FailurePolicy::Open,
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
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ToolBatch {
    /// The tool calls, in the order in which the model requested them.
    pub tool_calls: Vec<ToolCall>,
    /// The results of `tool_calls`, in the same order.
    pub tool_results: Vec<ToolResult>,
    /// How long all the calls took together, in milliseconds.
    pub duration_ms: u64,
    /// The host agent's own data for this event; absent in Pintle's own agent loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}
