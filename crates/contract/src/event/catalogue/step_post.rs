//! `step.post`.

use super::prelude::*;

/// The event definition of `step.post`.
pub static ROW: EventDef = EventDef {
    fires_when: "A step of a persona has finished.",
    subject: Some("step"),
    target: RewriteTarget::Fields(&["output"]),
    deny_means: "The step fails with the reason.",
    ..EventDef::rewrite("step.post")
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
