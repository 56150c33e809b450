//! `step.pre`.

use super::prelude::*;

/// The event definition of `step.pre`.
pub static ROW: EventDef = EventDef {
    fires_when: "A step of a persona is about to run.",
    subject: Some("step"),
    target: RewriteTarget::Fields(&["args"]),
    deny_means: "The step does not run and fails with the reason.",
    lists: &["args"],
    ..EventDef::guard("step.pre")
};

/// The payload of `step.pre`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct StepPre {
    /// The name of the persona; empty for a step outside a persona.
    pub persona: String,
    /// The name of the step.
    pub step: String,
    /// The function that implements the step.
    pub function: String,
    /// The arguments of the step, in order.
    pub args: Vec<Value>,
}
