//! `delegation.post_verify`.

use super::prelude::*;

/// The event definition of `delegation.post_verify`.
pub static ROW: EventDef = EventDef {
    fires_when: "The answer of a child agent is verified.",
    subject: Some("agent"),
    target: RewriteTarget::Fields(&["result", "response", "tool_calls", "tool_results"]),
    deny_means: "Verification fails: the child agent gets the reason and another attempt, until none is left.",
    deny_restricts: false,
    same: &[("result", "response")],
    texts: &["result"],
    lists: &["tool_calls", "tool_results"],
    ..EventDef::guard("delegation.post_verify")
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
