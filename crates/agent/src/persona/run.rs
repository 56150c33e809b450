//! The life of a step.
//!
//! A paused persona and a spent budget keep it from beginning. Then `step.pre` may deny it or change its arguments;
//! then whoever has to approves it, with these arguments; then its body runs. `step.post` follows every step that began,
//! also one that failed, and may change its output or fail it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use pintle::event::{StepPost, StepPre};
use pintle::{Clock, Decision, ErrorBoundary, Event, HookId, Outcome, OutcomeReason, StepSpec};
use serde_json::{Map, Value};

use super::work::Role;
use super::{Step, StepError, StepErrorKind, Work};
use crate::approval::{self, Asking};
use crate::observe::Happening;
use crate::session::Session;
use crate::turn::{Turn, words};

/// Runs a step.
pub(super) fn run(
    session: &mut Session,
    persona: Option<Role>,
    spec: Arc<StepSpec>,
    args: Value,
    body: impl FnOnce(&mut Step<'_>) -> Result<Value, StepError>,
) -> Result<Value, StepError> {
    let whose = persona.as_ref().map(|(persona, _)| persona.name.clone()).unwrap_or_default();
    let name = spec.name.clone();
    within(session, persona, spec, args, body).map_err(|error| error.at(&whose, &name))
}

fn within(
    session: &mut Session,
    persona: Option<Role>,
    spec: Arc<StepSpec>,
    args: Value,
    body: impl FnOnce(&mut Step<'_>) -> Result<Value, StepError>,
) -> Result<Value, StepError> {
    session.start()?;
    if let Some(paused) = persona.as_ref().and_then(|(persona, _)| session.shared().personas.pause_of(&persona.name)) {
        let why = if paused.reason.is_empty() { String::new() } else { format!(": {}", paused.reason) };
        let message = format!("persona `{}` is paused{why}; resume it before it runs a step", paused.persona);
        return Err(StepError::new(StepErrorKind::Paused { reason: paused.reason }, message));
    }
    let outer = session.work.clone();
    let work = Arc::new(Work::new(session.at_work(), outer.clone(), persona, spec).map_err(StepError::failed)?);
    if let Some(spent) = work.spent() {
        return Err(StepError::from(spent));
    }
    session.work = Some(Arc::clone(&work));
    let life = Life { turn: session.turn_of_work(), work };
    let result = life.play(session, args, body);
    session.work = outer;
    session.keep_notes(&life.turn);
    result
}

struct Life {
    /// What the events of the step itself are fired in.
    turn: Turn,
    work: Arc<Work>,
}

impl Life {
    fn play(
        &self,
        session: &mut Session,
        args: Value,
        body: impl FnOnce(&mut Step<'_>) -> Result<Value, StepError>,
    ) -> Result<Value, StepError> {
        let args = self.admitted(listed(args))?;
        let clock = Arc::clone(&self.turn.agent.shared);
        let clock: &dyn Clock = clock.runtime.clock();
        let began_us = clock.monotonic_us();
        let mut step = Step { session, work: Arc::clone(&self.work), args: args.clone() };
        // A body is somebody else's code: a panic in it is its failure and not the session's.
        let result = catch_unwind(AssertUnwindSafe(|| body(&mut step)));
        let result = result.unwrap_or_else(|_| Err(StepError::failed(format!("step `{}` crashed", step.name()))));
        let result = self.bounded(result);
        let duration_ms = clock.monotonic_us().saturating_sub(began_us) / 1_000;
        self.reviewed(args, result, duration_ms)
    }

    /// Asks the hooks of `step.pre`, and then whoever has to approve. Gives the arguments that stand.
    fn admitted(&self, args: Vec<Value>) -> Result<Vec<Value>, StepError> {
        let spec = &self.work.step;
        let payload = StepPre {
            persona: self.work.persona_name().to_owned(),
            step: spec.name.clone(),
            function: spec.function().to_owned(),
            args,
        };
        let outcome = self.turn.fire_deferring(&Event::from_payload(&payload, Arc::clone(&self.turn.origin)));
        self.not_cancelled()?;
        if outcome.decision == Decision::Deny {
            return Err(denied("PreStep", &outcome));
        }
        let args = match outcome.payload.field("args") {
            Some(Value::Array(args)) => args.clone(),
            _ => payload.args.clone(),
        };
        let mut reasons = if outcome.decision == Decision::Ask { outcome.reasons } else { Vec::new() };
        reasons.extend(spec.approval.as_ref().map(|why| OutcomeReason::new(HookId::new("approval"), why)));
        if !reasons.is_empty() {
            let event = Event::from_payload(&StepPre { args: args.clone(), ..payload }, Arc::clone(&self.turn.origin));
            self.approved("step", &event, &reasons)?;
        }
        Ok(args)
    }

    fn approved(&self, kind: &'static str, event: &Event, reasons: &[OutcomeReason]) -> Result<(), StepError> {
        let name = &self.work.step.name;
        let asking = Asking { kind, name, call: None, event, reasons, metadata: &Map::new(), grants: false };
        let answer = approval::ask(&self.turn, &asking, &|| false);
        self.not_cancelled()?;
        if answer.is_some_and(|answer| answer.is_yes()) {
            return Ok(());
        }
        let texts: Vec<&str> = reasons.iter().map(|reason| reason.text.as_str()).collect();
        let message = format!("step `{name}` was not approved: {}", texts.join("; "));
        Err(StepError::new(StepErrorKind::Refused, message))
    }

    /// The result under the step's budget and its error boundary. A spent budget fails the step whatever its body made of
    /// it.
    fn bounded(&self, result: Result<Value, StepError>) -> Result<Value, StepError> {
        let name = &self.work.step.name;
        let own = self.work.meter.spent();
        // What is around the step deals with its own budget.
        let is_own = own.is_some() || self.work.spent().is_none();
        let result = match own.or_else(|| self.work.spent()) {
            Some(spent) => Err(StepError::from(spent)),
            None => result,
        };
        let error = match result {
            Ok(output) => return Ok(output),
            Err(error) => error.at(self.work.persona_name(), name),
        };
        let is_bounded = match &error.kind {
            StepErrorKind::Budget(spent) => is_own || spent.scope == "persona",
            StepErrorKind::Failed => true,
            _ => false,
        };
        match self.work.step.error_boundary {
            ErrorBoundary::Continue if is_bounded => Ok(error.to_value()),
            // A person was asked for more when the budget ran out.
            ErrorBoundary::Escalate if error.kind == StepErrorKind::Failed => {
                let reasons = [OutcomeReason::new(HookId::new("error_boundary"), error.message.clone())];
                let args = Vec::new();
                let persona = self.work.persona_name().to_owned();
                let function = self.work.step.function().to_owned();
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
                match self.approved("error", &event, &reasons) {
                    Ok(()) => Ok(error.to_value()),
                    Err(_) => Err(error),
                }
            }
            _ => Err(error),
        }
    }

    /// Shows the result to the hooks of `step.post`.
    fn reviewed(
        &self,
        args: Vec<Value>,
        result: Result<Value, StepError>,
        duration_ms: u64,
    ) -> Result<Value, StepError> {
        let used = self.work.used();
        let payload = StepPost {
            persona: self.work.persona_name().to_owned(),
            step: self.work.step.name.clone(),
            function: self.work.step.function().to_owned(),
            args,
            output: result.as_ref().map_or_else(StepError::to_value, Value::clone),
            is_error: result.is_err(),
            duration_ms,
            cost_usd: used.cost_usd,
            usage: used.usage,
        };
        let outcome = self.turn.fire_end(&Event::from_payload(&payload, Arc::clone(&self.turn.origin)));
        let is_withheld = self.work.takes_withheld_answer();
        let output = result?;
        if !outcome.is_allowed() {
            return Err(denied("PostStep", &outcome));
        }
        let rewritten = outcome.payload.field("output").filter(|_| outcome.rewritten);
        let output = rewritten.cloned().unwrap_or(output);
        if let Some(text) = output.as_str().filter(|text| is_withheld && !text.is_empty()) {
            self.turn.tell(Happening::Message { text, streamed: false });
        }
        Ok(output)
    }

    fn not_cancelled(&self) -> Result<(), StepError> {
        if self.turn.scope.cancel.is_cancelled() {
            return Err(StepError::new(StepErrorKind::Cancelled, "cancelled"));
        }
        Ok(())
    }
}

/// A hook said no.
fn denied(event: &'static str, outcome: &Outcome) -> StepError {
    let said = outcome.reasons.iter().any(|reason| !reason.text.trim().is_empty());
    let reason = if said { words(outcome) } else { String::new() };
    StepError::new(StepErrorKind::Denied { event, reason }, format!("step blocked: {}", outcome.reason()))
}

/// The arguments as a list.
fn listed(args: Value) -> Vec<Value> {
    match args {
        Value::Null => Vec::new(),
        Value::Array(args) => args,
        one => vec![one],
    }
}
