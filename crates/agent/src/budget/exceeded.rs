//! An exhausted budget.

use pintle_host::contract::ErrorBoundary;

/// An exhausted budget.
#[derive(Debug, Clone, PartialEq)]
pub struct BudgetExceeded {
    /// The owner of the budget: `step`, `persona` or `session`.
    pub scope: &'static str,
    /// The running step.
    pub step: String,
    /// The function that the step runs.
    pub function: String,
    /// The exceeded limit: `max_tokens` or `max_usd`.
    pub limit: &'static str,
    /// The limit's value.
    pub limit_value: f64,
    /// The tokens used.
    pub consumed_tokens: u64,
    /// Their cost in US dollars, as far as prices are declared.
    pub consumed_cost_usd: Option<f64>,
    /// The step's error boundary.
    pub error_boundary: ErrorBoundary,
}

impl BudgetExceeded {
    /// The error in one line for the user.
    #[must_use]
    pub fn message(&self) -> String {
        let Self { scope, step, limit, limit_value, consumed_tokens, consumed_cost_usd, .. } = self;
        let whose = if *scope == "step" { format!("step `{step}`") } else { format!("the {scope}") };
        match (*limit, consumed_cost_usd) {
            ("max_usd", Some(cost)) => {
                format!("the budget of {whose} is exhausted: {cost} of {limit_value} US dollars used; raise `max_usd`")
            }
            _ => {
                format!(
                    "the budget of {whose} is exhausted: {consumed_tokens} of {limit_value} tokens used; raise `max_tokens`"
                )
            }
        }
    }
}
