//! `compact.before`.

use super::prelude::*;

/// The event definition of `compact.before`.
pub static ROW: EventDef = EventDef {
    fires_when: "The summary for a compaction is about to be written; a hook can supply it instead.",
    subject: Some("reason"),
    deny_means: "The conversation is not compacted; the user sees the reason.",
    on_failure: FailurePolicy::Open,
    ..EventDef::guard("compact.before")
};

/// The payload of `compact.before`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CompactBefore {
    /// Why the conversation is compacted: `threshold`, `overflow` or `manual`.
    pub reason: String,
    /// The number of tokens in the conversation.
    pub input_tokens: u64,
    /// The number of tokens that the model has produced so far.
    pub output_tokens: u64,
    /// The maximum number of tokens that the model accepts; 0 if unknown.
    pub context_limit: u64,
    /// The messages that are about to be summarised, oldest first.
    pub messages: Vec<ChatMessage>,
    /// The host agent's own data for this event; absent in Pintle's own agent loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}
