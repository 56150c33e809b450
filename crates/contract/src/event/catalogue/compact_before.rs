//! `compact.before`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::ChatMessage;
use crate::event::fragment::HostPayload;
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of, no_aliases};

/// The row of `compact.before`.
pub static ROW: EventDef = EventDef {
    name: "compact.before",
    fires_when: "The summary of a compaction is about to be written; a hook may write it instead.",
    class: EventClass::Guard,
    subject: Some("reason"),
    target: RewriteTarget::Nothing,
    deny_means: "The conversation stays as it is; the person sees the reason.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    schema: schema_of::<CompactBefore>,
    example: || {
        json!({
            "reason": "threshold",
            "input_tokens": 115200,
            "output_tokens": 9800,
            "context_limit": 128000,
            "messages": [{"role": "user", "content": "fix the login test"}],
        })
    },
    normalize: no_aliases,
};

/// The payload of `compact.before`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CompactBefore {
    /// Why: `threshold`, `overflow` or `manual`.
    pub reason: String,
    /// Tokens of the conversation.
    pub input_tokens: u64,
    /// Tokens that the model gave so far.
    pub output_tokens: u64,
    /// The most tokens that the model takes; 0 when it is not known.
    pub context_limit: u64,
    /// What is about to be summed up, oldest first.
    pub messages: Vec<ChatMessage>,
    /// What the agent that told of it said in its own words, when it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}
