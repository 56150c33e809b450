//! `limit.iterations`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::row::{Class, ContextScope, Row, Target, schema_of, settled};

/// The row of `limit.iterations`.
pub static ROW: Row = Row {
    name: "limit.iterations",
    fires: "A turn has made as many model calls as it may.",
    class: Class::Observe,
    subject: None,
    target: Target::Nothing,
    deny: "Nothing follows: the event only tells.",
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
    settle: settled,
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
