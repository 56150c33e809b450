//! Token usage.

use serde::{Deserialize, Serialize};

/// Token usage, under the field names of both OpenAI and Anthropic.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct TokenUsage {
    /// The number of input tokens.
    pub input_tokens: u64,
    /// The number of output tokens.
    pub output_tokens: u64,
    /// The sum of input and output tokens.
    pub total_tokens: u64,
    /// Alias of `input_tokens`.
    pub prompt_tokens: u64,
    /// Alias of `output_tokens`.
    pub completion_tokens: u64,
    /// The number of input tokens read from the provider's cache; absent if the provider does not report it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_input_tokens: Option<u64>,
    /// The number of output tokens spent on reasoning; absent if the provider does not report it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u64>,
}

impl TokenUsage {
    /// Creates a usage and fills in the sum and the aliases.
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

    /// Adds another usage.
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
