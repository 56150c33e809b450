//! One answer of a model.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Message;

/// One answer of a model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Choice {
    /// Its place among the answers, from 0.
    pub index: u32,
    /// What the model said.
    pub message: Message,
    /// Why the model stopped: `stop`, `tool_calls`, `length`, `content_filter` or the provider's own word.
    pub finish_reason: String,
}
