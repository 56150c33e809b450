//! `session.error`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::fragment::HostPayload;
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of, no_aliases};

/// The row of `session.error`.
pub static ROW: EventDef = EventDef {
    name: "session.error",
    fires_when: "A session ends badly; `session.end` follows.",
    class: EventClass::Observe,
    subject: Some("status"),
    target: RewriteTarget::Nothing,
    deny_means: "Nothing follows: the event only tells.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    schema: schema_of::<SessionError>,
    example: || {
        json!({
            "status": "failed",
            "stop_reason": "model_error",
            "message": "the model did not answer: connection refused",
        })
    },
    normalize: no_aliases,
};

/// The payload of `session.error`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SessionError {
    /// How it ended: `failed`, `cancelled`, `blocked`, or the host's own word.
    pub status: String,
    /// Why, as one word.
    pub stop_reason: String,
    /// What went wrong, for a person.
    pub message: String,
    /// What the agent that told of it said in its own words, when it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}
