//! Meters, which count what budgets have used.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use pintle_host::contract::{BudgetSpec, PriceSpec, price_of};
use pintle_host::event::TokenUsage;
use serde_json::Value;

use super::exceeded::BudgetExceeded;

/// What a step, persona or session has used.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct BudgetUsage {
    /// The tokens.
    pub usage: TokenUsage,
    /// The number of model calls.
    pub calls: u32,
    /// The cost in US dollars; `None` if no model that was called has a price.
    pub cost_usd: Option<f64>,
}

/// Counts the usage of one step, persona or session. Concurrent calls all count.
#[derive(Debug)]
pub(crate) struct BudgetMeter {
    /// `step`, `persona` or `session`.
    pub(crate) scope: &'static str,
    state: Mutex<MeterState>,
}

#[derive(Debug, Default)]
struct MeterState {
    budget: BudgetSpec,
    prices: Vec<PriceSpec>,
    by_model: BTreeMap<String, TokenUsage>,
    calls: u32,
    /// How often the user extended the budget by its original amount.
    extension_count: u32,
    /// The last threshold reached for each limit, in percent.
    last_thresholds: [f64; 2],
    /// The exhausted budget, if it was not extended.
    exhausted_budget: Option<BudgetExceeded>,
}

/// A threshold that was reached.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ThresholdReached {
    /// `tokens` or `cost_usd`.
    pub(crate) budget: &'static str,
    pub(crate) used: f64,
    pub(crate) limit: f64,
    pub(crate) percent: f64,
    pub(crate) threshold: f64,
    pub(crate) previous: f64,
}

/// A limit that was exceeded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BudgetOverrun {
    /// `max_tokens` or `max_usd`.
    pub(crate) limit: &'static str,
    pub(crate) limit_value: f64,
}

impl BudgetMeter {
    pub(crate) fn new(scope: &'static str, budget: BudgetSpec, prices: &[PriceSpec]) -> Self {
        let state = MeterState { budget, prices: prices.to_vec(), ..MeterState::default() };
        Self { scope, state: Mutex::new(state) }
    }

    /// Sets another budget and keeps the usage. Thresholds that this passes at once do not fire, because they were
    /// reached before the budget was set.
    pub(crate) fn set_budget(&self, budget: BudgetSpec, prices: &[PriceSpec]) {
        let mut state = self.state.lock();
        if state.budget == budget && state.prices == prices {
            return;
        }
        state.budget = budget;
        state.prices = prices.to_vec();
        state.last_thresholds = [0.0; 2];
        state.skip_thresholds();
    }

    /// Counts what a resumed session used before.
    pub(crate) fn restore(&self, model: &str, usage: TokenUsage) {
        let mut state = self.state.lock();
        state.add_call(model, usage);
        state.skip_thresholds();
    }

    /// Counts a model call. Returns the thresholds it reached; each is returned only once.
    pub(crate) fn count_call(&self, model: &str, usage: TokenUsage, marks: &[f64]) -> Vec<ThresholdReached> {
        let mut state = self.state.lock();
        state.add_call(model, usage);
        state.reach_thresholds(marks)
    }

    /// The exceeded limit, with all extensions taken into account.
    pub(crate) fn overrun(&self) -> Option<BudgetOverrun> {
        let state = self.state.lock();
        let times = f64::from(state.extension_count) + 1.0;
        let passed = state.bounds().into_iter().flatten().find(|bound| bound.used > bound.limit * times)?;
        Some(BudgetOverrun { limit: passed.name, limit_value: passed.limit })
    }

    /// Extends the budget by its original amount.
    pub(crate) fn extend(&self) {
        self.state.lock().extension_count += 1;
    }

    pub(crate) fn mark_exhausted(&self, exceeded: BudgetExceeded) {
        self.state.lock().exhausted_budget.get_or_insert(exceeded);
    }

    /// The exhausted budget, if it was not extended.
    pub(crate) fn exhausted_budget(&self) -> Option<BudgetExceeded> {
        self.state.lock().exhausted_budget.clone()
    }

