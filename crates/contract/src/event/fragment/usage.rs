//! Tokens used.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tokens used, in both spellings of the field's providers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TokenUsage {
    /// Tokens that went in.
    pub input_tokens: u64,
    /// Tokens that came out.
    pub output_tokens: u64,
    /// Both together.
    pub total_tokens: u64,
    /// The same number as `input_tokens`.
    pub prompt_tokens: u64,
    /// The same number as `output_tokens`.
    pub completion_tokens: u64,
    /// Tokens of the input that were read from the provider's cache, when the provider tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_input_tokens: Option<u64>,
    /// Tokens of the output that were spent on reasoning, when the provider tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u64>,
}

impl TokenUsage {
    /// Usage in both spellings.
    #[must_use]
    pub fn new(input_tokens: u64, output_tokens: u64) -> Self {
        Self {
            input_tokens,
            output_tokens,
            total_tokens: input_tokens.saturating_add(output_tokens),
            prompt_tokens: input_tokens,
            completion_tokens: output_tokens,
            cached_input_tokens: None,
            reasoning_tokens: None,
        }
    }

    /// This usage and another one together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let optional = |one: Option<u64>, two: Option<u64>| match (one, two) {
            (None, None) => None,
            (one, two) => Some(one.unwrap_or(0).saturating_add(two.unwrap_or(0))),
        };
        Self {
            cached_input_tokens: optional(self.cached_input_tokens, other.cached_input_tokens),
            reasoning_tokens: optional(self.reasoning_tokens, other.reasoning_tokens),
            ..Self::new(
                self.input_tokens.saturating_add(other.input_tokens),
                self.output_tokens.saturating_add(other.output_tokens),
            )
        }
    }
}
