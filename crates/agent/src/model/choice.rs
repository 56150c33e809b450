//! Parses model names as users write them.

use pintle_host::contract::{ModelSpec, RetrySpec, suggest_nearest};

use super::remote;

/// The provider name of scripted models.
pub(super) const SCRIPT: &str = "script";

/// Prefixes of well-known model names, with their provider.
const FAMILIES: [(&str, &str); 7] = [
    ("gpt-", "openai"),
    ("chatgpt-", "openai"),
    ("o1", "openai"),
    ("o3", "openai"),
    ("o4", "openai"),
    ("claude-", "anthropic"),
    ("gemini-", "gemini"),
];

/// The reason why a text does not name a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelNameError {
    /// The text is empty.
    #[error("no model was given; write it as `PROVIDER:NAME`, such as `openai:gpt-4o`")]
    NoModel,
    /// Only the provider is given.
    #[error("model `{typed}` has no name; write it as `PROVIDER:NAME`, such as `openai:gpt-4o`")]
    NoName {
        /// The text as typed.
        typed: String,
    },
    /// The provider does not exist.
    #[error("{message}")]
    UnknownProvider {
        /// The name that was given, with the nearest one or all.
        message: String,
    },
    /// The text is the name of a file.
    #[error("`{typed}` looks like a script file; write it as `script:{typed}`")]
    ScriptFile {
        /// The text as typed.
        typed: String,
    },
    /// The text is a provider, possibly misspelled.
    #[error("`{typed}` does not name a model; write it as `{provider}:NAME`")]
    ProviderOnly {
        /// The text as typed.
        typed: String,
        /// The nearest provider.
        provider: &'static str,
    },
    /// The name does not tell its provider.
    #[error("cannot infer the provider of model `{typed}`; write it as `PROVIDER:{typed}`, such as `ollama:{typed}`")]
    UnknownFamily {
        /// The text as typed.
        typed: String,
    },
}

/// Parses a model name: `openai:gpt-4o`, `ollama:llama3.2:3b`, `script:demo.yaml`, or a well-known name alone.
///
/// The settings of the `declared` model are kept (tokens, temperature, retries). Its address and key are kept only if
/// the provider is the same. A name without a provider whose family is unknown belongs to the declared provider.
///
/// # Errors
/// When the provider does not exist, or cannot be inferred from the name.
pub fn choose(typed: &str, declared: Option<&ModelSpec>) -> Result<ModelSpec, ModelNameError> {
    let typed = typed.trim();
    if typed.is_empty() {
        return Err(ModelNameError::NoModel);
    }
    let (provider, name) = split_provider(typed, declared)?;
    if name.is_empty() {
        return Err(ModelNameError::NoName { typed: typed.to_owned() });
    }
    let same = declared.filter(|spec| spec.provider == provider);
    Ok(ModelSpec {
        name: name.to_owned(),
        provider: provider.to_owned(),
        base_url: same.and_then(|spec| spec.base_url.clone()),
        api_key_env: same.and_then(|spec| spec.api_key_env.clone()),
        max_tokens: declared.and_then(|spec| spec.max_tokens),
        temperature: declared.and_then(|spec| spec.temperature),
        retry: declared.map_or_else(RetrySpec::default, |spec| spec.retry),
    })
}

fn split_provider<'a>(typed: &'a str, declared: Option<&'a ModelSpec>) -> Result<(&'a str, &'a str), ModelNameError> {
    if let Some((provider, name)) = typed.split_once(':') {
        if provider == SCRIPT {
            return Ok((provider, name));
        }
        let known = remote::find_provider(provider);
        return known.map(|known| (known.name, name)).map_err(|message| ModelNameError::UnknownProvider { message });
    }
    if let Some((_, provider)) = FAMILIES.iter().find(|(prefix, _)| typed.starts_with(prefix)) {
        return Ok((provider, typed));
    }
    if let Some(spec) = declared.filter(|spec| spec.provider != SCRIPT) {
        return Ok((&spec.provider, typed));
    }
    if typed.ends_with(".yaml") || typed.ends_with(".yml") {
        return Err(ModelNameError::ScriptFile { typed: typed.to_owned() });
    }
    // A provider without a model name, possibly misspelled.
    if let Some(near) = suggest_nearest(typed, remote::provider_names()) {
        return Err(ModelNameError::ProviderOnly { typed: typed.to_owned(), provider: near });
    }
    Err(ModelNameError::UnknownFamily { typed: typed.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model_spec(provider: &str, name: &str) -> ModelSpec {
        ModelSpec {
            name: name.into(),
            provider: provider.into(),
            base_url: None,
            api_key_env: None,
            max_tokens: None,
            temperature: None,
            retry: RetrySpec::default(),
        }
    }

    #[test]
    fn what_people_type_is_read() {
        let cases = [
            ("openai:gpt-4o", model_spec("openai", "gpt-4o")),
            ("ollama:llama3.2:3b", model_spec("ollama", "llama3.2:3b")),
            ("script:a/b:c.yaml", model_spec("script", "a/b:c.yaml")),
            ("gpt-4o", model_spec("openai", "gpt-4o")),
            ("o3-mini", model_spec("openai", "o3-mini")),
            ("claude-sonnet-4-5", model_spec("anthropic", "claude-sonnet-4-5")),
            (" gemini-2.5-pro ", model_spec("gemini", "gemini-2.5-pro")),
        ];
        for (typed, expected) in cases {
            assert_eq!(choose(typed, None), Ok(expected), "{typed}");
        }
    }

    #[test]
    fn what_is_declared_stays_where_it_fits() {
        let declared = ModelSpec {
            base_url: Some("http://localhost:1/v1".into()),
            api_key_env: Some("KEY".into()),
            max_tokens: Some(9),
            temperature: Some(0.5),
            ..model_spec("openai", "gpt-4o")
        };
        let other = choose("my-own-model", Some(&declared)).unwrap();
        assert_eq!(other, ModelSpec { name: "my-own-model".into(), ..declared.clone() });
        // Neither the address nor the key of one provider is used for another.
        let elsewhere = choose("anthropic:claude-x", Some(&declared)).unwrap();
        assert_eq!(
            elsewhere,
            ModelSpec { max_tokens: Some(9), temperature: Some(0.5), ..model_spec("anthropic", "claude-x") }
        );
    }

    #[test]
    fn what_cannot_be_read_says_what_to_write() {
        let cases = [
            ("opnai:gpt-4o", "unknown model provider `opnai`; did you mean `openai`?"),
            ("openai:", "model `openai:` has no name; write it as `PROVIDER:NAME`, such as `openai:gpt-4o`"),
            (" ", "no model was given; write it as `PROVIDER:NAME`, such as `openai:gpt-4o`"),
            ("demo.yaml", "`demo.yaml` looks like a script file; write it as `script:demo.yaml`"),
            ("anthropic", "`anthropic` does not name a model; write it as `anthropic:NAME`"),
            (
                "my-llm",
                "cannot infer the provider of model `my-llm`; write it as `PROVIDER:my-llm`, such as `ollama:my-llm`",
            ),
        ];
        for (typed, message) in cases {
            assert_eq!(choose(typed, None).unwrap_err().to_string(), message, "{typed}");
        }
    }
}
