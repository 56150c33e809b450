//! `session.error`.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::def::{ContextScope, EventClass, EventDef, RewriteTarget, no_aliases};
use crate::event::fragment::HostPayload;

/// The event definition of `session.error`.
pub static ROW: EventDef = EventDef {
    name: "session.error",
    fires_when: "A session ends abnormally; `session.end` follows.",
    class: EventClass::Observe,
    subject: Some("status"),
    target: RewriteTarget::Nothing,
    deny_means: "Nothing: hooks can observe this event, but not block it.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
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
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct SessionError {
    /// How the session ended: `failed`, `cancelled`, `blocked`, or the host's own value.
    pub status: String,
    /// Why the session ended, as one word.
    pub stop_reason: String,
    /// The error message, for the user.
    pub message: String,
    /// The host agent's own data for this event; absent in Pintle's own agent loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}
