//! Reads models and their providers.

use pintle_contract::{ByteSpan, ModelSpec, RetrySpec};

use super::{entries_of, report_unknown};
use crate::document::{DocNode, FieldReader, FileReport, KeyTable, MapEntry, UnknownKeys, key};

/// The number of retries after docker-agent's first attempt.
pub(super) const RETRIES: u32 = 2;
/// The temperatures that providers accept.
const TEMPERATURES: std::ops::RangeInclusive<f64> = 0.0..=2.0;
/// The fractions of a model's context window that may start a compaction.
pub(super) const THRESHOLDS: std::ops::RangeInclusive<f64> = 0.01..=1.0;
/// The protocol of a custom provider that does not name one.
const DEFAULT_PROVIDER: &str = "openai";
/// The model name with which docker-agent chooses a model by its API keys.
const AUTOMATIC: &str = "auto";

#[derive(Debug)]
pub(super) struct ModelTable<'a> {
    report: &'a FileReport,
    declared: Vec<(&'a str, ResolvedModel)>,
    providers: Vec<(&'a str, ProviderKeys)>,
}

/// A resolved model of an agent.
#[derive(Debug, Clone)]
pub(super) struct ResolvedModel {
    pub(super) spec: ModelSpec,
    /// The fallback models, as written: names of models and `provider/model`.
    pub(super) alternatives: Vec<(String, ByteSpan)>,
    /// The fraction of its context window that starts a compaction.
    pub(super) threshold: Option<f64>,
    /// Its context window in tokens.
    pub(super) window: Option<u64>,
}

/// The keys of models and providers, in a table of their own each. Sampling and transport settings that Pintle does not
/// implement change how a model answers, not what an agent may do.
macro_rules! model_keys {
    ($keys:ty; $($key:expr),* $(,)?) => {
        &[
            $($key,)*
            key!(token_key?: text, "the provider's", "The environment variable that holds the API key."),
            key!(temperature?: number(TEMPERATURES), "the provider's", "The sampling temperature."),
            key!(max_tokens?: integer(1..=u32::MAX), "the provider's", "The maximum number of tokens of one reply."),
            key!("base_url": with(|fields, own: &mut $keys| own.base_url = read_base_url(fields), "text", "the provider's"),
                "The server's address."),
            key!("track_usage": ignored("true or false", "true"), "No effect: the tape has the usage."),
            key!("top_p": unsupported("the provider's own default applies")),
            key!("frequency_penalty": unsupported("the provider's own default applies")),
            key!("presence_penalty": unsupported("the provider's own default applies")),
            key!("parallel_tool_calls": unsupported("the provider's own default applies")),
            key!("thinking_budget": unsupported("the provider's own default applies")),
            key!("task_budget": unsupported("the provider's own default applies")),
            key!("auth": unsupported("name the variable that holds the key with `token_key`")),
            key!("compaction_model": unsupported("the agent's own model writes its summaries")),
        ]
    };
}

/// One of `models`.
#[derive(Debug, Default)]
pub(in crate::docker_agent::load) struct ModelKeys {
    provider: Option<String>,
    model: Option<String>,
    first_available: Vec<(String, ByteSpan)>,
    token_key: Option<String>,
    temperature: Option<f64>,
    max_tokens: Option<u32>,
    base_url: Option<String>,
    compaction_threshold: Option<f64>,
    window: Option<u64>,
}

pub(in crate::docker_agent::load) static MODEL: KeyTable<ModelKeys> = KeyTable {
    title: "models.NAME",
    about: "A language model.",
    start: ModelKeys::default,
    unknown: UnknownKeys::Refused,
    keys: model_keys![ModelKeys;
        key!("first_available": with(|fields, own: &mut ModelKeys| own.first_available = read_names(fields, "first_available"),
            "list of texts", "none"), "Models of which the first is used, and the others when it fails."),
        key!(provider?: text, "required", "The provider, or one of `providers`."),
        key!(model?: text, "required", "The model's name at the provider."),
        key!(compaction_threshold?: number(THRESHOLDS), "the agent's",
            "The share of its window at which a conversation is compacted."),
        key!("provider_opts": with(|fields, own: &mut ModelKeys| own.window = read_options(fields), "mapping", "none"),
            "Options of the provider, of which `context_size`, the window in tokens, has an effect."),
        key!("description": ignored("text", "none"), "What it is for, for readers."),
        key!("bypass_models_gateway": unsupported("Pintle always calls models directly")),
        key!("routing": unsupported("set the right model for each agent")),
        key!("title_model": unsupported("sessions have no titles")),
        key!("capabilities": unsupported("Pintle sends only text")),
        key!("cost": unsupported("Pintle does not compute the cost of a run")),
    ],
};

/// One of `providers`.
#[derive(Debug, Clone)]
pub(in crate::docker_agent::load) struct ProviderKeys {
    provider: String,
    speaks_responses: bool,
    token_key: Option<String>,
    temperature: Option<f64>,
    max_tokens: Option<u32>,
    base_url: Option<String>,
}

pub(in crate::docker_agent::load) static PROVIDER: KeyTable<ProviderKeys> = KeyTable {
    title: "providers.NAME",
    about: "A provider of models.",
    start: || ProviderKeys {
        provider: String::from(DEFAULT_PROVIDER),
        speaks_responses: false,
        token_key: None,
        temperature: None,
        max_tokens: None,
        base_url: None,
    },
    unknown: UnknownKeys::Refused,
    keys: model_keys![ProviderKeys;
        key!(provider: text, "The provider whose protocol it has."),
        key!("api_type" => speaks_responses: choice(API_TYPES), "The form of OpenAI's protocol."),
        key!("unload_api": unsupported("Pintle does not unload models")),
        key!("provider_opts": unsupported("the provider's own defaults apply")),
    ],
};

/// The forms of OpenAI's protocol, and whether it is the one of responses.
const API_TYPES: &[(&str, bool)] = &[("openai_chatcompletions", false), ("openai_responses", true)];

impl<'a> ModelTable<'a> {
    pub(super) fn read(fields: &mut FieldReader<'a>) -> Self {
        let report = fields.report();
        let providers =
            entries_of(fields, "providers").iter().map(|entry| (entry.key.as_str(), read_provider(report, entry)));
        let mut models = Self { report, declared: Vec::new(), providers: providers.collect() };
        for entry in entries_of(fields, "models") {
            if let Some(model) = models.read_model(entry) {
                models.declared.push((&entry.key, model));
            }
        }
        models
    }

    /// Resolves a model text: a name in `models`, `provider/model`, `script:FILE`, or several of them separated by
    /// commas, of which the first is used and the others are fallbacks. `None` for `auto`, or if it is invalid, which
    /// is reported.
    pub(super) fn choose(&self, text: &str, span: ByteSpan) -> Option<ResolvedModel> {
        let mut several = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        let first = several.next()?;
        let mut chosen = self.resolve_one(first, span)?;
        let others: Vec<_> = several.map(|name| (name.to_owned(), span)).collect();
        if !others.is_empty() {
            let help = "name one model, and list the others under `fallback: {models: [..]}`";
            let message =
                format!("`{first}` is always used, and the others only when it fails: models do not alternate");
            self.report.warning("not_supported", message, span, help);
        }
        chosen.alternatives.extend(others);
        Some(chosen)
    }

    /// Resolves fallback models, in their order.
    pub(super) fn resolve(&self, others: &[(String, ByteSpan)]) -> Vec<ModelSpec> {
        others.iter().filter_map(|(name, span)| self.resolve_one(name, *span)).map(|chosen| chosen.spec).collect()
    }

    fn resolve_one(&self, name: &str, span: ByteSpan) -> Option<ResolvedModel> {
        if let Some((_, known)) = self.declared.iter().find(|(known, _)| *known == name) {
            return Some(known.clone());
        }
        if name == AUTOMATIC {
            let help = "name a model, or pass `--model`";
            self.report.warning("not_supported", "choosing a model automatically is not supported yet", span, help);
            return None;
        }
        if let Some(file) = name.strip_prefix("script:") {
            return Some(without_options(ModelSpec { name: file.to_owned(), ..empty_model("script") }));
        }
        match name.split_once('/') {
            Some((provider, model)) if !provider.is_empty() && !model.is_empty() => {
                Some(without_options(ModelSpec { name: model.to_owned(), ..self.provider_default(provider) }))
            }
            _ => {
                let known = self.declared.iter().map(|(name, _)| *name);
                report_unknown(
                    self.report,
                    "the model",
                    name,
                    span,
                    known,
                    "write `PROVIDER/MODEL`, or declare it under `models`",
                );
                None
            }
        }
    }

    /// A model of a provider, without its name.
    fn provider_default(&self, name: &str) -> ModelSpec {
        let Some((_, own)) = self.providers.iter().find(|(known, _)| *known == name) else { return empty_model(name) };
        ModelSpec {
            base_url: own.base_url.clone(),
            api_key_env: own.token_key.clone(),
            temperature: own.temperature,
            max_tokens: own.max_tokens,
            ..empty_model(&own.provider)
        }
    }

    fn read_model(&self, entry: &'a MapEntry) -> Option<ResolvedModel> {
        let fields = FieldReader::of_entry(self.report, "model", entry);
        let place = fields.span();
        let keys = MODEL.read_whole(fields);
        let spec =
            keys.provider.as_deref().map_or_else(|| empty_model(DEFAULT_PROVIDER), |name| self.provider_default(name));
        let spec = ModelSpec {
            name: keys.model.clone().unwrap_or_default(),
            base_url: keys.base_url.or(spec.base_url),
            api_key_env: keys.token_key.or(spec.api_key_env),
            max_tokens: keys.max_tokens.or(spec.max_tokens),
            temperature: keys.temperature.or(spec.temperature),
            ..spec
        };
        if let Some(((first, span), others)) = keys.first_available.split_first() {
            let message = format!("the model `{}` always uses `{first}`, and the others only when it fails", entry.key);
            self.report.warning("not_supported", message, *span, "Pintle does not check which API keys are set");
            let chosen = self.resolve_one(first, *span)?;
            return Some(ResolvedModel { alternatives: others.to_vec(), ..chosen });
        }
        for (key, value) in [("provider", &keys.provider), ("model", &keys.model)] {
            if value.is_none() {
                let message = format!("model `{}` needs `{key}`", entry.key);
                let help = "for example `provider: openai` and `model: gpt-4o`";
                self.report.value_error("missing_key", message, place, help);
            }
        }
        let is_whole = keys.provider.is_some() && keys.model.is_some();
        let (threshold, window) = (keys.compaction_threshold, keys.window);
        is_whole.then(|| ResolvedModel { threshold, window, ..without_options(spec) })
    }
}

/// The names of a list of strings, each with its location.
pub(super) fn read_names(fields: &mut FieldReader<'_>, key: &'static str) -> Vec<(String, ByteSpan)> {
    // The getter reports a value that is not a string.
    let _ = fields.texts(key);
    let items = fields.node(key).and_then(DocNode::items);
    items.unwrap_or_default().iter().filter_map(|item| Some((item.as_text()?.to_owned(), item.span))).collect()
}

fn without_options(spec: ModelSpec) -> ResolvedModel {
    ResolvedModel { spec, alternatives: Vec::new(), threshold: None, window: None }
}

fn empty_model(provider: &str) -> ModelSpec {
    let retry = RetrySpec { max_retries: RETRIES, ..RetrySpec::default() };
    ModelSpec { provider: provider.to_owned(), retry, ..ModelSpec::default() }
}

/// Reads `base_url`. Variables of other forms than `${env.NAME}` are an error, because they are not replaced.
fn read_base_url(fields: &mut FieldReader<'_>) -> Option<String> {
    let address = fields.text("base_url")?;
    if let Some(node) = fields.node("base_url").filter(|_| address.replace("${env.", "").contains('$')) {
        let help = "write `${env.NAME}`, or the full address";
        let message = "variables of this form are not replaced in `base_url`";
        fields.report().value_error("not_supported", message, node.span, help);
    }
    Some(address)
}

/// Reads `provider_opts`, of which Pintle implements only the model's context window.
fn read_options(fields: &mut FieldReader<'_>) -> Option<u64> {
    let report = fields.report();
    let mut own = fields.fields("provider_opts")?;
    let window = own.integer("context_size", 1..=u64::MAX);
    for entry in own.unread() {
        let message = format!("`provider_opts.{}` is not supported yet", entry.key);
        report.warning("not_supported", message, entry.key_span, "the provider's own default applies");
    }
    window
}

fn read_provider(report: &FileReport, entry: &MapEntry) -> ProviderKeys {
    let keys = PROVIDER.read_whole(FieldReader::of_entry(report, "provider", entry));
    if keys.speaks_responses && keys.provider == DEFAULT_PROVIDER {
        return ProviderKeys { provider: String::from("openai_responses"), ..keys };
    }
    keys
}
