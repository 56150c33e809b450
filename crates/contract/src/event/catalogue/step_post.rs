//! `step.post`.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::def::{ContextScope, EventClass, EventDef, RewriteTarget, no_aliases};
use crate::event::fragment::TokenUsage;

/// The event definition of `step.post`.
pub static ROW: EventDef = EventDef {
    name: "step.post",
    fires_when: "A step of a persona has finished.",
    class: EventClass::Rewrite,
    subject: Some("step"),
    target: RewriteTarget::Fields(&["output"]),
    deny_means: "The step fails with the reason.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
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
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct StepPost {
    /// The name of the persona; empty for a step outside a persona.
    pub persona: String,
    /// The name of the step.
    pub step: String,
    /// The function that implements the step.
    pub function: String,
    /// The arguments of the step, including rewrites by hooks of `step.pre`.
    pub args: Vec<Value>,
    /// The value that the step returned; if it failed, the error as an object with `category` and `message`.
    pub output: Value,
    /// Whether the step failed. A rewrite of `output` does not change this.
    pub is_error: bool,
    /// How long the step ran, in milliseconds.
    pub duration_ms: u64,
    /// The cost of the step's model calls in US dollars, as far as the models have prices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// The tokens used by the step's model calls, including nested steps and delegated agents.
    pub usage: TokenUsage,
}
