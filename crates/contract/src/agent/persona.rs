//! Personas: roles in which an agent runs named steps.

use serde::{Deserialize, Serialize};

use super::{ModelSpec, ToolsPolicy};
use crate::{Diagnostic, Location, suggest_nearest};

/// A persona: named steps, with the tools, budgets and handoffs they may use.
#[derive(Debug, Clone, Default)]
pub struct PersonaSpec {
    /// The name of the persona, which persona hooks match.
    pub name: String,
    /// The description of the persona, for the user.
    pub description: String,
    /// The instruction for the model while a step of the persona runs; may be empty.
    pub instruction: String,
    /// The model of the persona's steps; `None` is the agent's model.
    pub model: Option<ModelSpec>,
    /// Which of the agent's tools the steps may use. It cannot add tools. Default: all of the agent's tools.
    pub tools: ToolsPolicy,
    /// The budget of all steps together, in one session. Default: unlimited.
    pub budget: BudgetSpec,
    /// The prices of tokens, by model. Pintle has no built-in prices.
    pub prices: Vec<PriceSpec>,
    /// Budget thresholds in per cent, in addition to [`BudgetSpec::MARKS`] and the thresholds that hooks set.
    pub thresholds: Vec<f64>,
    /// The steps, in the order in which they run by default.
    pub steps: Vec<StepSpec>,
    /// The personas, agents or pipelines that the persona may hand work to. An empty list allows none.
    pub handoffs: Vec<String>,
    /// Where the persona was declared.
    pub location: Location,
}

/// One step of a persona.
#[derive(Debug, Clone, Default)]
pub struct StepSpec {
    /// The name of the step, which step hooks match.
    pub name: String,
    /// The function that implements the step, for hooks and for display. Empty means the name of the step.
    pub function: String,
    /// The instruction for the model while the step runs; may be empty.
    pub instruction: String,
    /// The prompt with which the agent runs the step: text with `{{args.0}}`, `{{args.name}}` and `{{steps.NAME}}`. A
    /// step without a prompt can only be run from code.
    pub prompt: Option<String>,
    /// The model; `None` is the persona's model.
    pub model: Option<ModelSpec>,
    /// Which of the persona's tools the step may use. Default: all of them.
    pub tools: ToolsPolicy,
    /// The budget of one run of the step. Default: unlimited.
    pub budget: BudgetSpec,
    /// What happens if the step fails. Default [`ErrorBoundary::Fail`].
    pub error_boundary: ErrorBoundary,
    /// Why the step needs an approval before it runs; `None` needs none.
    pub approval: Option<String>,
    /// Where the step was declared.
    pub location: Location,
}

/// A budget: how many tokens and how much money may be used. It is checked after each model call, so the call that
/// exceeds it is the last one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct BudgetSpec {
    /// The maximum number of tokens, input and output together.
    pub max_tokens: Option<u64>,
    /// The maximum cost in US dollars. It requires prices.
    pub max_usd: Option<f64>,
}

/// What happens if a step fails with an error. A deny, a refused approval or a paused persona is not an error of the
/// step: it always fails the step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ErrorBoundary {
    /// The step fails.
    #[default]
    Fail,
    /// The error becomes the output of the step, and the persona continues.
    Continue,
    /// The user is asked for an approval. For an exhausted budget, an approval extends the budget by its original
    /// amount; for any other error, it continues as [`ErrorBoundary::Continue`] does. Without an approval the step
    /// fails.
    Escalate,
}

/// The price of one model's tokens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PriceSpec {
    /// The name of the model, with or without its provider; `*` applies to every model without a price of its own.
    pub model: String,
    /// The price of a million input tokens, in US dollars.
    pub input_usd_per_million: f64,
    /// The price of a million output tokens, in US dollars.
    pub output_usd_per_million: f64,
}

/// The error for a step that a persona does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("persona `{persona}` has no step `{step}`; {hint}")]
#[non_exhaustive]
pub struct UnknownStepError {
    /// The name of the persona.
    pub persona: String,
    /// The name that was given.
    pub step: String,
    hint: String,
}

impl BudgetSpec {
    /// The thresholds of every budget, in per cent.
    pub const MARKS: [f64; 3] = [50.0, 80.0, 100.0];

    /// Whether the budget has a limit.
    #[must_use]
    pub fn is_bounded(&self) -> bool {
        self.max_tokens.is_some() || self.max_usd.is_some()
    }
}

impl PersonaSpec {
    /// Finds a step of the persona by name.
    ///
    /// # Errors
    /// When the persona has no such step.
    pub fn step(&self, name: &str) -> Result<&StepSpec, UnknownStepError> {
        if let Some(step) = self.steps.iter().find(|step| step.name == name) {
            return Ok(step);
        }
        let known = || self.steps.iter().map(|step| step.name.as_str());
        let hint = match suggest_nearest(name, known()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if self.steps.is_empty() => String::from("it has no steps"),
            None => format!("its steps are {}", known().collect::<Vec<_>>().join(", ")),
        };
        Err(UnknownStepError { persona: self.name.clone(), step: name.to_owned(), hint })
    }

    /// The price of a model; `None` if none is declared.
    #[must_use]
    pub fn price(&self, model: &str) -> Option<&PriceSpec> {
        price_of(&self.prices, model)
    }

