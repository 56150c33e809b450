//! `compact.pre`.

use super::prelude::*;

/// The event definition of `compact.pre`.
pub static ROW: EventDef = EventDef {
    fires_when: "The conversation is about to be compacted; nothing has been prepared yet.",
    subject: Some("source"),
    deny_means: "The conversation is not compacted; the user sees the reason.",
    context: ContextScope::Call,
    ..EventDef::guard("compact.pre")
};

/// The payload of `compact.pre`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CompactPre {
    /// Why the conversation is compacted: `auto`, `overflow`, `manual` or `tool_overflow`.
    pub source: String,
    /// The number of messages in the conversation.
    pub message_count: u32,
    /// The user's instructions on what to keep.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// The host agent's own data for this event; absent in Pintle's own agent loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}
