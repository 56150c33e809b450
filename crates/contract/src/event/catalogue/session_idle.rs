//! `session.idle`.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::def::{ContextScope, EventClass, EventDef, RewriteTarget, no_aliases};

/// The event definition of `session.idle`.
pub static ROW: EventDef = EventDef {
    name: "session.idle",
    fires_when: "The agent is idle and waits for work.",
    class: EventClass::Observe,
    subject: None,
    target: RewriteTarget::Nothing,
    deny_means: "Nothing: hooks can observe this event, but not block it.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    example: || json!({"iteration": 12, "waited_ms": 0, "wake_interval_ms": 30000}),
    normalize: no_aliases,
};

/// The payload of `session.idle`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct SessionIdle {
    /// The number of model calls that the session has made.
    pub iteration: u32,
    /// How long the agent has been waiting, in milliseconds.
    pub waited_ms: u64,
    /// The interval at which the agent checks for work, in milliseconds; absent if it waits for an event only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wake_interval_ms: Option<u64>,
}
