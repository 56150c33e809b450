//! Reads models and their providers.

use pintle_contract::{ByteSpan, ModelSpec, RetrySpec};

use super::unsupported::{self, UnsupportedKey};
use super::{entries_of, report_unknown};
use crate::document::{DocNode, FieldReader, FileReport, MapEntry};

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
    providers: Vec<(&'a str, ProviderDecl)>,
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

#[derive(Debug, Clone)]
struct ProviderDecl {
    provider: String,
    base_url: Option<String>,
    token_key: Option<String>,
    temperature: Option<f64>,
    max_tokens: Option<u32>,
}

/// Sampling and transport settings that Pintle does not implement. Ignoring them changes how a model answers, not what
/// an agent may do.
const MODEL_NOT_YET: &[UnsupportedKey] = &[
    UnsupportedKey::feature("top_p", "the provider's own default applies"),
    UnsupportedKey::feature("frequency_penalty", "the provider's own default applies"),
    UnsupportedKey::feature("presence_penalty", "the provider's own default applies"),
    UnsupportedKey::feature("parallel_tool_calls", "the provider's own default applies"),
    UnsupportedKey::feature("thinking_budget", "the provider's own default applies"),
    UnsupportedKey::feature("task_budget", "the provider's own default applies"),
    UnsupportedKey::feature("auth", "name the variable that holds the key with `token_key`"),
    UnsupportedKey::feature("compaction_model", "the agent's own model writes its summaries"),
];
/// Such settings of models only.
const ONLY_MODEL_NOT_YET: &[UnsupportedKey] = &[
    UnsupportedKey::feature("bypass_models_gateway", "Pintle always calls models directly"),
    UnsupportedKey::feature("routing", "set the right model for each agent"),
    UnsupportedKey::feature("title_model", "sessions have no titles"),
    UnsupportedKey::feature("capabilities", "Pintle sends only text"),
    UnsupportedKey::feature("cost", "Pintle does not compute the cost of a run"),
];

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
            let help = String::from("name one model, and list the others under `fallback: {models: [..]}`");
            let message =
                format!("`{first}` is always used, and the others only when it fails: models do not alternate");
            self.report.warning("not_supported", message, span, Some(help));
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
            let help = String::from("name a model, or pass `--model`");
            self.report.warning(
                "not_supported",
                "choosing a model automatically is not supported yet",
                span,
                Some(help),
            );
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
        let mut fields = FieldReader::of_entry(self.report, "model", entry);
        let first_available = read_names(&mut fields, "first_available");
        let provider = fields.text("provider");
        let own = provider.as_deref().map(|provider| self.provider_default(provider));
        let name = fields.text("model");
        let spec = own.clone().unwrap_or_else(|| empty_model(DEFAULT_PROVIDER));
        let spec = ModelSpec {
            name: name.clone().unwrap_or_default(),
            base_url: read_base_url(&mut fields).or(spec.base_url),
            api_key_env: fields.text("token_key").or(spec.api_key_env),
            max_tokens: fields.integer("max_tokens", 1..=u32::MAX).or(spec.max_tokens),
            temperature: fields.number("temperature", TEMPERATURES).or(spec.temperature),
            ..spec
        };
        let threshold = fields.number("compaction_threshold", THRESHOLDS);
        let window = read_options(&mut fields);
        let _ = (fields.text("description"), fields.node("track_usage"));
        unsupported::report_unsupported(&mut fields, MODEL_NOT_YET);
        unsupported::report_unsupported(&mut fields, ONLY_MODEL_NOT_YET);
        let place = fields.span();
        fields.finish_strictly();
        if let Some(((first, span), others)) = first_available.split_first() {
            let message = format!("the model `{}` always uses `{first}`, and the others only when it fails", entry.key);
            let help = String::from("Pintle does not check which API keys are set");
            self.report.warning("not_supported", message, *span, Some(help));
            let chosen = self.resolve_one(first, *span)?;
            return Some(ResolvedModel { alternatives: others.to_vec(), ..chosen });
        }
        for (key, value) in [("provider", &provider), ("model", &name)] {
            if value.is_none() {
                let message = format!("model `{}` needs `{key}`", entry.key);
                let help = String::from("for example `provider: openai` and `model: gpt-4o`");
                self.report.value_error("missing_key", &message, place, Some(help));
            }
        }
        (provider.is_some() && name.is_some()).then_some(ResolvedModel { threshold, window, ..without_options(spec) })
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

/// Reads `base_url`. Variables in it are an error, because they are not replaced.
fn read_base_url(fields: &mut FieldReader<'_>) -> Option<String> {
    let address = fields.text("base_url")?;
    if let Some(node) = fields.node("base_url").filter(|_| address.contains('$')) {
        let help = Some(String::from("write the full address"));
        fields.report().value_error("not_supported", "variables in `base_url` are not supported yet", node.span, help);
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
        let help = Some(String::from("the provider's own default applies"));
        report.warning("not_supported", message, entry.key_span, help);
    }
    window
}

fn read_provider(report: &FileReport, entry: &MapEntry) -> ProviderDecl {
    let mut fields = FieldReader::of_entry(report, "provider", entry);
    let provider = fields.text("provider").unwrap_or_else(|| String::from(DEFAULT_PROVIDER));
    let forms = [("openai_chatcompletions", false), ("openai_responses", true)];
    let speaks_responses = fields.choice("api_type", &forms).unwrap_or(false);
    let provider = ProviderDecl {
        provider: if speaks_responses && provider == DEFAULT_PROVIDER {
            String::from("openai_responses")
        } else {
            provider
        },
        base_url: read_base_url(&mut fields),
        token_key: fields.text("token_key"),
        temperature: fields.number("temperature", TEMPERATURES),
        max_tokens: fields.integer("max_tokens", 1..=u32::MAX),
    };
    let _ = fields.node("track_usage");
    unsupported::report_unsupported(&mut fields, MODEL_NOT_YET);
    let unload = UnsupportedKey::feature("unload_api", "Pintle does not unload models");
    unsupported::report_unsupported(
        &mut fields,
        &[unload, UnsupportedKey::feature("provider_opts", "the provider's own defaults apply")],
    );
    fields.finish_strictly();
    provider
}
