//! `limit.iterations`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of, no_aliases};

/// The row of `limit.iterations`.
pub static ROW: EventDef = EventDef {
    name: "limit.iterations",
    fires_when: "A turn has made as many model calls as it may.",
    class: EventClass::Observe,
    subject: None,
    target: RewriteTarget::Nothing,
    deny_means: "Nothing follows: the event only tells.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    schema: schema_of::<LimitIterations>,
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
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LimitIterations {
    /// How many model calls a turn may make.
    pub limit: u32,
    /// What the person is told.
    pub message: String,
    /// What the host does: `stop`, `ask` or `continue`.
    pub action: String,
}
