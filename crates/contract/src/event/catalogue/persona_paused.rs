//! `persona.paused`.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::def::{ContextScope, EventClass, EventDef, RewriteTarget, no_aliases};

/// The event definition of `persona.paused`.
pub static ROW: EventDef = EventDef {
    name: "persona.paused",
    fires_when: "A persona has been paused: it runs no further step until it is resumed.",
    class: EventClass::Observe,
    subject: Some("persona"),
    target: RewriteTarget::Nothing,
    deny_means: "Nothing: hooks can observe this event, but not block it.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    example: || json!({"persona": "nightly_triage", "reason": "maintenance", "by": "person"}),
    normalize: no_aliases,
};

/// The payload of `persona.paused`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct PersonaPaused {
    /// The name of the persona.
    pub persona: String,
    /// The reason; empty if none was given.
    pub reason: String,
    /// Who did it: `person` (the user), `agent`, `budget` or `host`.
    pub by: String,
}
