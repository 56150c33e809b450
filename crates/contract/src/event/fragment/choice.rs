//! One answer of a model.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ChatMessage;

/// One answer of a model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CompletionChoice {
    /// Its place among the answers, from 0.
    pub index: u32,
    /// What the model said.
    pub message: ChatMessage,
    /// Why the model stopped: `stop`, `tool_calls`, `length`, `content_filter` or the provider's own word.
    pub finish_reason: String,
}
