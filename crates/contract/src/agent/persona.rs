//! Personas: an agent in a role, which drives named steps (Harn behaviour, section 1.3).

use serde::{Deserialize, Serialize};

use super::{ModelSpec, ToolsPolicy};
use crate::{Diagnostic, Location, suggest_nearest};

/// A role that an agent works in: named steps, what they may use and spend, and whom it may pass its work to.
#[derive(Debug, Clone, Default)]
pub struct PersonaSpec {
    /// Its name, which persona hooks match on.
    pub name: String,
    /// What it is for, for people.
    pub description: String,
    /// What the model is told while one of its steps runs; may be empty.
    pub instruction: String,
    /// The model of its steps; `None` is the agent's own.
    pub model: Option<ModelSpec>,
    /// Which of the agent's tools its steps may use. It can only narrow what the agent may. Default: all of them.
    pub tools: ToolsPolicy,
    /// What all its steps together may use up in one session. Default: no bound.
    pub budget: BudgetSpec,
    /// What tokens cost, by model. There are no prices but these.
    pub prices: Vec<PriceSpec>,
    /// Marks of its budgets in per cent, besides [`BudgetSpec::MARKS`] and those that hooks wait for.
    pub thresholds: Vec<f64>,
    /// Its steps, in the order in which they run when nobody says otherwise.
    pub steps: Vec<StepSpec>,
    /// Whom it may pass its work to: personas, agents or pipelines. Empty is nobody.
    pub handoffs: Vec<String>,
    /// Where it was declared.
    pub location: Location,
}

/// One step of a persona.
#[derive(Debug, Clone, Default)]
pub struct StepSpec {
    /// Its name, which step hooks are pinned to.
    pub name: String,
    /// The function that is the step, for hooks and people. Empty is the step's name.
    pub function: String,
    /// What the model is told while the step runs; may be empty.
    pub instruction: String,
    /// What the agent is asked when the step is run by its declaration alone: text with `{{args.0}}`, `{{args.name}}` and
    /// `{{steps.NAME}}` in it. A step without one is run from code.
    pub prompt: Option<String>,
    /// The model; `None` is the persona's.
    pub model: Option<ModelSpec>,
    /// Which tools it may use, of those the persona may. Default: all of them.
    pub tools: ToolsPolicy,
    /// What one run of it may use up. Default: no bound.
    pub budget: BudgetSpec,
    /// What an error in it means. Default [`ErrorBoundary::Fail`].
    pub error_boundary: ErrorBoundary,
    /// Why somebody has to approve it before it runs; `None` needs no approval.
    pub approval: Option<String>,
    /// Where it was declared.
    pub location: Location,
}

/// A bound on what may be used up. It is looked at after each model call, so that the call which passes it is the last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct BudgetSpec {
    /// The most tokens, of input and output together.
    pub max_tokens: Option<u64>,
    /// The most money, in US dollars. Needs prices.
    pub max_usd: Option<f64>,
}

/// What an error in a step means. Denials, refusals and a paused persona are no errors of the step: they always fail it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ErrorBoundary {
    /// The step fails.
    #[default]
    Fail,
    /// The error becomes the step's output, and the persona goes on.
    Continue,
    /// A person is asked. Yes to a spent budget gives the step as much again; yes to another error goes on with it as
    /// [`ErrorBoundary::Continue`] does. Anything else fails the step.
    Escalate,
}

/// What the tokens of one model cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PriceSpec {
    /// The model's name, with or without its provider; `*` is every model that has no price of its own.
    pub model: String,
    /// US dollars for a million tokens of input.
    pub input_usd_per_million: f64,
    /// US dollars for a million tokens of output.
    pub output_usd_per_million: f64,
}

impl BudgetSpec {
    /// The marks of every budget, in per cent.
    pub const MARKS: [f64; 3] = [50.0, 80.0, 100.0];

    /// Whether there is any bound.
    #[must_use]
    pub fn is_bounded(&self) -> bool {
        self.max_tokens.is_some() || self.max_usd.is_some()
    }
}

