//! `session.end`.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::def::{ContextScope, EventClass, EventDef, RewriteTarget, no_aliases};
use crate::event::fragment::{HostPayload, TokenUsage};

/// The event definition of `session.end`.
pub static ROW: EventDef = EventDef {
    name: "session.end",
    fires_when: "A session is over, whether it succeeded or failed. A Markdown hook receives `None` as its payload.",
    class: EventClass::Observe,
    subject: Some("reason"),
    target: RewriteTarget::Nothing,
    deny_means: "Nothing: hooks can observe this event, but not block it.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    example: || {
        json!({
            "reason": "done",
            "turns": 3,
            "duration_ms": 84210,
            "usage": {
                "input_tokens": 1234,
                "output_tokens": 567,
                "total_tokens": 1801,
                "prompt_tokens": 1234,
                "completion_tokens": 567,
            },
        })
    },
    normalize: no_aliases,
};

/// The payload of `session.end`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct SessionEnd {
    /// Why the session ended: `done`, `exit`, `clear`, `error`, `cancelled` or `blocked`.
    pub reason: String,
    /// The number of turns in the session.
    pub turns: u32,
    /// How long the session lasted, in milliseconds.
    pub duration_ms: u64,
    /// The tokens used by all model calls of the session.
    pub usage: TokenUsage,
    /// The error message; absent if the session ended without an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The host agent's own data for this event; absent in Pintle's own agent loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}
