//! `delegation.post`.

use super::prelude::*;

/// The event definition of `delegation.post`.
pub static ROW: EventDef = EventDef {
    fires_when: "A child agent has answered; its answer is about to reach the delegating agent.",
    subject: Some("agent"),
    target: RewriteTarget::Fields(&["result", "response", "tool_calls", "tool_results", "is_error"]),
    deny_means: "The answer is withheld; the delegating agent gets `delegation blocked: <reason>` as an error.",
    context: ContextScope::Turn,
    on_failure: FailurePolicy::Closed,
    same: &[("result", "response")],
    texts: &["result"],
    lists: &["tool_calls", "tool_results"],
    ..EventDef::rewrite("delegation.post")
};

/// The payload of `delegation.post`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct DelegationPost {
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
    /// The host agent's own data for this event; absent in Pintle's own agent loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}
