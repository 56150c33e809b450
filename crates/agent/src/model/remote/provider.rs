//! Who provides models, and how each is reached.

use genai::adapter::AdapterKind;
use pintle::suggest_nearest;
use reqwest::Url;

/// One provider.
#[derive(Debug)]
pub(in crate::model) struct Provider {
    /// The name that users write.
    pub(in crate::model) name: &'static str,
    /// Which wire format it speaks.
    pub(super) adapter: AdapterKind,
    /// Its address, where the adapter's own is not right.
    pub(super) address: Option<&'static str>,
    /// The path of an address that names a host only.
    pub(super) path: &'static str,
    /// Whether it wants a key.
    pub(super) keyed: bool,
}

impl Provider {
    const fn new(name: &'static str, adapter: AdapterKind) -> Self {
        Self { name, adapter, address: None, path: "v1/", keyed: true }
    }

    /// A server on this machine that speaks the chat form and wants no key.
    const fn local(name: &'static str, address: &'static str) -> Self {
        Self { name, adapter: AdapterKind::OpenAI, address: Some(address), path: "v1/", keyed: false }
    }

    /// The environment variable that usually holds the key.
    pub(super) fn usual_key(&self) -> Option<&'static str> {
        self.adapter.default_key_env_name().filter(|_| self.keyed)
    }
}

/// All providers. Those that only differ from the chat form by their address need no adapter of their own.
static PROVIDERS: [Provider; 21] = [
    Provider::new("openai", AdapterKind::OpenAI),
    Provider::new("openai_responses", AdapterKind::OpenAIResp),
    Provider::new("anthropic", AdapterKind::Anthropic),
    Provider { path: "v1beta/", ..Provider::new("gemini", AdapterKind::Gemini) },
    // The names that docker-agent has for some of them.
    Provider { path: "v1beta/", ..Provider::new("google", AdapterKind::Gemini) },
    Provider::new("github-copilot", AdapterKind::GithubCopilot),
    Provider::local("dmr", "http://localhost:12434/engines/v1/"),
    Provider::local("ollama", "http://localhost:11434/v1/"),
    Provider::local("vllm", "http://localhost:8000/v1/"),
    Provider::local("lmstudio", "http://localhost:1234/v1/"),
    Provider::new("copilot", AdapterKind::GithubCopilot),
    Provider::new("cohere", AdapterKind::Cohere),
    Provider::new("deepseek", AdapterKind::DeepSeek),
    Provider::new("fireworks", AdapterKind::Fireworks),
    Provider::new("groq", AdapterKind::Groq),
    Provider::new("mistral", AdapterKind::Mistral),
    Provider::new("moonshot", AdapterKind::Moonshot),
    Provider::new("openrouter", AdapterKind::OpenRouter),
    Provider::new("together", AdapterKind::Together),
    Provider::new("xai", AdapterKind::Xai),
    Provider::new("zai", AdapterKind::Zai),
];

/// Finds a provider by name.
pub(in crate::model) fn provider(name: &str) -> Result<&'static Provider, String> {
    PROVIDERS.iter().find(|provider| provider.name == name).ok_or_else(|| {
        match suggest_nearest(name, provider_names()) {
            Some(near) => format!("unknown model provider `{name}`; did you mean `{near}`?"),
            None => {
                let known: Vec<_> = provider_names().collect();
                format!("unknown model provider `{name}`; the known ones are `{}`", known.join("`, `"))
            }
        }
    })
}

/// The names of all providers, scripts among them.
pub(in crate::model) fn provider_names() -> impl Iterator<Item = &'static str> {
    PROVIDERS.iter().map(|provider| provider.name).chain([crate::model::choice::SCRIPT])
}

/// An address as the adapters need it: with the usual path when it names a host only, and a slash at its end.
pub(super) fn address(written: &str, provider: &Provider) -> Result<String, String> {
    let wrong = |why: String| format!("the base_url `{written}` {why}; write it as `https://HOST/{}`", provider.path);
    let mut url = Url::parse(written.trim()).map_err(|error| wrong(format!("is no address ({error})")))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
        return Err(wrong(String::from("is no http address")));
    }
    let path = url.path().trim_end_matches('/');
    let path = path.strip_suffix("/chat/completions").unwrap_or(path);
    let path = if path.is_empty() { format!("/{}", provider.path) } else { format!("{path}/") };
    url.set_path(&path);
    Ok(url.to_string())
}

/// Whether an address is one of this machine.
pub(super) fn local(address: &str) -> bool {
    let url = Url::parse(address).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_made_whole() {
        let cases = [
            ("openai", "http://localhost:8000", Ok("http://localhost:8000/v1/")),
            ("openai", " https://x.test/v1 ", Ok("https://x.test/v1/")),
            ("openai", "https://x.test/v1/chat/completions", Ok("https://x.test/v1/")),
            ("gemini", "https://x.test/", Ok("https://x.test/v1beta/")),
            ("anthropic", "https://x.test/proxy", Ok("https://x.test/proxy/")),
            ("openai", "ftp://x", Err("the base_url `ftp://x` is no http address; write it as `https://HOST/v1/`")),
            (
                "openai",
                "x.test",
                Err(
                    "the base_url `x.test` is no address (relative URL without a base); write it as `https://HOST/v1/`",
                ),
            ),
        ];
        for (name, written, expected) in cases {
            let expected = expected.map(str::to_owned).map_err(str::to_owned);
            assert_eq!(address(written, provider(name).unwrap()), expected, "{written}");
        }
    }

    #[test]
    fn this_machine_is_known() {
        let cases = [
            ("http://localhost:1/v1/", true),
            ("http://127.0.0.9/", true),
            ("http://[::1]:2/", true),
            ("http://192.168.0.1/", false),
            ("https://localhost.test/", false),
        ];
        for (url, expected) in cases {
            assert_eq!(local(url), expected, "{url}");
        }
    }

    #[test]
    fn keys_have_their_usual_variables() {
        let usual: Vec<_> = ["openai", "anthropic", "gemini", "ollama"]
            .into_iter()
            .map(|name| provider(name).unwrap().usual_key())
            .collect();
        assert_eq!(usual, [Some("OPENAI_API_KEY"), Some("ANTHROPIC_API_KEY"), Some("GEMINI_API_KEY"), None]);
    }
}
