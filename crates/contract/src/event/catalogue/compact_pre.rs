//! `compact.pre`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::fragment::HostPayload;
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of, no_aliases};

/// The row of `compact.pre`.
pub static ROW: EventDef = EventDef {
    name: "compact.pre",
    fires_when: "The conversation is about to be compacted, and nothing was prepared yet.",
    class: EventClass::Guard,
    subject: Some("source"),
    target: RewriteTarget::Nothing,
    deny_means: "The conversation stays as it is; the person sees the reason.",
    deny_restricts: true,
    context: ContextScope::Call,
    on_failure: FailurePolicy::Closed,
    schema: schema_of::<CompactPre>,
    example: || json!({"source": "auto", "message_count": 182}),
    normalize: no_aliases,
};

/// The payload of `compact.pre`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CompactPre {
    /// Why: `auto`, `overflow`, `manual` or `tool_overflow`.
    pub source: String,
    /// How many messages the conversation has.
    pub message_count: u32,
    /// What the person wants to be kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// What the agent that told of it said in its own words, when it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}
