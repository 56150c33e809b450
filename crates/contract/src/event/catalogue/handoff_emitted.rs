//! `handoff.emitted`.

use super::prelude::*;

/// The event definition of `handoff.emitted`.
pub static ROW: EventDef = EventDef {
    fires_when: "An agent or persona hands work over.",
    subject: Some("to"),
    ..EventDef::observe("handoff.emitted")
};

/// The payload of `handoff.emitted`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct HandoffEmitted {
    /// The ID of the handoff.
    pub id: String,
    /// How the work is handed over: `handoff` and `forced_handoff` (the conversation switches to another agent), `task`
    /// (an agent gets a task and returns an answer), `background` (the same, without waiting for the answer) or
    /// `persona`.
    pub kind: String,
    /// The agent or persona that hands the work over.
    pub from: String,
    /// The agent, persona or pipeline that receives the work.
    pub to: String,
    /// What is handed over, as text for the user.
    pub summary: String,
    /// What is handed over, as data.
    pub payload: Value,
    /// The running persona; absent outside a persona.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub persona: String,
    /// The persona's current step; absent outside a step.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub step: String,
}
