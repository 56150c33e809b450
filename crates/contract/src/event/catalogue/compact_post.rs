//! `compact.post`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::fragment::HostPayload;
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of, no_aliases};

/// The row of `compact.post`.
pub static ROW: EventDef = EventDef {
    name: "compact.post",
    fires_when: "The conversation was compacted.",
    class: EventClass::Observe,
    subject: Some("reason"),
    target: RewriteTarget::Nothing,
    deny_means: "Nothing follows: the event only tells.",
    deny_restricts: true,
    context: ContextScope::Persistent,
    on_failure: FailurePolicy::Open,
    schema: schema_of::<CompactPost>,
    example: || {
        json!({
            "reason": "threshold",
            "summary": "The login test was fixed.",
            "removed_messages": 160,
            "remaining_messages": 23,
            "input_tokens": 115200,
            "output_tokens": 9800,
            "input_tokens_after": 8400,
            "context_limit": 128000,
        })
    },
    normalize: no_aliases,
};

/// The payload of `compact.post`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CompactPost {
    /// Why: `threshold`, `overflow` or `manual`.
    pub reason: String,
    /// The summary that stands for what was removed.
    pub summary: String,
    /// How many messages were removed.
    pub removed_messages: u32,
    /// How many messages are left.
    pub remaining_messages: u32,
    /// Tokens of the conversation before.
    pub input_tokens: u64,
    /// Tokens that the model gave until then.
    pub output_tokens: u64,
    /// Tokens of the conversation now.
    pub input_tokens_after: u64,
    /// The most tokens that the model takes.
    pub context_limit: u64,
    /// What the agent that told of it said in its own words, when it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}
