//! `turn.end`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::fragment::{HostPayload, LogLine, ToolCall, ToolResult, TokenUsage};
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of};
use crate::event::aliases::sync_final_answer;

/// The row of `turn.end`.
pub static ROW: EventDef = EventDef {
    name: "turn.end",
    fires_when: "The turn is over: the model gave its final answer, or the turn failed or was cancelled.",
    class: EventClass::Rewrite,
    subject: None,
    target: RewriteTarget::Fields(&["text", "Response", "tool_calls", "ToolCalls", "tool_results", "ToolResults", "usage", "Usage"]),
    deny_means: "The turn fails: `turn blocked: <reason>`. Nothing more for one that failed anyway.",
    deny_restricts: true,
    context: ContextScope::Persistent,
    on_failure: FailurePolicy::Open,
    schema: schema_of::<TurnEnd>,
    example: || {
        json!({
            "text": "The test passes now.",
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
            "logs": [{"level": "info", "hook": "audit_tool_pre", "message": "tool.pre name=run_command"}],
            "Response": "The test passes now.",
            "ToolCalls": [
                {
                    "id": "call_1",
                    "name": "run_command",
                    "args": {"command": "ls -la"},
                    "arguments": "{\"command\":\"ls -la\"}",
                },
            ],
            "ToolResults": [
                {
                    "call_id": "call_1",
                    "name": "run_command",
                    "content": "{\"stdout\":\"README.md\",\"exit_code\":0}",
                    "is_error": false,
                    "result": {"stdout": "README.md", "exit_code": 0},
                },
            ],
            "Usage": {
                "input_tokens": 1234,
                "output_tokens": 567,
                "total_tokens": 1801,
                "prompt_tokens": 1234,
                "completion_tokens": 567,
            },
        })
    },
    normalize,
};

/// The payload of `turn.end` (AI Harness reference, canonical payload shapes).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TurnEnd {
    /// The final answer; empty for a turn that failed.
    pub text: String,
    /// The tools that were called in the turn, in order.
    pub tool_calls: Vec<ToolCall>,
    /// Their results, in the same order.
    pub tool_results: Vec<ToolResult>,
    /// The tokens of the turn's model calls.
    pub usage: TokenUsage,
    /// What hooks logged during the turn, in order.
    pub logs: Vec<LogLine>,
    /// How long the turn took, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// Why the turn failed or that it was cancelled; absent for one that came to an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The same text as `text`.
    #[serde(rename = "Response")]
    pub text_alias: String,
    /// The same list as `tool_calls`.
    #[serde(rename = "ToolCalls")]
    pub tool_calls_alias: Vec<ToolCall>,
    /// The same list as `tool_results`.
    #[serde(rename = "ToolResults")]
    pub tool_results_alias: Vec<ToolResult>,
    /// The same counts as `usage`.
    #[serde(rename = "Usage")]
    pub usage_alias: TokenUsage,
    /// What the agent that told of it said in its own words, when it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}

impl TurnEnd {
    /// The same payload with every value in both spellings.
    #[must_use]
    pub fn with_aliases(mut self) -> Self {
        self.text_alias.clone_from(&self.text);
        self.tool_calls_alias.clone_from(&self.tool_calls);
        self.tool_results_alias.clone_from(&self.tool_results);
        self.usage_alias = self.usage;
        self
    }
}

/// The lower-case names and the capitalised ones are spellings of the same values.
fn normalize(before: &Value, after: &mut Value) -> Result<(), String> {
    sync_final_answer(ROW.name, "text", before, after)
}
