//! `compact.before`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::Message;
use crate::event::piece::HostSaid;
use crate::event::row::{Class, ContextScope, Row, Target, schema_of, settled};

/// The row of `compact.before`.
pub static ROW: Row = Row {
    name: "compact.before",
    fires: "The summary of a compaction is about to be written; a hook may write it instead.",
    class: Class::Guard,
    subject: Some("reason"),
    target: Target::Nothing,
    deny: "The conversation stays as it is; the person sees the reason.",
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
    settle: settled,
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
    pub messages: Vec<Message>,
    /// What the agent that told of it said in its own words, when it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostSaid>,
}
