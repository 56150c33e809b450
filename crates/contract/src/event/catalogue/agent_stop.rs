//! `agent.stop`.

use super::prelude::*;

/// The event definition of `agent.stop`.
pub static ROW: EventDef = EventDef {
    fires_when: "An agent is about to give its final answer.",
    subject: Some("finish_reason"),
    target: RewriteTarget::Fields(&["response", "tool_calls", "tool_results", "usage"]),
    aliases: &[
        ("response", "Response"),
        ("tool_calls", "ToolCalls"),
        ("tool_results", "ToolResults"),
        ("usage", "Usage"),
    ],
    deny_means: "The agent continues: the reason becomes its next message, until the turn reaches its limit of model \
                 calls. If a hook fails and its failure policy is `closed`, the turn ends instead.",
    deny_restricts: false,
    texts: &["response"],
    lists: &["tool_calls", "tool_results"],
    normalize: sync_usage,
    ..EventDef::guard("agent.stop")
};

/// The payload of `agent.stop`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct AgentStop {
    /// The ID of the agent's run.
    pub id: String,
    /// The ID of the run that delegated to this agent; absent for the main agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<String>,
    /// Why the model stopped, such as `stop` or `length`.
    pub finish_reason: String,
    /// The number of model calls that the agent made.
    pub iteration: u32,
    /// The agent's final answer.
    pub response: String,
    /// The tool calls of the agent, in order.
    pub tool_calls: Vec<ToolCall>,
    /// The results of `tool_calls`, in the same order.
    pub tool_results: Vec<ToolResult>,
    /// The tokens used by the agent's model calls.
    pub usage: TokenUsage,
    /// Whether the agent finished by calling the `done` tool.
    pub done: bool,
    /// How many times hooks have already made the agent continue.
    pub continuations: u32,
    /// The user's most recent message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_user_message: Option<String>,
    /// The host agent's own data for this event; absent in Pintle's own agent loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}
