//! `limit.iterations`.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::def::{ContextScope, EventClass, EventDef, RewriteTarget, no_aliases};

/// The event definition of `limit.iterations`.
pub static ROW: EventDef = EventDef {
    name: "limit.iterations",
    fires_when: "A turn has reached its limit of model calls.",
    class: EventClass::Observe,
    subject: None,
    target: RewriteTarget::Nothing,
    deny_means: "Nothing: hooks can observe this event, but not block it.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    example: || {
        json!({
            "limit": 50,
            "message": "the turn reached its limit of 50 model calls",
            "action": "ask",
        })
    },
    normalize: no_aliases,
};

/// The payload of `limit.iterations`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct LimitIterations {
    /// The maximum number of model calls in a turn.
    pub limit: u32,
    /// The message for the user.
    pub message: String,
    /// What the host does next: `stop`, `ask` or `continue`.
    pub action: String,
}
