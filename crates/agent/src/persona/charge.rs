//! Counting a model call on every budget it belongs to: the marks that it reaches, and what a spent budget means.

use std::sync::Arc;

use pintle::event::{BudgetThreshold, TokenUsage};
use pintle::{BudgetSpec, ErrorBoundary, Event, HookId, Origin, OutcomeReason, StepSpec};
use serde_json::Map;

use super::marks::ReachedMark;
use super::meter::{Over, Reached};
use super::work::Charged;
use super::{BudgetExceeded, Meter};
use crate::approval::{self, Asking};
use crate::observe::Happening;
use crate::session::Fault;
use crate::turn::Turn;

impl Turn {
    /// Counts a model call: on the session, and in a step on the step, its persona and what is around them. Tells of
    /// every mark that it reaches.
    pub(crate) fn charge(&self, model: &str, usage: TokenUsage) {
        let nobody = StepSpec::default();
        let charged = self.charged(&nobody);
        let marks = self.marks(&charged);
        for meter in charged.iter().map(|charged| charged.meter) {
            if meter.lacks_price(model) {
                let message = format!(
                    "model `{model}` has no price, so that its calls do not count towards `max_usd` of the {}; declare one",
                    meter.scope
                );
                self.tell(Happening::Notice { message: &message });
            }
        }
        // Everything is counted before anybody is told, so that hooks see all budgets as they stand.
        let count = || {
            let of_meter = |charged: &Charged<'_>| {
                let (scope, reached) = (charged.meter.scope, charged.meter.count(model, usage, &marks));
                reached.into_iter().map(move |reached| ReachedMark { turn: self.clone(), scope, reached })
            };
            charged.iter().flat_map(of_meter).collect()
        };
        self.agent.shared.marks.count(count, |mark| mark.turn.tell_mark(mark.scope, &mark.reached));
    }

    /// Looks at every budget that the last model call counted on.
    ///
    /// # Errors
    /// When one is spent and nobody gave more.
    pub(crate) fn within_budget(&self) -> Result<(), Fault> {
        let nobody = StepSpec::default();
        self.charged(&nobody).iter().try_for_each(|charged| self.settle(charged))
    }

    fn charged<'t>(&'t self, nobody: &'t StepSpec) -> Vec<Charged<'t>> {
        match &self.work {
            Some(work) => work.charged(),
            None => vec![Charged { meter: &self.agent.shared.meter, step: nobody }],
        }
    }

    /// The marks that anybody waits for, when anything is bounded.
    fn marks(&self, charged: &[Charged<'_>]) -> Vec<f64> {
        if !charged.iter().any(|charged| charged.meter.is_bounded()) {
            return Vec::new();
        }
        let mut marks = BudgetSpec::MARKS.to_vec();
        if let Some((persona, _)) = self.work.as_ref().and_then(|work| work.persona.as_ref()) {
            marks.extend(&persona.thresholds);
        }
        marks.extend(self.agent.shared.runtime.threshold_percents(&self.scope));
        marks
    }

    /// Fires `budget.threshold` for one mark. A hook that is pinned to a step hears of that step's budget alone, and one
    /// of a persona of its steps' and its own.
    fn tell_mark(&self, scope: &'static str, reached: &Reached) {
        let mut origin = Origin::clone(&self.origin);
        match scope {
            "step" => {}
            "persona" => origin.step.clear(),
            _ => {
                origin.step.clear();
                origin.persona.clear();
            }
        }
        let payload = BudgetThreshold {
            budget: reached.budget.to_owned(),
            scope: scope.to_owned(),
            used: reached.used,
            limit: reached.limit,
            percent: reached.percent,
            threshold_percent: reached.mark,
            previous_percent: reached.previous,
            persona: origin.persona.clone(),
            step: origin.step.clone(),
        };
        let _ = self.fire(&Event::from_payload(&payload, Arc::new(origin)));
    }

    /// What a spent budget means: the end, unless its step escalates and a person gives as much again.
    fn settle(&self, charged: &Charged<'_>) -> Result<(), Fault> {
        let Charged { meter, step } = charged;
        let fault = |spent: &BudgetExceeded| Fault::failed("limit", spent.message()).during("budget.threshold");
        if let Some(spent) = meter.spent() {
            return Err(fault(&spent));
        }
        while let Some(over) = meter.over() {
            let spent = self.spent(meter, step, over);
            if step.error_boundary != ErrorBoundary::Escalate || !self.more(meter, &spent) {
                meter.spend(spent.clone());
                return Err(fault(&spent));
            }
        }
        Ok(())
    }

    fn spent(&self, meter: &Meter, step: &StepSpec, over: Over) -> BudgetExceeded {
        let used = meter.used();
        BudgetExceeded {
            scope: meter.scope,
            step: step.name.clone(),
            function: step.function().to_owned(),
            limit: over.limit,
            limit_value: over.limit_value,
            consumed_tokens: used.usage.total_tokens,
            consumed_cost_usd: used.cost_usd,
            error_boundary: step.error_boundary,
        }
    }

    /// Asks a person for as much again. Whether somebody else was given it in the meantime is looked at first.
    fn more(&self, meter: &Meter, spent: &BudgetExceeded) -> bool {
        let payload = BudgetThreshold {
            budget: String::from(if spent.limit == "max_usd" { "cost_usd" } else { "tokens" }),
            scope: meter.scope.to_owned(),
            limit: spent.limit_value,
            persona: self.origin.persona.clone(),
            step: spent.step.clone(),
            ..BudgetThreshold::default()
        };
        let event = Event::from_payload(&payload, Arc::clone(&self.origin));
        let reasons = [OutcomeReason::new(HookId::new("budget"), spent.message())];
        let (name, metadata) = (spent.step.as_str(), Map::new());
        let asking = Asking {
            kind: "budget",
            name,
            call: None,
            event: &event,
            reasons: &reasons,
            metadata: &metadata,
            grants: false,
        };
        // Calls at the same time find the budget spent together, and the first answer is for all of them.
        match approval::ask(self, &asking, &|| meter.over().is_none() || meter.spent().is_some()) {
            Some(answer) if answer.is_yes() => {
                meter.raise();
                true
            }
            Some(_) => {
                meter.spend(spent.clone());
                false
            }
            None => meter.spent().is_none(),
        }
    }
}
