//! `compact.post`.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::def::{ContextScope, EventClass, EventDef, RewriteTarget, no_aliases};
use crate::event::fragment::HostPayload;

/// The event definition of `compact.post`.
pub static ROW: EventDef = EventDef {
    name: "compact.post",
    fires_when: "The conversation has been compacted.",
    class: EventClass::Observe,
    subject: Some("reason"),
    target: RewriteTarget::Nothing,
    deny_means: "Nothing: hooks can observe this event, but not block it.",
    deny_restricts: true,
    context: ContextScope::Persistent,
    on_failure: FailurePolicy::Open,
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
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CompactPost {
    /// Why the conversation is compacted: `threshold`, `overflow` or `manual`.
    pub reason: String,
    /// The summary that replaces the removed messages.
    pub summary: String,
    /// The number of messages that were removed.
    pub removed_messages: u32,
    /// The number of messages that are left.
    pub remaining_messages: u32,
    /// The number of tokens in the conversation before the compaction.
    pub input_tokens: u64,
    /// The number of tokens that the model had produced before the compaction.
    pub output_tokens: u64,
    /// The number of tokens in the conversation after the compaction.
    pub input_tokens_after: u64,
    /// The maximum number of tokens that the model accepts; 0 if unknown.
    pub context_limit: u64,
    /// The host agent's own data for this event; absent in Pintle's own agent loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}
