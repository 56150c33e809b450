//! `handoff.emitted`.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::def::{ContextScope, EventClass, EventDef, RewriteTarget, no_aliases};

/// The event definition of `handoff.emitted`.
pub static ROW: EventDef = EventDef {
    name: "handoff.emitted",
    fires_when: "An agent or persona hands work over.",
    class: EventClass::Observe,
    subject: Some("to"),
    target: RewriteTarget::Nothing,
    deny_means: "Nothing: hooks can observe this event, but not block it.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    example: || {
        json!({
            "id": "handoff_1",
            "kind": "persona",
            "from": "triage",
            "to": "billing",
            "summary": "refund of order 17",
            "payload": {"order": 17},
        })
    },
    normalize: no_aliases,
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
