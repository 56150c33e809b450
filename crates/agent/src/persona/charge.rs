//! Counting a model call on every budget it belongs to: the marks that it reaches, and what a spent budget means.

use std::sync::Arc;

use pintle::event::{BudgetThreshold, TokenUsage};
use pintle::{BudgetSpec, ErrorBoundary, Event, HookId, Origin, OutcomeReason, StepSpec};
use serde_json::Map;

use super::marks::PendingThreshold;
use super::meter::{BudgetOverrun, ThresholdReached};
use super::step_context::MeterCharge;
use super::{BudgetExceeded, BudgetMeter};
use crate::approval::{self, ApprovalPrompt};
use crate::observer::AgentEvent;
use crate::session::TurnError;
use crate::turn_context::TurnContext;

impl TurnContext {
    /// Counts a model call: on the session, and in a step on the step, its persona and what is around them. Tells of
    /// every mark that it reaches.
    pub(crate) fn charge(&self, model: &str, usage: TokenUsage) {
        let nobody = StepSpec::default();
        let charged = self.charged_meters(&nobody);
        let marks = self.active_thresholds(&charged);
        for meter in charged.iter().map(|charged| charged.meter) {
            if meter.is_price_missing(model) {
                let message = format!(
                    "model `{model}` has no price, so that its calls do not count towards `max_usd` of the {}; declare one",
                    meter.scope
                );
                self.notify(AgentEvent::Notice { message: &message });
            }
        }
        // Everything is counted before anybody is told, so that hooks see all budgets as they stand.
        let count = || {
            let of_meter = |charged: &MeterCharge<'_>| {
                let (scope, reached) = (charged.meter.scope, charged.meter.count_call(model, usage, &marks));
                reached.into_iter().map(move |reached| PendingThreshold { turn: self.clone(), scope, reached })
            };
            charged.iter().flat_map(of_meter).collect()
        };
        self.agent
            .shared
            .threshold_queue
            .count_and_notify(count, |mark| mark.turn.fire_threshold(mark.scope, &mark.reached));
    }

    /// Looks at every budget that the last model call counted on.
    ///
    /// # Errors
    /// When one is spent and nobody gave more.
    pub(crate) fn check_budgets(&self) -> Result<(), TurnError> {
        let nobody = StepSpec::default();
        self.charged_meters(&nobody).iter().try_for_each(|charged| self.check_meter(charged))
    }

    fn charged_meters<'t>(&'t self, nobody: &'t StepSpec) -> Vec<MeterCharge<'t>> {
        match &self.step_context {
            Some(work) => work.charged_meters(),
            None => vec![MeterCharge { meter: &self.agent.shared.meter, step: nobody }],
        }
    }

    /// The marks that anybody waits for, when anything is bounded.
    fn active_thresholds(&self, charged: &[MeterCharge<'_>]) -> Vec<f64> {
        if !charged.iter().any(|charged| charged.meter.is_bounded()) {
            return Vec::new();
        }
        let mut marks = BudgetSpec::MARKS.to_vec();
        if let Some((persona, _)) = self.step_context.as_ref().and_then(|work| work.persona.as_ref()) {
            marks.extend(&persona.thresholds);
        }
        marks.extend(self.agent.shared.runtime.threshold_percents(&self.scope));
        marks
    }

    /// Fires `budget.threshold` for one mark. A hook that is pinned to a step hears of that step's budget alone, and one
    /// of a persona of its steps' and its own.
    fn fire_threshold(&self, scope: &'static str, reached: &ThresholdReached) {
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
            threshold_percent: reached.threshold,
            previous_percent: reached.previous,
            persona: origin.persona.clone(),
            step: origin.step.clone(),
        };
        let _ = self.fire(&Event::from_payload(&payload, Arc::new(origin)));
    }

    /// What a spent budget means: the end, unless its step escalates and a person gives as much again.
    fn check_meter(&self, charged: &MeterCharge<'_>) -> Result<(), TurnError> {
        let MeterCharge { meter, step } = charged;
        let fault = |spent: &BudgetExceeded| TurnError::failed("limit", spent.message()).with_event("budget.threshold");
        if let Some(spent) = meter.exhausted_budget() {
            return Err(fault(&spent));
        }
        while let Some(over) = meter.overrun() {
            let spent = self.exceeded_budget(meter, step, over);
            if step.error_boundary != ErrorBoundary::Escalate || !self.request_extension(meter, &spent) {
                meter.mark_exhausted(spent.clone());
                return Err(fault(&spent));
            }
        }
        Ok(())
    }

    fn exceeded_budget(&self, meter: &BudgetMeter, step: &StepSpec, over: BudgetOverrun) -> BudgetExceeded {
        let used = meter.usage();
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
    fn request_extension(&self, meter: &BudgetMeter, spent: &BudgetExceeded) -> bool {
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
        let asking = ApprovalPrompt {
            kind: "budget",
            name,
            call: None,
            event: &event,
            reasons: &reasons,
            metadata: &metadata,
            allows_grant: false,
        };
        // Calls at the same time find the budget spent together, and the first answer is for all of them.
        match approval::request_approval(self, &asking, &|| {
            meter.overrun().is_none() || meter.exhausted_budget().is_some()
        }) {
            Some(answer) if answer.is_yes() => {
                meter.extend();
                true
            }
            Some(_) => {
                meter.mark_exhausted(spent.clone());
                false
            }
            None => meter.exhausted_budget().is_none(),
        }
    }
}
