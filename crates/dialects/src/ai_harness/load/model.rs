//! Models: their keys, and how they are referred to.

use pintle_contract::{ModelSpec, RetrySpec};

use crate::document::{FieldReader, KeyTable, UnknownKeys, key};

/// The temperatures that providers accept.
const TEMPERATURES: std::ops::RangeInclusive<f64> = 0.0..=2.0;

/// A reference to a model: a declaration or a name.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ModelRef {
    /// Declared inline.
    Declared(ModelSpec),
    /// Only a name: one of `models`, or the root's model under another name.
    Named(String),
}

impl ModelRef {
    /// Resolves the reference, given the models of the agent's own file.
    pub(super) fn resolve(self, model: Option<&ModelSpec>, models: &[ModelSpec]) -> ModelSpec {
        match self {
            Self::Declared(model) => model,
            Self::Named(name) => {
                let known = models.iter().chain(model).find(|model| model.name == name);
                known.cloned().unwrap_or_else(|| ModelSpec { name, ..model.cloned().unwrap_or_else(default_model) })
            }
        }
    }
}

/// Reads `model`: a mapping or only a name.
pub(super) fn read(fields: &mut FieldReader<'_>) -> Option<ModelRef> {
    let node = fields.node("model").filter(|node| !node.is_null())?;
    if node.entries().is_some() {
        return Some(ModelRef::Declared(MODEL.read_at(fields, "model")));
    }
    fields.text("model").map(ModelRef::Named)
}

/// Reads `models`: a list of mappings or names.
pub(super) fn read_list(fields: &mut FieldReader<'_>) -> Vec<ModelSpec> {
    let report = fields.report();
    let items = fields.list("models").unwrap_or_default();
    let mut models = Vec::new();
    for (index, item) in items.iter().enumerate() {
        if let Some(name) = item.as_text() {
            models.push(ModelSpec { name: name.to_owned(), ..default_model() });
            continue;
        }
        let own = FieldReader::new(report, format!("models[{index}]"), Some(item), item.span);
        let model = MODEL.read_whole(own);
        if item.entries().is_some() {
            models.push(model);
        }
    }
    models
}

/// A mapping without `name` and `provider`.
fn default_model() -> ModelSpec {
    ModelSpec { name: String::from("gpt-4o"), provider: String::from("openai"), ..ModelSpec::default() }
}

pub(super) static MODEL: KeyTable<ModelSpec> = KeyTable {
    title: "model",
    about: "A language model and how to reach it.",
    start: default_model,
    unknown: UnknownKeys::Warned,
    keys: &[
        key!(name: text, "The model's name."),
        key!(provider: text,
            "Its provider: `openai`, `anthropic`, `gemini`, `ollama`, … or `script` for a scripted one."),
        key!(base_url?: text, "the provider's", "The server's address."),
        key!(api_key_env?: text, "the provider's", "The environment variable that holds the key."),
        key!(max_tokens?: integer(1..=u32::MAX), "the provider's", "The maximum number of tokens of one reply."),
        key!(temperature?: number(TEMPERATURES), "the provider's", "The sampling temperature."),
        key!(retry: mapping(RETRY), "What to do if a call fails."),
    ],
};

pub(super) static RETRY: KeyTable<RetrySpec> = KeyTable {
    title: "model.retry",
    about: "How often and how fast a failed model call is retried.",
    start: RetrySpec::default,
    unknown: UnknownKeys::Warned,
    keys: &[
        key!(max_retries: integer(0..=100), "Attempts after the first."),
        key!(initial_backoff_ms: integer(0..=3_600_000), "The first delay, in milliseconds."),
        key!(max_backoff_ms: integer(0..=3_600_000), "The longest delay, in milliseconds."),
        key!(multiplier: number(0.0..=1000.0), "By how much each delay is multiplied."),
    ],
};
