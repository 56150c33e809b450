//! `agent.stop`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::fragment::{HostPayload, ToolCall, ToolResult, TokenUsage};
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of};
use crate::event::aliases::sync_final_answer;

/// The row of `agent.stop`.
pub static ROW: EventDef = EventDef {
    name: "agent.stop",
    fires_when: "An agent is about to give its final answer.",
    class: EventClass::Guard,
    subject: Some("finish_reason"),
    target: RewriteTarget::Fields(&["response", "Response", "tool_calls", "ToolCalls", "tool_results", "ToolResults", "usage", "Usage"]),
    deny_means: "The agent goes on: the reason is its next message, until the turn's limit of model calls is reached. A hook that fails closed ends the turn instead.",
    deny_restricts: false,
    context: ContextScope::None,
    on_failure: FailurePolicy::Closed,
    schema: schema_of::<AgentStop>,
    example: || {
        json!({
            "id": "run_1",
            "finish_reason": "stop",
            "iteration": 4,
            "response": "The test passes now.",
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
            "done": false,
            "continuations": 0,
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

/// The payload of `agent.stop` (AI Harness, issue 104, in both of its forms).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AgentStop {
    /// The id of the agent's run.
    pub id: String,
    /// The id of the run that delegated to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<String>,
    /// Why the model stopped.
    pub finish_reason: String,
    /// How many model calls it made.
    pub iteration: u32,
    /// The answer.
    pub response: String,
    /// The tools that it called, in order.
    pub tool_calls: Vec<ToolCall>,
    /// Their results, in the same order.
    pub tool_results: Vec<ToolResult>,
    /// The tokens of its model calls.
    pub usage: TokenUsage,
    /// Whether the agent said that it is done by calling the `done` tool.
    pub done: bool,
    /// How many times hooks already sent the agent on.
    pub continuations: u32,
    /// What the person said last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_user_message: Option<String>,
    /// The same text as `response`.
    #[serde(rename = "Response")]
    pub response_alias: String,
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

impl AgentStop {
    /// The same payload with every value in both spellings.
    #[must_use]
    pub fn with_aliases(mut self) -> Self {
        self.response_alias.clone_from(&self.response);
        self.tool_calls_alias.clone_from(&self.tool_calls);
        self.tool_results_alias.clone_from(&self.tool_results);
        self.usage_alias = self.usage;
        self
    }
}

/// The lower-case names and the capitalised ones are spellings of the same values.
fn normalize(before: &Value, after: &mut Value) -> Result<(), String> {
    sync_final_answer(ROW.name, "response", before, after)
}
