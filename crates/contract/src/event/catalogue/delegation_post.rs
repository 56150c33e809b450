//! `delegation.post`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::fragment::{HostPayload, ToolCall, ToolResult, TokenUsage};
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of};
use crate::event::aliases::{require_lists, require_object, sync_aliases, require_texts};

/// The row of `delegation.post`.
pub static ROW: EventDef = EventDef {
    name: "delegation.post",
    fires_when: "Another agent gave its answer, which is about to reach the agent that asked.",
    class: EventClass::Rewrite,
    subject: Some("agent"),
    target: RewriteTarget::Fields(&["result", "response", "tool_calls", "tool_results", "is_error"]),
    deny_means: "The answer is withheld; the delegating agent gets `delegation blocked: <reason>` as an error.",
    deny_restricts: true,
    context: ContextScope::Turn,
    on_failure: FailurePolicy::Closed,
    schema: schema_of::<DelegationPost>,
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
        })
    },
    normalize,
};

/// The payload of `delegation.post` (AI Harness reference, canonical payload shapes).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DelegationPost {
    /// The id of the delegation.
    pub id: String,
    /// The id of the delegation that the delegating agent itself works on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<String>,
    /// The agent that had the task.
    pub agent: String,
    /// Its answer.
    pub result: String,
    /// The same text as `result`.
    pub response: String,
    /// How deep the agent was: 1 for an agent that the first one called.
    pub depth: u32,
    /// The tools that it called, in order.
    pub tool_calls: Vec<ToolCall>,
    /// Their results, in the same order.
    pub tool_results: Vec<ToolResult>,
    /// The tokens of its model calls.
    pub usage: TokenUsage,
    /// Whether it failed; `result` then says how.
    pub is_error: bool,
    /// What the agent that told of it said in its own words, when it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}

/// `result` and `response` are two spellings of one text.
fn normalize(before: &Value, after: &mut Value) -> Result<(), String> {
    let fields = require_object(ROW.name, after)?;
    sync_aliases(before, fields, "result", "response");
    require_texts(fields, &["result"])?;
    require_lists(fields, &["tool_calls", "tool_results"])
}
