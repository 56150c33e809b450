//! The model providers and their addresses.

use genai::adapter::AdapterKind;
use pintle_host::contract::suggest_nearest;
use reqwest::Url;

#[derive(Debug)]
pub(in crate::model) struct ProviderDef {
    /// The name that users write.
    pub(in crate::model) name: &'static str,
    /// The wire format it uses.
    pub(super) adapter: AdapterKind,
    /// Its address, if the adapter's default is not right.
    pub(super) address: Option<&'static str>,
    /// The path for an address that names only a host.
    pub(super) path: &'static str,
    /// Whether it requires a key.
    pub(super) is_key_required: bool,
    /// The environment variable with which users of its own programs set the address.
    pub(super) address_variable: Option<&'static str>,
}

impl ProviderDef {
    const fn new(name: &'static str, adapter: AdapterKind) -> Self {
        Self { name, adapter, address: None, path: "v1/", is_key_required: true, address_variable: None }
    }

    /// A server on this machine that uses the chat format and needs no key.
    const fn new_local(name: &'static str, address: &'static str) -> Self {
        Self { address: Some(address), is_key_required: false, ..Self::new(name, AdapterKind::OpenAI) }
    }

    const fn with_address_variable(self, address_variable: &'static str) -> Self {
        Self { address_variable: Some(address_variable), ..self }
    }

    /// The environment variable that usually holds the key.
    pub(super) fn default_key_variable(&self) -> Option<&'static str> {
        self.adapter.default_key_env_name().filter(|_| self.is_key_required)
    }
}

/// All providers. Those that differ from the chat format only by their address share its adapter.
static PROVIDERS: [ProviderDef; 21] = [
    ProviderDef::new("openai", AdapterKind::OpenAI).with_address_variable("OPENAI_BASE_URL"),
    ProviderDef::new("openai_responses", AdapterKind::OpenAIResp).with_address_variable("OPENAI_BASE_URL"),
    ProviderDef::new("anthropic", AdapterKind::Anthropic),
    ProviderDef { path: "v1beta/", ..ProviderDef::new("gemini", AdapterKind::Gemini) },
    // docker-agent's names for some providers.
    ProviderDef { path: "v1beta/", ..ProviderDef::new("google", AdapterKind::Gemini) },
    ProviderDef::new("github-copilot", AdapterKind::GithubCopilot),
    ProviderDef::new_local("dmr", "http://localhost:12434/engines/v1/"),
    ProviderDef::new_local("ollama", "http://localhost:11434/v1/").with_address_variable("OLLAMA_HOST"),
    ProviderDef::new_local("vllm", "http://localhost:8000/v1/"),
    ProviderDef::new_local("lmstudio", "http://localhost:1234/v1/"),
    ProviderDef::new("copilot", AdapterKind::GithubCopilot),
    ProviderDef::new("cohere", AdapterKind::Cohere),
    ProviderDef::new("deepseek", AdapterKind::DeepSeek),
    ProviderDef::new("fireworks", AdapterKind::Fireworks),
    ProviderDef::new("groq", AdapterKind::Groq),
    ProviderDef::new("mistral", AdapterKind::Mistral),
    ProviderDef::new("moonshot", AdapterKind::Moonshot),
    ProviderDef::new("openrouter", AdapterKind::OpenRouter),
    ProviderDef::new("together", AdapterKind::Together),
    ProviderDef::new("xai", AdapterKind::Xai),
    ProviderDef::new("zai", AdapterKind::Zai),
];

/// Finds a provider by name.
pub(in crate::model) fn find_provider(name: &str) -> Result<&'static ProviderDef, String> {
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

/// The names of all providers, including `script`.
pub(in crate::model) fn provider_names() -> impl Iterator<Item = &'static str> {
    PROVIDERS.iter().map(|provider| provider.name).chain([crate::model::choice::SCRIPT])
}

/// An address in the form the adapters need: with the default path if it names only a host, and a slash at the end.
pub(super) fn complete_address(written: &str, provider: &ProviderDef) -> Result<String, String> {
    let wrong =
        |reason: String| format!("the base_url `{written}` {reason}; write it as `https://HOST/{}`", provider.path);
    let mut url = Url::parse(written.trim()).map_err(|error| wrong(format!("is not a URL ({error})")))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
        return Err(wrong(String::from("is not an http address")));
    }
    let path = url.path().trim_end_matches('/');
    let path = path.strip_suffix("/chat/completions").unwrap_or(path);
    let path = if path.is_empty() { format!("/{}", provider.path) } else { format!("{path}/") };
    url.set_path(&path);
    Ok(url.to_string())
}

/// The address that a variable sets. `OLLAMA_HOST` may be a host alone, also the one that a server listens on.
pub(super) fn address_of_variable(name: &str, value: &str) -> String {
    if name != "OLLAMA_HOST" || value.contains("://") {
        return value.to_owned();
    }
    let value = value.trim_end_matches('/');
    let (host, port) = value
        .rsplit_once(':')
        .filter(|(_, port)| port.bytes().all(|letter| letter.is_ascii_digit()))
        .unwrap_or((value, "11434"));
    let host = if matches!(host, "" | "0.0.0.0") { "127.0.0.1" } else { host };
    format!("http://{host}:{port}")
}

/// Whether an address is on this machine.
pub(super) fn is_local_address(address: &str) -> bool {
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
            ("openai", "ftp://x", Err("the base_url `ftp://x` is not an http address; write it as `https://HOST/v1/`")),
            (
                "openai",
                "x.test",
                Err("the base_url `x.test` is not a URL (relative URL without a base); write it as `https://HOST/v1/`"),
            ),
        ];
        for (name, written, expected) in cases {
            let expected = expected.map(str::to_owned).map_err(str::to_owned);
            assert_eq!(complete_address(written, find_provider(name).unwrap()), expected, "{written}");
        }
    }

    #[test]
    fn ollama_host_may_be_a_host_alone() {
        for (value, expected) in [
            ("box:8080", "http://box:8080"),
            ("box", "http://box:11434"),
            ("0.0.0.0", "http://127.0.0.1:11434"),
            (":1234", "http://127.0.0.1:1234"),
            ("https://box/ollama", "https://box/ollama"),
        ] {
            assert_eq!(address_of_variable("OLLAMA_HOST", value), expected, "{value}");
        }
        assert_eq!(address_of_variable("OPENAI_BASE_URL", "x.test"), "x.test");
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
            assert_eq!(is_local_address(url), expected, "{url}");
        }
    }

    #[test]
    fn keys_have_their_usual_variables() {
        let usual: Vec<_> = ["openai", "anthropic", "gemini", "ollama"]
            .into_iter()
            .map(|name| find_provider(name).unwrap().default_key_variable())
            .collect();
        assert_eq!(usual, [Some("OPENAI_API_KEY"), Some("ANTHROPIC_API_KEY"), Some("GEMINI_API_KEY"), None]);
    }
}
