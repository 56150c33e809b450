//! `persona.paused`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::row::{Class, ContextScope, Row, Target, schema_of, settled};

/// The row of `persona.paused`.
pub static ROW: Row = Row {
    name: "persona.paused",
    fires: "A persona runs no further step until it is resumed.",
    class: Class::Observe,
    subject: Some("persona"),
    target: Target::Nothing,
    deny: "Nothing follows: the event only tells.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    schema: schema_of::<PersonaPaused>,
    example: || json!({"persona": "nightly_triage", "reason": "maintenance", "by": "person"}),
    settle: settled,
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
