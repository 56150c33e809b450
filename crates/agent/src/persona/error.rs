//! Errors of steps.

use std::fmt;

use serde_json::{Map, Value, json};

use crate::budget::{BudgetExceeded, to_number_value};
use crate::turn_error::{TurnError, TurnErrorKind};

/// The error of a step that failed or did not run.
#[derive(Debug, Clone, PartialEq)]
pub struct StepError {
    /// The kind of error.
    pub kind: StepErrorKind,
    /// The persona; empty for a step without one.
    pub persona: String,
    /// The step.
    pub step: String,
    /// One line for the user.
    pub message: String,
}

/// What kind of error a step failed with.
#[derive(Debug, Clone, PartialEq)]
pub enum StepErrorKind {
    /// A hook denied it.
    Denied {
        /// `PreStep` if the step did not run, `PostStep` if its output was denied.
        event: &'static str,
        /// The reasons that the hooks gave.
        reason: String,
    },
    /// A budget is exhausted.
    Budget(Box<BudgetExceeded>),
    /// The persona is paused.
    Paused {
        /// Why.
        reason: String,
    },
    /// A required approval was not given.
    Refused,
    /// The step was cancelled.
    Cancelled,
    /// The step's body failed.
    Failed,
}

impl StepError {
    /// Creates an error of a step's body.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(StepErrorKind::Failed, message)
    }

    pub(super) fn new(kind: StepErrorKind, message: impl Into<String>) -> Self {
        Self { kind, persona: String::new(), step: String::new(), message: message.into() }
    }

    /// Sets the persona and step, unless they are known: an error of a nested step keeps its own.
    #[must_use]
    pub(super) fn with_location(mut self, persona: &str, step: &str) -> Self {
        if self.step.is_empty() {
            persona.clone_into(&mut self.persona);
            step.clone_into(&mut self.step);
        }
        self
    }

    /// The kind of error as a string: `hook_denied`, `budget_exceeded`, `persona_paused`, `approval_refused`,
    /// `cancelled` or `step_failed`.
    #[must_use]
    pub fn category(&self) -> &'static str {
        match &self.kind {
            StepErrorKind::Denied { .. } => "hook_denied",
            StepErrorKind::Budget(_) => "budget_exceeded",
            StepErrorKind::Paused { .. } => "persona_paused",
            StepErrorKind::Refused => "approval_refused",
            StepErrorKind::Cancelled => "cancelled",
            StepErrorKind::Failed => "step_failed",
        }
    }

    /// The error as data, which hooks of `step.post` see as the output.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut fields = Map::new();
        fields.insert(String::from("category"), Value::from(self.category()));
        match &self.kind {
            StepErrorKind::Denied { event, reason } => {
                fields.insert(String::from("event"), Value::from(*event));
                fields.insert(String::from("reason"), Value::from(reason.as_str()));
            }
            StepErrorKind::Budget(spent) => fields.extend(budget_fields(spent)),
            StepErrorKind::Paused { reason } => {
                fields.insert(String::from("reason"), Value::from(reason.as_str()));
            }
            StepErrorKind::Refused | StepErrorKind::Cancelled | StepErrorKind::Failed => {}
        }
        if !self.persona.is_empty() {
            fields.insert(String::from("persona"), Value::from(self.persona.as_str()));
        }
        fields.entry("step").or_insert_with(|| Value::from(self.step.as_str()));
        fields.insert(String::from("message"), Value::from(self.message.as_str()));
        Value::Object(fields)
    }
}

fn budget_fields(exceeded: &BudgetExceeded) -> Map<String, Value> {
    let fields = json!({
        "kind": "budget_exhausted",
        "reason": format!("{}_budget_exhausted", exceeded.scope),
        "step": exceeded.step,
        "function": exceeded.function,
        "limit": exceeded.limit,
        "limit_value": to_number_value(exceeded.limit_value),
        "consumed_tokens": exceeded.consumed_tokens,
        "consumed_cost_usd": exceeded.consumed_cost_usd,
        "error_boundary": exceeded.error_boundary,
    });
    match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

impl From<BudgetExceeded> for StepError {
    fn from(exceeded: BudgetExceeded) -> Self {
        let message = exceeded.message();
        Self::new(StepErrorKind::Budget(Box::new(exceeded)), message)
    }
}

impl From<TurnError> for StepError {
    fn from(error: TurnError) -> Self {
        let kind = match error.kind {
            TurnErrorKind::Cancelled => StepErrorKind::Cancelled,
            TurnErrorKind::Denied | TurnErrorKind::Failed { .. } => StepErrorKind::Failed,
        };
        Self::new(kind, error.message)
    }
}

impl From<String> for StepError {
    fn from(message: String) -> Self {
        Self::failed(message)
    }
}

impl From<&str> for StepError {
    fn from(message: &str) -> Self {
        Self::failed(message)
    }
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for StepError {}
