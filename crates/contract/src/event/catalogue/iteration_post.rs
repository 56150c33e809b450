//! `iteration.post`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of, no_aliases};

/// The row of `iteration.post`.
pub static ROW: EventDef = EventDef {
    name: "iteration.post",
    fires_when: "A model's answer and the tool calls that it asked for are recorded, before it is decided whether to go on.",
    class: EventClass::Observe,
    subject: None,
    target: RewriteTarget::Nothing,
    deny_means: "Nothing follows: the event only tells.",
    deny_restricts: true,
    context: ContextScope::Turn,
    on_failure: FailurePolicy::Open,
    schema: schema_of::<IterationPost>,
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

/// The payload of `iteration.post` (Harn, `post_turn`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct IterationPost {
    /// Which model call of the turn it was, from 1.
    pub iteration: u32,
    /// The text of the model's answer.
    pub text: String,
    /// Whether the answer asked for tools.
    pub has_tool_calls: bool,
    /// The tools that it asked for, in order, each as often as it was asked for.
    pub tool_names: Vec<String>,
    /// Those of them that ran and did not fail.
    pub successful_tool_names: Vec<String>,
    /// Those of them that were refused, cancelled, not found or failed.
    pub rejected_tool_names: Vec<String>,
    /// The tools that the model was told of.
    pub available_tool_names: Vec<String>,
    /// The results, in the order of the calls: `call_id`, `name`, `content`, `is_error`, `result`.
    pub tool_results: Vec<Value>,
    /// Who serves the model, when that is declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The model's name.
    pub model: String,
    /// Why the model ended its answer.
    pub finish_reason: String,
}
