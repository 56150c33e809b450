//! `handoff.emitted`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of, no_aliases};

/// The row of `handoff.emitted`.
pub static ROW: EventDef = EventDef {
    name: "handoff.emitted",
    fires_when: "An agent or persona passes work on.",
    class: EventClass::Observe,
    subject: Some("to"),
    target: RewriteTarget::Nothing,
    deny_means: "Nothing follows: the event only tells.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    schema: schema_of::<HandoffEmitted>,
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
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct HandoffEmitted {
    /// The id of the handoff.
    pub id: String,
    /// How it is passed on: `handoff` and `forced_handoff` (the conversation goes to another agent), `task` (an agent
    /// gets a task and its answer comes back), `background` (the same, and nobody waits) or `persona`.
    pub kind: String,
    /// The agent or persona that had the work.
    pub from: String,
    /// The agent, persona or pipeline that gets it.
    pub to: String,
    /// What is handed over, for a person.
    pub summary: String,
    /// What is handed over, as data.
    pub payload: Value,
    /// The persona at work; absent outside one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub persona: String,
    /// The persona's step that runs; absent outside one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub step: String,
}
