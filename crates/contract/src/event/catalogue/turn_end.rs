//! `turn.end`.

use super::prelude::*;

/// The event definition of `turn.end`.
pub static ROW: EventDef = EventDef {
    fires_when: "The turn is over: the model gave its final answer, or the turn failed or was cancelled.",
    target: RewriteTarget::Fields(&["text", "tool_calls", "tool_results", "usage"]),
    aliases: &[("text", "Response"), ("tool_calls", "ToolCalls"), ("tool_results", "ToolResults"), ("usage", "Usage")],
    deny_means: "The turn fails: `turn blocked: <reason>`. A turn that has already failed is not affected.",
    context: ContextScope::Persistent,
    texts: &["text"],
    lists: &["tool_calls", "tool_results"],
    normalize: sync_usage,
    ..EventDef::rewrite("turn.end")
};

/// The payload of `turn.end`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct TurnEnd {
    /// The final answer; empty if the turn failed.
    pub text: String,
    /// The tool calls of the turn, in order.
    pub tool_calls: Vec<ToolCall>,
    /// The results of `tool_calls`, in the same order.
    pub tool_results: Vec<ToolResult>,
    /// The tokens used by the turn's model calls.
    pub usage: TokenUsage,
    /// The log lines that hooks wrote during the turn, in order.
    pub logs: Vec<LogLine>,
    /// How long the turn took, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// Why the turn failed or was cancelled; absent if it produced an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The host agent's own data for this event; absent in Pintle's own agent loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}
