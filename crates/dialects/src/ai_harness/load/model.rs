//! Reads model settings.

use pintle_contract::{ModelSpec, RetrySpec};

use crate::document::FieldReader;

/// The model of a mapping without `name`.
const DEFAULT_NAME: &str = "gpt-4o";
/// The provider of a mapping without `provider`.
const DEFAULT_PROVIDER: &str = "openai";
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
        let mut own = fields.fields("model")?;
        let model = read_fields(&mut own);
        own.finish();
        return Some(ModelRef::Declared(model));
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
        let mut own = FieldReader::new(report, format!("models[{index}]"), Some(item), item.span);
        let model = read_fields(&mut own);
        own.finish();
        if item.entries().is_some() {
            models.push(model);
        }
    }
    models
}

fn default_model() -> ModelSpec {
    ModelSpec { name: String::from(DEFAULT_NAME), provider: String::from(DEFAULT_PROVIDER), ..ModelSpec::default() }
}

fn read_fields(fields: &mut FieldReader<'_>) -> ModelSpec {
    let plain = default_model();
    ModelSpec {
        name: fields.text("name").unwrap_or(plain.name),
        provider: fields.text("provider").unwrap_or(plain.provider),
        base_url: fields.text("base_url"),
        api_key_env: fields.text("api_key_env"),
        max_tokens: fields.integer("max_tokens", 1..=u32::MAX),
        temperature: fields.number("temperature", TEMPERATURES),
        retry: read_retry(fields),
    }
}

fn read_retry(fields: &mut FieldReader<'_>) -> RetrySpec {
    let default = RetrySpec::default();
    let Some(mut own) = fields.fields("retry") else {
        return default;
    };
    let retry = RetrySpec {
        max_retries: own.integer("max_retries", 0..=100).unwrap_or(default.max_retries),
        initial_backoff_ms: own.integer("initial_backoff_ms", 0..=3_600_000).unwrap_or(default.initial_backoff_ms),
        max_backoff_ms: own.integer("max_backoff_ms", 0..=3_600_000).unwrap_or(default.max_backoff_ms),
        multiplier: own.number("multiplier", 0.0..=1000.0).unwrap_or(default.multiplier),
    };
    own.finish();
    retry
}
