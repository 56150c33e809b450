//! `step.post`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::fragment::TokenUsage;
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of, no_aliases};

/// The row of `step.post`.
pub static ROW: EventDef = EventDef {
    name: "step.post",
    fires_when: "A step of a persona is over.",
    class: EventClass::Rewrite,
    subject: Some("step"),
    target: RewriteTarget::Fields(&["output"]),
    deny_means: "The step fails with the reason.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    schema: schema_of::<StepPost>,
    example: || {
        json!({
            "persona": "merge_captain",
            "step": "verify",
            "function": "verify_change",
            "args": [17],
            "output": {"ok": true},
            "is_error": false,
            "duration_ms": 920,
            "cost_usd": 0.012,
            "usage": {
                "input_tokens": 1234,
                "output_tokens": 567,
                "total_tokens": 1801,
                "prompt_tokens": 1234,
                "completion_tokens": 567,
            },
        })
    },
    normalize: no_aliases,
};

/// The payload of `step.post`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct StepPost {
    /// The persona; empty for a step of its own.
    pub persona: String,
    /// The step's name.
    pub step: String,
    /// The function that is the step.
    pub function: String,
    /// The arguments it had, as the hooks of `step.pre` left them.
    pub args: Vec<Value>,
    /// What the step gave back; when it failed, the error as data with `category` and `message`.
    pub output: Value,
    /// Whether it failed. A failure stays one whatever hooks make of `output`.
    pub is_error: bool,
    /// How long it ran, in milliseconds.
    pub duration_ms: u64,
    /// What its model calls cost in US dollars, as far as there are prices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// The tokens of its model calls, those of nested steps and delegated agents included.
    pub usage: TokenUsage,
}