    pub(crate) fn is_bounded(&self) -> bool {
        self.state.lock().budget.is_bounded()
    }

    /// Whether cost is limited and this model has no price.
    pub(crate) fn is_price_missing(&self, model: &str) -> bool {
        let state = self.state.lock();
        state.budget.max_usd.is_some() && price_of(&state.prices, model).is_none()
    }

    pub(crate) fn usage(&self) -> BudgetUsage {
        let state = self.state.lock();
        BudgetUsage { usage: state.usage(), calls: state.calls, cost_usd: state.cost_usd() }
    }
}

struct BudgetBound {
    /// The limit's name in the declaration.
    name: &'static str,
    /// What is limited: `tokens` or `cost_usd`.
    budget: &'static str,
    used: f64,
    limit: f64,
}

impl MeterState {
    fn add_call(&mut self, model: &str, usage: TokenUsage) {
        let counted = self.by_model.entry(model.to_owned()).or_default();
        *counted = counted.plus(usage);
        self.calls += 1;
    }

    fn usage(&self) -> TokenUsage {
        self.by_model.values().fold(TokenUsage::default(), |sum, usage| sum.plus(*usage))
    }

    /// Only declared prices are used.
    fn cost_usd(&self) -> Option<f64> {
        let cost = |(model, usage): (&String, &TokenUsage)| {
            let price = price_of(&self.prices, model)?;
            let input = to_f64(usage.input_tokens) * price.input_usd_per_million;
            let output = to_f64(usage.output_tokens) * price.output_usd_per_million;
            Some((input + output) / 1_000_000.0)
        };
        self.by_model.iter().filter_map(cost).fold(None, |sum, cost| Some(sum.unwrap_or(0.0) + cost))
    }

    fn bounds(&self) -> [Option<BudgetBound>; 2] {
        let of_tokens = self.budget.max_tokens.map(|limit| BudgetBound {
            name: "max_tokens",
            budget: "tokens",
            used: to_f64(self.usage().total_tokens),
            limit: to_f64(limit),
        });
        let of_money = self.budget.max_usd.map(|limit| BudgetBound {
            name: "max_usd",
            budget: "cost_usd",
            used: self.cost_usd().unwrap_or(0.0),
            limit,
        });
        [of_tokens, of_money]
    }

    fn reach_thresholds(&mut self, marks: &[f64]) -> Vec<ThresholdReached> {
        let mut reached = Vec::new();
        for (index, bound) in self.bounds().into_iter().enumerate() {
            let (Some(bound), Some(last)) = (bound, self.last_thresholds.get_mut(index)) else { continue };
            let percent = bound.used / bound.limit * 100.0;
            let mut passed: Vec<f64> = marks.iter().copied().filter(|mark| *mark > *last && *mark <= percent).collect();
            passed.sort_by(f64::total_cmp);
            passed.dedup();
            for mark in passed {
                let BudgetBound { budget, used, limit, .. } = bound;
                reached.push(ThresholdReached { budget, used, limit, percent, threshold: mark, previous: *last });
                *last = mark;
            }
        }
        reached
    }

