//! `session.end`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::fragment::{HostPayload, TokenUsage};
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of, no_aliases};

/// The row of `session.end`.
pub static ROW: EventDef = EventDef {
    name: "session.end",
    fires_when: "A session is over, whether it went well or not. A hook in Markdown gets `None` as its payload.",
    class: EventClass::Observe,
    subject: Some("reason"),
    target: RewriteTarget::Nothing,
    deny_means: "Nothing follows: the event only tells.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    schema: schema_of::<SessionEnd>,
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
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SessionEnd {
    /// Why: `done`, `exit`, `clear`, `error`, `cancelled` or `blocked`.
    pub reason: String,
    /// How many turns it had.
    pub turns: u32,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// The tokens of all its model calls.
    pub usage: TokenUsage,
    /// What went wrong, when something did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What the agent that told of it said in its own words, when it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}
