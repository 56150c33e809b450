//! `compact.pre`.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::def::{ContextScope, EventClass, EventDef, RewriteTarget, no_aliases};
use crate::event::fragment::HostPayload;

/// The event definition of `compact.pre`.
pub static ROW: EventDef = EventDef {
    name: "compact.pre",
    fires_when: "The conversation is about to be compacted; nothing has been prepared yet.",
    class: EventClass::Guard,
    subject: Some("source"),
    target: RewriteTarget::Nothing,
    deny_means: "The conversation is not compacted; the user sees the reason.",
    deny_restricts: true,
    context: ContextScope::Call,
    on_failure: FailurePolicy::Closed,
    example: || json!({"source": "auto", "message_count": 182}),
    normalize: no_aliases,
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
