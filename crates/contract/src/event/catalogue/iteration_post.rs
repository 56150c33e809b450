//! `iteration.post`.

use super::prelude::*;

/// The event definition of `iteration.post`.
pub static ROW: EventDef = EventDef {
    fires_when: "A model response and its tool calls have been recorded, before the agent decides whether to continue.",
    context: ContextScope::Turn,
    ..EventDef::observe("iteration.post")
};

/// The payload of `iteration.post`, which Harn calls `post_turn`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct IterationPost {
    /// The number of the model call within the turn, from 1.
    pub iteration: u32,
    /// The text of the model response.
    pub text: String,
    /// Whether the response requested tool calls.
    pub has_tool_calls: bool,
    /// The names of the requested tools, in order, one for each call.
    pub tool_names: Vec<String>,
    /// The requested tools that ran and did not fail.
    pub successful_tool_names: Vec<String>,
    /// The requested tools that were denied, cancelled, not found or failed.
    pub rejected_tool_names: Vec<String>,
    /// The tools that the model could call.
    pub available_tool_names: Vec<String>,
    /// The results, in the order of the calls: `call_id`, `name`, `content`, `is_error`, `result`.
    pub tool_results: Vec<Value>,
    /// The provider of the model; absent if not declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The name of the model.
    pub model: String,
    /// Why the model stopped.
    pub finish_reason: String,
}