impl PersonaSpec {
    /// One of its steps.
    ///
    /// # Errors
    /// With one line for people when there is none of this name.
    pub fn step(&self, name: &str) -> Result<&StepSpec, String> {
        if let Some(step) = self.steps.iter().find(|step| step.name == name) {
            return Ok(step);
        }
        let known = || self.steps.iter().map(|step| step.name.as_str());
        let hint = match suggest_nearest(name, known()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if self.steps.is_empty() => String::from("it has no steps"),
            None => format!("there are {}", known().collect::<Vec<_>>().join(", ")),
        };
        Err(format!("persona `{}` has no step `{name}`; {hint}", self.name))
    }

    /// The price of a model, when one is declared.
    #[must_use]
    pub fn price(&self, model: &str) -> Option<&PriceSpec> {
        price_of(&self.prices, model)
    }

    /// Everything that is wrong with what is declared, at the places where it was declared.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        if self.name.trim().is_empty() {
            found.push(Diagnostic::error("persona_name", "a persona needs a name", self.location.clone()));
        }
        check_budget(&self.budget, &self.prices, &format!("persona `{}`", self.name), &self.location, &mut found);
        for mark in self.thresholds.iter().filter(|mark| !(mark.is_finite() && **mark > 0.0)) {
            let message = format!("persona `{}`: the threshold `{mark}` is no percentage above 0", self.name);
            found.push(Diagnostic::error("persona_threshold", message, self.location.clone()));
        }
        for price in &self.prices {
            let sound = |usd: f64| usd.is_finite() && usd >= 0.0;
            if !(sound(price.input_usd_per_million) && sound(price.output_usd_per_million)) {
                let message = format!("persona `{}`: the price of `{}` is below 0", self.name, price.model);
                found.push(Diagnostic::error("persona_price", message, self.location.clone()));
            }
        }
        for (at, step) in self.steps.iter().enumerate() {
            if self.steps.iter().take(at).any(|other| other.name == step.name) {
                let message = format!("persona `{}` has two steps `{}`; give one another name", self.name, step.name);
                found.push(Diagnostic::error("persona_step", message, step.location.clone()));
            }
            found.extend(step.validate(&self.prices));
        }
        found
    }
}

impl StepSpec {
    /// A step that needs nothing but its name.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// The function that is the step.
    #[must_use]
    pub fn function(&self) -> &str {
        if self.function.is_empty() { &self.name } else { &self.function }
    }

    /// Everything that is wrong with what is declared, under these prices.
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

/// The price of a model in a table: by its whole name, by its name without the provider, or the one for `*`.
#[must_use]
pub fn price_of<'p>(prices: &'p [PriceSpec], model: &str) -> Option<&'p PriceSpec> {
    let bare = model.rsplit([':', '/']).next().unwrap_or(model);
    let named = |name: &str| prices.iter().find(|price| price.model == name);
    named(model).or_else(|| named(bare)).or_else(|| named("*"))
}

fn check_budget(
    budget: &BudgetSpec,
    prices: &[PriceSpec],
    whose: &str,
    location: &Location,
    found: &mut Vec<Diagnostic>,
) {
    let mut tell = |message: String, help: &str| {
        found.push(Diagnostic::error("persona_budget", message, location.clone()).help(help));
    };
    if budget.max_tokens == Some(0) {
        tell(format!("{whose}: `max_tokens` is 0, with which nothing can run"), "leave it out for no bound");
    }
    if let Some(usd) = budget.max_usd {
        if !(usd.is_finite() && usd > 0.0) {
            tell(format!("{whose}: `max_usd` is `{usd}`, which is no amount above 0"), "leave it out for no bound");
        } else if prices.is_empty() {
            tell(
                format!("{whose}: `max_usd` cannot be kept without prices"),
                "say what the model's tokens cost in `prices`, or bound the tokens with `max_tokens`",
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
                "persona ``: the threshold `0` is no percentage above 0",
                "persona ``: the threshold `NaN` is no percentage above 0",
                "step `audit`: `max_tokens` is 0, with which nothing can run",
                "step `audit`: `max_usd` is `-1`, which is no amount above 0",
                "persona `` has two steps `audit`; give one another name",
                "step `audit`: `max_usd` cannot be kept without prices",
                "a step needs a name",
            ]
        );
        assert_eq!(persona.step("audti").unwrap_err(), "persona `` has no step `audti`; did you mean `audit`?");
    }
}
