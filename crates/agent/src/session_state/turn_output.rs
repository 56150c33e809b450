//! The result of a turn.

use pintle_host::ScriptLogLine;
use pintle_host::event::{self, TokenUsage, ToolCall, ToolResult, TurnEnd};

/// The result of a turn.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TurnOutput {
    /// The final text.
    pub text: String,
    /// The tool calls, in order.
    pub tool_calls: Vec<ToolCall>,
    /// Their results, in the same order.
    pub tool_results: Vec<ToolResult>,
    /// The tokens of the turn's model calls, including those of delegated agents.
    pub usage: TokenUsage,
    /// Why the turn stopped: the finish reason of the model's last reply, such as `stop`, or `max_iterations`.
    pub stop_reason: String,
}

impl TurnOutput {
    pub(crate) fn to_payload(&self, logs: Vec<ScriptLogLine>, duration_ms: u64) -> TurnEnd {
        TurnEnd {
            text: self.text.clone(),
            tool_calls: self.tool_calls.clone(),
            tool_results: self.tool_results.clone(),
            usage: self.usage,
            logs: logs.into_iter().map(event::LogLine::from).collect(),
            duration_ms: Some(duration_ms),
            ..TurnEnd::default()
        }
    }
}
