//! `delegation.post_verify`.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::EventPayloadError;
use crate::event::aliases::{require_lists, require_object, require_texts, sync_aliases};
use crate::event::def::{ContextScope, EventClass, EventDef, RewriteTarget};
use crate::event::fragment::{TokenUsage, ToolCall, ToolResult};

/// The event definition of `delegation.post_verify`.
pub static ROW: EventDef = EventDef {
    name: "delegation.post_verify",
    fires_when: "The answer of a child agent is verified.",
    class: EventClass::Guard,
    subject: Some("agent"),
    target: RewriteTarget::Fields(&["result", "response", "tool_calls", "tool_results"]),
    deny_means: "Verification fails: the child agent gets the reason and another attempt, until none is left.",
    deny_restricts: false,
    context: ContextScope::None,
    on_failure: FailurePolicy::Closed,
    example: || {
        json!({
            "id": "delegation_1",
            "agent": "reviewer",
            "result": "The change is sound.",
            "response": "The change is sound.",
            "depth": 1,
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
            "usage": {
                "input_tokens": 1234,
                "output_tokens": 567,
                "total_tokens": 1801,
                "prompt_tokens": 1234,
                "completion_tokens": 567,
            },
            "is_error": false,
            "attempt": 1,
            "max_attempts": 3,
            "verified": true,
        })
    },
    normalize,
};

/// The payload of `delegation.post_verify`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct DelegationPostVerify {
    /// The ID of the delegation.
    pub id: String,
    /// The ID of the delegation that the delegating agent itself is working on; absent for the main agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<String>,
    /// The child agent that worked on the task.
    pub agent: String,
    /// The child agent's final answer.
    pub result: String,
    /// Alias of `result`.
    pub response: String,
    /// The delegation depth of the child agent: 1 if the main agent delegated to it.
    pub depth: u32,
    /// The tool calls of the child agent, in order.
    pub tool_calls: Vec<ToolCall>,
    /// The results of `tool_calls`, in the same order.
    pub tool_results: Vec<ToolResult>,
    /// The tokens used by the agent's model calls.
    pub usage: TokenUsage,
    /// Whether the child agent failed; `result` then contains the error.
    pub is_error: bool,
    /// The number of this attempt, from 1.
    pub attempt: u32,
    /// The maximum number of attempts.
    pub max_attempts: u32,
    /// The result of the delegation's `verify` script; absent if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified: Option<bool>,
    /// Why the `verify` script rejected the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Keeps `result` and `response` equal: they are aliases of one text.
fn normalize(before: &Value, after: &mut Value) -> Result<(), EventPayloadError> {
    let fields = require_object(ROW.name, after)?;
    sync_aliases(before, fields, "result", "response");
    require_texts(fields, &["result"])?;
    require_lists(fields, &["tool_calls", "tool_results"])
}
