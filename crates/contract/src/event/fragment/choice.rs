//! One choice of a model response.

use serde::{Deserialize, Serialize};

use super::ChatMessage;

/// One choice of a model response.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CompletionChoice {
    /// The index of the choice, from 0.
    pub index: u32,
    /// The message that the model produced.
    pub message: ChatMessage,
    /// Why the model stopped: `stop`, `tool_calls`, `length`, `content_filter` or the provider's own value.
    pub finish_reason: String,
}
