//! `persona.paused`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of, no_aliases};

/// The row of `persona.paused`.
pub static ROW: EventDef = EventDef {
    name: "persona.paused",
    fires_when: "A persona runs no further step until it is resumed.",
    class: EventClass::Observe,
    subject: Some("persona"),
    target: RewriteTarget::Nothing,
    deny_means: "Nothing follows: the event only tells.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    schema: schema_of::<PersonaPaused>,
    example: || json!({"persona": "nightly_triage", "reason": "maintenance", "by": "person"}),
    normalize: no_aliases,
};

/// The payload of `persona.paused`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PersonaPaused {
    /// The persona.
    pub persona: String,
    /// Why; empty when nobody said.
    pub reason: String,
    /// Who did it: `person`, `agent`, `budget` or `host`.
    pub by: String,
}
