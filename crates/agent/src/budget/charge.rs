//! Charges model calls to budgets, fires thresholds, and handles exhausted budgets.

use std::sync::Arc;

use pintle_host::contract::{BudgetSpec, ErrorBoundary, HookId, OutcomeReason, StepSpec};
use pintle_host::event::{BudgetThreshold, TokenUsage};
use pintle_host::{Event, EventKind, Origin};
use serde_json::Map;

use super::exceeded::BudgetExceeded;
use super::meter::{BudgetMeter, BudgetOverrun, ThresholdReached};
use crate::approval::{self, ApprovalPrompt};
use crate::observer::AgentEvent;
use crate::turn_context::{MeterCharge, TurnContext};
use crate::turn_error::TurnError;

impl TurnContext {
    /// Charges a model call to the session, and in a step to the step, its persona and the enclosing ones. Fires every
    /// threshold that it reaches.
    pub(crate) fn charge(&self, model: &str, usage: TokenUsage) {
        let nobody = StepSpec::default();
        let charged = self.charged_meters(&nobody);
        let marks = self.active_thresholds(&charged);
        for meter in charged.iter().map(|charged| charged.meter) {
            if meter.is_price_missing(model) {
                let message = format!(
                    "model `{model}` has no price, so its calls do not count towards `max_usd` of the {}; declare one",
                    meter.scope
                );
                self.notify(AgentEvent::Notice { message: &message });
            }
        }
        // Every budget is charged before an event fires, so that hooks see all budgets up to date.
        let count = || {
            let of_meter = |charged: &MeterCharge<'_>| {
                let (scope, reached) = (charged.meter.scope, charged.meter.count_call(model, usage, &marks));
                reached.into_iter().map(move |reached| -> Box<dyn FnOnce() + Send> {
                    let turn = self.clone();
                    Box::new(move || turn.fire_threshold(scope, &reached))
                })
            };
            charged.iter().flat_map(of_meter).collect()
        };
        self.agent.shared.state.threshold_queue.count_and_notify(count);
    }

    /// Checks every budget that the last model call was charged to.
    ///
    /// # Errors
    /// When one is exhausted and was not extended.
    pub(crate) fn check_budgets(&self) -> Result<(), TurnError> {
        let nobody = StepSpec::default();
        self.charged_meters(&nobody).iter().try_for_each(|charged| self.check_meter(charged))
    }

    fn charged_meters<'t>(&'t self, spec: &'t StepSpec) -> Vec<MeterCharge<'t>> {
        match &self.step_context {
            Some(work) => work.charged_meters(),
            None => vec![MeterCharge { meter: &self.agent.shared.state.meter, step: spec }],
        }
    }

    /// The thresholds that the hooks or declarations use, if any budget is bounded.
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

    /// Fires `budget.threshold` for one threshold. A hook that is limited to a step only sees that step's budget, and
    /// one that is limited to a persona sees the persona's and its steps'.
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

    /// Fails if the budget is exhausted, unless its step escalates and the user extends it.
    fn check_meter(&self, charged: &MeterCharge<'_>) -> Result<(), TurnError> {
        let MeterCharge { meter, step } = charged;
        let error =
            |spent: &BudgetExceeded| TurnError::failed("limit", spent.message()).with_event(EventKind::BudgetThreshold);
        if let Some(spent) = meter.exhausted_budget() {
            return Err(error(&spent));
        }
        while let Some(over) = meter.overrun() {
            let spent = self.exceeded_budget(meter, step, over);
            if step.error_boundary != ErrorBoundary::Escalate || !self.request_extension(meter, &spent) {
                meter.mark_exhausted(spent.clone());
                return Err(error(&spent));
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

    /// Asks the user to extend the budget by its original amount, unless another call has had it extended meanwhile.
    fn request_extension(&self, meter: &BudgetMeter, exceeded: &BudgetExceeded) -> bool {
        let payload = BudgetThreshold {
            budget: String::from(if exceeded.limit == "max_usd" { "cost_usd" } else { "tokens" }),
            scope: meter.scope.to_owned(),
            limit: exceeded.limit_value,
            persona: self.origin.persona.clone(),
            step: exceeded.step.clone(),
            ..BudgetThreshold::default()
        };
        let event = Event::from_payload(&payload, Arc::clone(&self.origin));
        let reasons = [OutcomeReason::new(HookId::new("budget"), exceeded.message())];
        let (name, metadata) = (exceeded.step.as_str(), Map::new());
        let asking = ApprovalPrompt {
            kind: "budget",
            name,
            call: None,
            event: &event,
            reasons: &reasons,
            metadata: &metadata,
            allows_grant: false,
        };
        // Concurrent calls exhaust the budget together, and the first response applies to all of them.
        match approval::request_approval(self, &asking, &|| {
            meter.overrun().is_none() || meter.exhausted_budget().is_some()
        }) {
            Some(answer) if answer.is_yes() => {
                meter.extend();
                true
            }
            Some(_) => {
                meter.mark_exhausted(exceeded.clone());
                false
            }
            None => meter.exhausted_budget().is_none(),
        }
    }
}
