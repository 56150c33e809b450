//! `tool.batch`.

use super::prelude::*;

/// The event definition of `tool.batch`.
pub static ROW: EventDef = EventDef {
    fires_when: "All tool calls of one model response have finished.",
    context: ContextScope::Turn,
    ..EventDef::observe("tool.batch")
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
