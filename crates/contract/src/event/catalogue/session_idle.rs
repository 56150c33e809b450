//! `session.idle`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of, no_aliases};

/// The row of `session.idle`.
pub static ROW: EventDef = EventDef {
    name: "session.idle",
    fires_when: "The agent has nothing to do and waits.",
    class: EventClass::Observe,
    subject: None,
    target: RewriteTarget::Nothing,
    deny_means: "Nothing follows: the event only tells.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    schema: schema_of::<SessionIdle>,
    example: || json!({"iteration": 12, "waited_ms": 0, "wake_interval_ms": 30000}),
    normalize: no_aliases,
};

/// The payload of `session.idle`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SessionIdle {
    /// How many model calls the session has made.
    pub iteration: u32,
    /// How long it has waited so far, in milliseconds.
    pub waited_ms: u64,
    /// How long it waits before it looks again, in milliseconds; absent when it waits for an event only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wake_interval_ms: Option<u64>,
}