    /// Marks every threshold up to the current usage as fired.
    fn skip_thresholds(&mut self) {
        for (index, bound) in self.bounds().into_iter().enumerate() {
            if let (Some(bound), Some(last)) = (bound, self.last_thresholds.get_mut(index)) {
                *last = last.max(bound.used / bound.limit * 100.0);
            }
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "tokens beyond 2^53 need not be exact")]
fn to_f64(count: u64) -> f64 {
    count as f64
}

/// A JSON number, an integer if the value is whole.
pub(crate) fn to_number_value(value: f64) -> Value {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is whole, not negative and small enough to be exact"
    )]
    let whole = value as u64;
    if value >= 0.0 && value.fract() == 0.0 && value < 9e15 { Value::from(whole) } else { Value::from(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meter_with_limit(max_tokens: u64) -> BudgetMeter {
        let budget = BudgetSpec { max_tokens: Some(max_tokens), max_usd: Some(1.0) };
        let price = |model: &str| PriceSpec {
            model: model.to_owned(),
            input_usd_per_million: 1.0,
            output_usd_per_million: 10.0,
        };
        BudgetMeter::new("step", budget, &[price("small")])
    }

    /// The tokens of successive calls, and the thresholds that each reaches.
    #[test]
    fn each_mark_is_reached_once_and_several_at_once_in_their_order() {
        let cases: &[(&[u64], &[&[f64]])] = &[
            (&[49, 1, 20, 10, 10, 10, 100], &[&[], &[50.0], &[65.0], &[80.0], &[], &[100.0], &[150.0]]),
            (&[200, 1], &[&[50.0, 65.0, 80.0, 100.0, 150.0], &[]]),
            (&[0, 0], &[&[], &[]]),
        ];
        let marks = [150.0, 65.0, 50.0, 80.0, 100.0, 65.0];
        for (calls, expected) in cases {
            let meter = meter_with_limit(100);
            let mut last = 0.0;
            for (tokens, expected) in calls.iter().zip(*expected) {
                let reached = meter.count_call("other", TokenUsage::new(*tokens, 0), &marks);
                let heard: Vec<f64> = reached.iter().map(|reached| reached.threshold).collect();
                assert_eq!(&heard, expected, "{calls:?} at {tokens}");
                for reached in reached {
                    assert!(
                        reached.previous < reached.threshold && reached.threshold <= reached.percent,
                        "{reached:?}"
                    );
                    assert!((reached.previous - last).abs() < f64::EPSILON, "{reached:?} after {last}");
                    last = reached.threshold;
                }
            }
        }
    }

    #[test]
    fn a_bound_is_passed_above_it_and_again_above_what_was_given() {
        let meter = meter_with_limit(100);
        meter.count_call("small", TokenUsage::new(100, 0), &[]);
        assert_eq!(meter.overrun(), None);
        meter.count_call("small", TokenUsage::new(1, 0), &[]);
        assert_eq!(meter.overrun(), Some(BudgetOverrun { limit: "max_tokens", limit_value: 100.0 }));
        meter.extend();
        assert_eq!(meter.overrun(), None);
        meter.count_call("small", TokenUsage::new(100, 0), &[]);
        assert_eq!(meter.overrun(), Some(BudgetOverrun { limit: "max_tokens", limit_value: 100.0 }));
    }

    #[test]
    fn only_declared_prices_count() {
        let meter = meter_with_limit(u64::MAX);
        assert_eq!(meter.usage().cost_usd, None);
        meter.count_call("other", TokenUsage::new(1_000_000, 0), &[]);
        assert_eq!(meter.usage().cost_usd, None);
        assert!(meter.is_price_missing("other") && !meter.is_price_missing("small"));
        meter.count_call("small", TokenUsage::new(500_000, 60_000), &[]);
        assert_eq!(meter.usage().cost_usd, Some(1.1));
        assert_eq!(meter.overrun(), Some(BudgetOverrun { limit: "max_usd", limit_value: 1.0 }));
    }

    #[test]
    fn what_a_tape_restores_is_counted_and_not_told_again() {
        let meter = meter_with_limit(100);
        meter.restore("small", TokenUsage::new(85, 0));
        assert_eq!(meter.usage().usage, TokenUsage::new(85, 0));
        let reached = meter.count_call("small", TokenUsage::new(15, 0), &[50.0, 80.0, 100.0]);
        assert_eq!(reached.iter().map(|reached| reached.threshold).collect::<Vec<_>>(), [100.0]);
    }

    #[test]
    fn numbers_are_whole_when_they_are() {
        let texts: Vec<String> =
            [0.0, 100.0, 0.5].into_iter().map(|value| to_number_value(value).to_string()).collect();
        assert_eq!(texts, ["0", "100", "0.5"]);
    }
}