    /// Checks the persona and its steps; returns every problem with its location.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        if self.name.trim().is_empty() {
            found.push(Diagnostic::error("persona_name", "a persona needs a name", self.location.clone()));
        }
        check_budget(&self.budget, &self.prices, &format!("persona `{}`", self.name), &self.location, &mut found);
        for mark in self.thresholds.iter().filter(|mark| !(mark.is_finite() && **mark > 0.0)) {
            let message = format!("persona `{}`: the threshold `{mark}` is not a percentage above 0", self.name);
            found.push(Diagnostic::error("persona_threshold", message, self.location.clone()));
        }
        for price in &self.prices {
            let sound = |usd: f64| usd.is_finite() && usd >= 0.0;
            if !(sound(price.input_usd_per_million) && sound(price.output_usd_per_million)) {
                let message = format!("persona `{}`: the price of `{}` is negative", self.name, price.model);
                found.push(Diagnostic::error("persona_price", message, self.location.clone()));
            }
        }
        for (index, step) in self.steps.iter().enumerate() {
            if self.steps.iter().take(index).any(|other| other.name == step.name) {
                let message = format!("persona `{}` has two steps `{}`; rename one", self.name, step.name);
                found.push(Diagnostic::error("persona_step", message, step.location.clone()));
            }
            found.extend(step.validate(&self.prices));
        }
        found
    }
}

impl StepSpec {
    /// Creates a step with a name and defaults.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// The function that implements the step.
    #[must_use]
    pub fn function(&self) -> &str {
        if self.function.is_empty() { &self.name } else { &self.function }
    }

    /// Checks the step under these prices; returns every problem with its location.
    #[must_use]
    pub fn validate(&self, prices: &[PriceSpec]) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        if self.name.trim().is_empty() {
            found.push(Diagnostic::error("persona_step", "a step needs a name", self.location.clone()));
        }
        check_budget(&self.budget, prices, &format!("step `{}`", self.name), &self.location, &mut found);
        found
    }
}

/// Finds the price of a model: by its full name, by its name without the provider, or the price for `*`.
#[must_use]
pub fn price_of<'p>(prices: &'p [PriceSpec], model: &str) -> Option<&'p PriceSpec> {
    let bare = model.rsplit([':', '/']).next().unwrap_or(model);
    let named = |name: &str| prices.iter().find(|price| price.model == name);
    named(model).or_else(|| named(bare)).or_else(|| named("*"))
}

fn check_budget(
    budget: &BudgetSpec,
    prices: &[PriceSpec],
    owner: &str,
    location: &Location,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut tell = |message: String, help: &str| {
        diagnostics.push(Diagnostic::error("persona_budget", message, location.clone()).help(help));
    };
    if budget.max_tokens == Some(0) {
        tell(format!("{owner}: `max_tokens` is 0, so no step can run"), "omit it for no limit");
    }
    if let Some(usd) = budget.max_usd {
        if !(usd.is_finite() && usd > 0.0) {
            tell(format!("{owner}: `max_usd` is `{usd}`, which is not an amount above 0"), "omit it for no limit");
        } else if prices.is_empty() {
            tell(
                format!("{owner}: `max_usd` cannot be enforced without prices"),
                "declare the model's price in `prices`, or limit the tokens with `max_tokens`",
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(model: &str) -> PriceSpec {
        PriceSpec { model: model.to_owned(), input_usd_per_million: 1.0, output_usd_per_million: 2.0 }
    }

    #[test]
    fn price_lookup_prefers_full_name_then_bare_name_then_wildcard() {
        let prices = [price("*"), price("small"), price("openai:small")];
        let cases =
            [("openai:small", "openai:small"), ("anthropic/small", "small"), ("small", "small"), ("large", "*")];
        for (model, expected) in cases {
            assert_eq!(price_of(&prices, model).map(|price| price.model.as_str()), Some(expected), "{model}");
        }
        assert_eq!(price_of(&prices[1..], "large"), None);
    }

    #[test]
    fn everything_that_is_wrong_is_told_at_once() {
        let budget = BudgetSpec { max_tokens: Some(0), max_usd: Some(-1.0) };
        let persona = PersonaSpec {
            thresholds: vec![50.0, 0.0, f64::NAN],
            steps: vec![
                StepSpec { budget, ..StepSpec::new("audit") },
                StepSpec {
                    budget: BudgetSpec { max_usd: Some(1.0), ..BudgetSpec::default() },
                    ..StepSpec::new("audit")
                },
                StepSpec::default(),
            ],
            ..PersonaSpec::default()
        };
        let messages: Vec<String> = persona.validate().into_iter().map(|found| found.message).collect();
        assert_eq!(
            messages,
            [
                "a persona needs a name",
                "persona ``: the threshold `0` is not a percentage above 0",
                "persona ``: the threshold `NaN` is not a percentage above 0",
                "step `audit`: `max_tokens` is 0, so no step can run",
                "step `audit`: `max_usd` is `-1`, which is not an amount above 0",
                "persona `` has two steps `audit`; rename one",
                "step `audit`: `max_usd` cannot be enforced without prices",
                "a step needs a name",
            ]
        );
        assert_eq!(
            persona.step("audti").unwrap_err().to_string(),
            "persona `` has no step `audti`; did you mean `audit`?"
        );
    }
}
