//! `compact.post`.

use super::prelude::*;

/// The event definition of `compact.post`.
pub static ROW: EventDef = EventDef {
    fires_when: "The conversation has been compacted.",
    subject: Some("reason"),
    context: ContextScope::Persistent,
    ..EventDef::observe("compact.post")
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
