//! Context windows of well-known models, and the errors by which providers report a conversation that is too long.

/// Prefixes of model names with the model's context window in tokens; the first match wins. These are the commonly
/// published numbers, not checked against each provider. A model's own `context_size` takes precedence, and a window
/// that is too large here only means that a rejected request starts the compaction.
static WINDOWS: &[(&str, u64)] = &[
    ("gpt-4o", 128_000),
    ("gpt-4.1", 1_047_576),
    ("gpt-4-turbo", 128_000),
    ("gpt-4-32k", 32_768),
    ("gpt-4", 8_192),
    ("gpt-3.5", 16_385),
    ("gpt-5", 400_000),
    ("gpt-oss", 131_072),
    ("chatgpt-4o", 128_000),
    ("o1-mini", 128_000),
    ("o1", 200_000),
    ("o3", 200_000),
    ("o4", 200_000),
    ("claude", 200_000),
    ("gemini-1.5-pro", 2_097_152),
    ("gemini", 1_048_576),
    ("deepseek", 128_000),
    ("mistral-large", 128_000),
    ("mistral-medium", 128_000),
    ("mistral-small", 128_000),
    ("codestral", 256_000),
    ("devstral", 128_000),
    ("llama-4", 1_000_000),
    ("llama-3", 128_000),
    ("llama3", 128_000),
    ("qwen3", 131_072),
    ("qwen2.5", 131_072),
    ("grok-4", 256_000),
    ("grok-3", 131_072),
    ("kimi-k2", 262_144),
    ("command-r", 128_000),
];

/// The context window of a model, if its name is known. A name may have a prefix, as in `openai/gpt-4o`.
pub(super) fn context_window(model: &str) -> Option<u64> {
    let name = model.rsplit('/').next().unwrap_or(model).to_lowercase();
    WINDOWS.iter().find(|(start, _)| name.starts_with(start)).map(|(_, tokens)| *tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_known_by_the_models_name() {
        let cases = [
            ("gpt-4o", Some(128_000)),
            ("openai/gpt-4.1-mini", Some(1_047_576)),
            ("gpt-4-0613", Some(8_192)),
            ("Claude-Sonnet-4-5", Some(200_000)),
            ("ai/qwen3:8B", Some(131_072)),
            ("my-model", None),
        ];
        for (model, expected) in cases {
            assert_eq!(context_window(model), expected, "{model}");
        }
    }
}
