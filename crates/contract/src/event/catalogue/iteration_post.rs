//! `iteration.post`.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::def::{ContextScope, EventClass, EventDef, RewriteTarget, no_aliases};

/// The event definition of `iteration.post`.
pub static ROW: EventDef = EventDef {
    name: "iteration.post",
    fires_when: "A model response and its tool calls have been recorded, before the agent decides whether to continue.",
    class: EventClass::Observe,
    subject: None,
    target: RewriteTarget::Nothing,
    deny_means: "Nothing: hooks can observe this event, but not block it.",
    deny_restricts: true,
    context: ContextScope::Turn,
    on_failure: FailurePolicy::Open,
    example: || {
        json!({
            "iteration": 1,
            "text": "I ran the tests.",
            "has_tool_calls": true,
            "tool_names": ["run_command"],
            "successful_tool_names": ["run_command"],
            "rejected_tool_names": [],
            "available_tool_names": ["edit", "run_command"],
            "tool_results": [
                {
                    "call_id": "call_1",
                    "name": "run_command",
                    "content": "ok",
                    "is_error": false,
                    "result": "ok",
                },
            ],
            "provider": "openai",
            "model": "gpt-4o",
            "finish_reason": "tool_calls",
        })
    },
    normalize: no_aliases,
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
