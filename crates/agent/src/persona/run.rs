//! Runs a step.
//!
//! A paused persona or an exhausted budget prevents it. Then `step.pre` may deny it or change its arguments, then it is
//! approved if needed, with these arguments, and then its body runs. `step.post` follows every step that began, even
//! one that failed, and may change its output or fail it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use pintle_host::contract::{ErrorBoundary, HookId, OutcomeReason, StepSpec};
use pintle_host::event::{StepPost, StepPre};
use pintle_host::{Clock, Decision, Event, Outcome};
use serde_json::{Map, Value};

use super::{PersonaStep, StepError, StepErrorKind};
use crate::approval::{self, ApprovalPrompt};
use crate::observer::AgentEvent;
use crate::session::Session;
use crate::turn_context::{ActivePersona, StepContext, TurnContext};

pub(super) fn run(
    session: &mut Session,
    persona: Option<ActivePersona>,
    spec: Arc<StepSpec>,
    args: Value,
    body: impl FnOnce(&mut PersonaStep<'_>) -> Result<Value, StepError>,
) -> Result<Value, StepError> {
    let whose = persona.as_ref().map(|(persona, _)| persona.name.clone()).unwrap_or_default();
    let name = spec.name.clone();
    run_in_step(session, persona, spec, args, body).map_err(|error| error.with_location(&whose, &name))
}

fn run_in_step(
    session: &mut Session,
    persona: Option<ActivePersona>,
    spec: Arc<StepSpec>,
    args: Value,
    body: impl FnOnce(&mut PersonaStep<'_>) -> Result<Value, StepError>,
) -> Result<Value, StepError> {
    session.start()?;
    if let Some(paused) =
        persona.as_ref().and_then(|(persona, _)| session.context().state.personas.find_pause(&persona.name))
    {
        let why = if paused.reason.is_empty() { String::new() } else { format!(": {}", paused.reason) };
        let message = format!("persona `{}` is paused{why}; resume it before running a step", paused.persona);
        return Err(StepError::new(StepErrorKind::Paused { reason: paused.reason }, message));
    }
    let outer = session.step_context.clone();
    let work =
        Arc::new(StepContext::new(session.active_agent(), outer.clone(), persona, spec).map_err(StepError::failed)?);
    if let Some(spent) = work.exhausted_budget() {
        return Err(StepError::from(spent));
    }
    session.step_context = Some(Arc::clone(&work));
    let life = StepLifecycle { turn: session.turn_in_step(), step_context: work };
    let result = life.run_body(session, args, body);
    session.step_context = outer;
    session.keep_notes(&life.turn);
    result
}

struct StepLifecycle {
    /// The context in which the step's own events fire.
    turn: TurnContext,
    step_context: Arc<StepContext>,
}

impl StepLifecycle {
    fn run_body(
        &self,
        session: &mut Session,
        args: Value,
        body: impl FnOnce(&mut PersonaStep<'_>) -> Result<Value, StepError>,
    ) -> Result<Value, StepError> {
        let args = self.admit_step(to_list(args))?;
        let clock = Arc::clone(&self.turn.agent.shared);
        let clock: &dyn Clock = clock.runtime.clock();
        let began_us = clock.monotonic_us();
        let mut step = PersonaStep { session, step_context: Arc::clone(&self.step_context), args: args.clone() };
        // A body is code of the embedder: a panic in it fails the step, not the session.
        let result = catch_unwind(AssertUnwindSafe(|| body(&mut step)));
        let result = result.unwrap_or_else(|_| Err(StepError::failed(format!("step `{}` crashed", step.name()))));
        let result = self.apply_error_boundary(result);
        let duration_ms = clock.monotonic_us().saturating_sub(began_us) / 1_000;
        self.review_result(args, result, duration_ms)
    }

    /// Fires `step.pre` and then requests the approvals. Returns the final arguments.
    fn admit_step(&self, args: Vec<Value>) -> Result<Vec<Value>, StepError> {
        let spec = &self.step_context.step;
        let payload = StepPre {
            persona: self.step_context.persona_name().to_owned(),
            step: spec.name.clone(),
            function: spec.function().to_owned(),
            args,
        };
        let outcome = self.turn.fire_deferring_asks(&Event::from_payload(&payload, Arc::clone(&self.turn.origin)));
        self.check_cancelled()?;
        if outcome.decision == Decision::Deny {
            return Err(denied_error("PreStep", &outcome));
        }
        let args = match outcome.payload.field("args") {
            Some(Value::Array(args)) => args.clone(),
            _ => payload.args.clone(),
        };
        let mut reasons = if outcome.decision == Decision::Ask { outcome.reasons } else { Vec::new() };
        reasons.extend(spec.approval.as_ref().map(|reason| OutcomeReason::new(HookId::new("approval"), reason)));
        if !reasons.is_empty() {
            let event = Event::from_payload(&StepPre { args: args.clone(), ..payload }, Arc::clone(&self.turn.origin));
            self.request_approval("step", &event, &reasons)?;
        }
        Ok(args)
    }

    fn request_approval(&self, kind: &'static str, event: &Event, reasons: &[OutcomeReason]) -> Result<(), StepError> {
        let name = &self.step_context.step.name;
        let asking =
            ApprovalPrompt { kind, name, call: None, event, reasons, metadata: &Map::new(), allows_grant: false };
        let answer = approval::request_approval(&self.turn, &asking, &|| false);
        self.check_cancelled()?;
        if answer.is_some_and(|answer| answer.is_yes()) {
            return Ok(());
        }
        let texts: Vec<&str> = reasons.iter().map(|reason| reason.text.as_str()).collect();
        let message = format!("step `{name}` was not approved: {}", texts.join("; "));
        Err(StepError::new(StepErrorKind::Refused, message))
    }

    /// Applies the step's budget and its error boundary to the result. An exhausted budget fails the step whatever its
    /// body returns.
    fn apply_error_boundary(&self, result: Result<Value, StepError>) -> Result<Value, StepError> {
        let name = &self.step_context.step.name;
        let own = self.step_context.meter.exhausted_budget();
        // The enclosing step handles its own budget.
        let is_own = own.is_some() || self.step_context.exhausted_budget().is_none();
        let result = match own.or_else(|| self.step_context.exhausted_budget()) {
            Some(spent) => Err(StepError::from(spent)),
            None => result,
        };
        let error = match result {
            Ok(output) => return Ok(output),
            Err(error) => error.with_location(self.step_context.persona_name(), name),
        };
        let is_bounded = match &error.kind {
            StepErrorKind::Budget(spent) => is_own || spent.scope == "persona",
            StepErrorKind::Failed => true,
            _ => false,
        };
        match self.step_context.step.error_boundary {
            ErrorBoundary::Continue if is_bounded => Ok(error.to_value()),
            // The user was already asked when the budget ran out.
            ErrorBoundary::Escalate if error.kind == StepErrorKind::Failed => {
                let reasons = [OutcomeReason::new(HookId::new("error_boundary"), error.message.clone())];
                let args = Vec::new();
                let persona = self.step_context.persona_name().to_owned();
                let function = self.step_context.step.function().to_owned();
                let payload = StepPost {
                    persona,
                    step: name.clone(),
                    function,
                    args,
                    output: error.to_value(),
                    is_error: true,
                    ..StepPost::default()
                };
                let event = Event::from_payload(&payload, Arc::clone(&self.turn.origin));
                match self.request_approval("error", &event, &reasons) {
                    Ok(()) => Ok(error.to_value()),
                    Err(_) => Err(error),
                }
            }
            _ => Err(error),
        }
    }

    /// Fires `step.post` with the result.
    fn review_result(
        &self,
        args: Vec<Value>,
        result: Result<Value, StepError>,
        duration_ms: u64,
    ) -> Result<Value, StepError> {
        let used = self.step_context.usage();
        let payload = StepPost {
            persona: self.step_context.persona_name().to_owned(),
            step: self.step_context.step.name.clone(),
            function: self.step_context.step.function().to_owned(),
            args,
            output: result.as_ref().map_or_else(StepError::to_value, Value::clone),
            is_error: result.is_err(),
            duration_ms,
            cost_usd: used.cost_usd,
            usage: used.usage,
        };
        let outcome = self.turn.fire_end(&Event::from_payload(&payload, Arc::clone(&self.turn.origin)));
        let is_withheld = self.step_context.take_withheld_answer();
        let output = result?;
        if !outcome.is_allowed() {
            return Err(denied_error("PostStep", &outcome));
        }
        let rewritten = outcome.payload.field("output").filter(|_| outcome.rewritten);
        let output = rewritten.cloned().unwrap_or(output);
        if let Some(text) = output.as_str().filter(|text| is_withheld && !text.is_empty()) {
            self.turn.notify(AgentEvent::Message { text, streamed: false });
        }
        Ok(output)
    }

    fn check_cancelled(&self) -> Result<(), StepError> {
        if self.turn.scope.cancel.is_cancelled() {
            return Err(StepError::new(StepErrorKind::Cancelled, "cancelled"));
        }
        Ok(())
    }
}

fn denied_error(event: &'static str, outcome: &Outcome) -> StepError {
    StepError::new(
        StepErrorKind::Denied { event, reason: outcome.hook_texts() },
        format!("step blocked: {}", outcome.reason()),
    )
}

/// The arguments as a list.
fn to_list(args: Value) -> Vec<Value> {
    match args {
        Value::Null => Vec::new(),
        Value::Array(args) => args,
        one => vec![one],
    }
}
