//! Tells a request that is too long from other rejected requests.

/// Parts of provider errors that report a conversation as too long, in lower case.
static TOO_LONG: &[&str] = &[
    "context_length_exceeded",
    "context length",
    "context window",
    "maximum context",
    "prompt is too long",
    "prompt too long",
    "input is too long",
    "input too long",
    "too many tokens",
    "exceeds the maximum number of tokens",
    "input token count",
    "reduce the length of the messages",
    "request too large for model",
];

/// Whether a provider's error says that a request is too long for the model.
pub(crate) fn is_context_overflow(message: &str) -> bool {
    let message = message.to_lowercase();
    TOO_LONG.iter().any(|words| message.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overflow_is_told_from_other_refusals() {
        let long = [
            "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
            "prompt is too long: 210000 tokens > 200000 maximum",
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
            "error code: context_length_exceeded",
        ];
        for message in long {
            assert!(is_context_overflow(message), "{message}");
        }
        for message in ["wrong key", "rate limit reached for tokens per minute", "the server is overloaded"] {
            assert!(!is_context_overflow(message), "{message}");
        }
    }
}
