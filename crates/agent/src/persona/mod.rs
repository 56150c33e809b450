//! Personas: an agent in a role, which runs named steps.
//!
//! A step is host code, or a prompt, between `step.pre` and `step.post`. What the agent does in it (turns, tool calls,
//! delegated agents) is charged to the step, to the enclosing steps, to its persona and to the session. It may use only
//! the step's tools, and carries the persona and the step in [`pintle_host::Origin`]. What hooks cause is not part of the
//! step: persona and step are suspended while hooks run.
//!
//! `run` runs a step; `turn_context::StepContext` holds its state, and `budget` has the meters.

mod declared_steps;
mod error;
mod handoff;
mod pause;
mod run;
mod template;

use std::sync::Arc;

use pintle_host::Severity;
use pintle_host::contract::{PersonaSpec, StepSpec};
use serde_json::Value;

use crate::budget::{BudgetMeter, BudgetUsage};
use crate::session::Session;
use crate::session_state::{PausedPersona, TurnOutput};
use crate::turn_context::StepContext;
use crate::turn_error::TurnError;

pub use error::{StepError, StepErrorKind};
pub use handoff::HandoffReceipt;

/// An agent in a role. Created by [`Session::persona`].
#[derive(Debug)]
pub struct Persona<'s> {
    session: &'s mut Session,
    spec: Arc<PersonaSpec>,
    meter: Arc<BudgetMeter>,
}

/// A running step.
#[derive(Debug)]
pub struct PersonaStep<'s> {
    session: &'s mut Session,
    step_context: Arc<StepContext>,
    args: Vec<Value>,
}

impl Session {
    /// Opens a persona. Its usage and whether it is paused apply to the whole session.
    ///
    /// # Errors
    /// When the declaration is invalid; [`PersonaSpec::validate`] lists every problem.
    pub fn persona(&mut self, spec: &PersonaSpec) -> Result<Persona<'_>, TurnError> {
        let faults = spec.validate().into_iter().filter(|found| found.severity == Severity::Error);
        let faults: Vec<String> = faults.map(|found| found.message).collect();
        if !faults.is_empty() {
            return Err(TurnError::failed("config", faults.join("; ")));
        }
        let meter = self.context().state.personas.meter(spec);
        Ok(Persona { session: self, spec: Arc::new(spec.clone()), meter })
    }

    /// Runs a step without a persona: hooks see an empty persona name, which `*` matches.
    ///
    /// # Errors
    /// As [`Persona::step`].
    pub fn step(
        &mut self,
        spec: &StepSpec,
        args: impl Into<Value>,
        body: impl FnOnce(&mut PersonaStep<'_>) -> Result<Value, StepError>,
    ) -> Result<Value, StepError> {
        run::run(self, None, Arc::new(spec.clone()), args.into(), body)
    }

    /// Pauses a persona: it runs no further step until it is resumed, even in a resumed session. `requester` says who pauses
    /// it: `person`, `agent`, `budget` or `host`. Fires `persona.paused`, unless the persona is already paused.
    pub fn pause_persona(&mut self, name: &str, reason: &str, requester: &str) {
        pause::pause(self, name, reason, requester);
    }

    /// Resumes a persona. Fires `persona.resumed` if it was paused.
    pub fn resume_persona(&mut self, name: &str, reason: &str, requester: &str) {
        pause::resume(self, name, reason, requester);
    }

    /// The paused personas, by name.
    #[must_use]
    pub fn paused_personas(&self) -> Vec<PausedPersona> {
        self.context().state.personas.paused()
    }
}

impl Persona<'_> {
    /// The persona's declaration.
    #[must_use]
    pub fn spec(&self) -> &PersonaSpec {
        &self.spec
    }

    /// Runs a step of the persona: `step.pre`, the approval that the step needs, the body, `step.post`. `args` are the
    /// step's arguments: a list, or a value that becomes a list of one; null is an empty list.
    ///
    /// The result is the body's output after the rewrites of `step.post` hooks. With
    /// [`pintle_host::contract::ErrorBoundary::Continue`] an error of the body, or an exhausted budget, is returned as a result in the
    /// form of [`StepError::to_value`].
    ///
    /// # Errors
    /// When the step does not exist, the persona is paused, a hook denies, the approval is not given, the body fails,
    /// or a budget is exhausted.
    pub fn step(
        &mut self,
        name: &str,
        args: impl Into<Value>,
        body: impl FnOnce(&mut PersonaStep<'_>) -> Result<Value, StepError>,
    ) -> Result<Value, StepError> {
        let step = self
            .spec
            .step(name)
            .map_err(|error| StepError::failed(error.to_string()).with_location(&self.spec.name, name))?;
        let step = Arc::new(step.clone());
        run::run(self.session, Some((Arc::clone(&self.spec), Arc::clone(&self.meter))), step, args.into(), body)
    }

    /// Pauses the persona, see [`Session::pause_persona`].
    pub fn pause(&mut self, reason: &str) {
        pause::pause(self.session, &self.spec.name, reason, "host");
    }

    /// Resumes the persona, see [`Session::resume_persona`].
    pub fn resume(&mut self, reason: &str) {
        pause::resume(self.session, &self.spec.name, reason, "host");
    }

    /// Hands the persona's work over: fires `handoff.emitted` and returns the receipt. The host does the rest.
    ///
    /// # Errors
    /// When its declaration does not name `to` among its hand-offs.
    pub fn hand_off(
        &mut self,
        to: &str,
        summary: &str,
        payload: impl Into<Value>,
    ) -> Result<HandoffReceipt, StepError> {
        let turn = self.session.turn_for_persona(&self.spec.name);
        handoff::hand_off_persona(&turn, &self.spec, to, summary, payload.into())
    }

    /// What the persona's steps have used in this session.
    #[must_use]
    pub fn usage(&self) -> BudgetUsage {
        self.meter.usage()
    }
}

impl PersonaStep<'_> {
    /// The step's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.step_context.step.name
    }

    /// The arguments, after the rewrites of `step.pre` hooks.
    #[must_use]
    pub fn args(&self) -> &[Value] {
        &self.args
    }

    /// Runs a turn of the agent inside the step.
    ///
    /// # Errors
    /// When the turn fails, or a budget is exhausted; then the step fails with that error whatever its body returns.
    pub fn run_prompt(&mut self, prompt: &str) -> Result<TurnOutput, StepError> {
        self.session.turn(prompt).map_err(|error| match self.step_context.exhausted_budget() {
            Some(spent) => StepError::from(spent),
            None => StepError::from(error),
        })
    }

    /// Runs another step of the same persona inside this one.
    ///
    /// # Errors
    /// As [`Persona::step`].
    pub fn step(
        &mut self,
        name: &str,
        args: impl Into<Value>,
        body: impl FnOnce(&mut PersonaStep<'_>) -> Result<Value, StepError>,
    ) -> Result<Value, StepError> {
        let persona = self.step_context.persona.clone();
        let spec = match &persona {
            Some((persona, _)) => persona
                .step(name)
                .map_err(|error| StepError::failed(error.to_string()).with_location(&persona.name, name))?
                .clone(),
            None => StepSpec::new(name),
        };
        run::run(self.session, persona, Arc::new(spec), args.into(), body)
    }

    /// Opens another persona inside this step, which is also charged for it.
    ///
    /// # Errors
    /// As [`Session::persona`].
    pub fn persona(&mut self, spec: &PersonaSpec) -> Result<Persona<'_>, TurnError> {
        self.session.persona(spec)
    }

    /// Pauses the step's persona: this step continues, and no further one starts.
    pub fn pause(&mut self, reason: &str) {
        let name = self.step_context.persona_name().to_owned();
        pause::pause(self.session, &name, reason, "agent");
    }

    /// Hands the persona's work over, see [`Persona::hand_off`].
    ///
    /// # Errors
    /// When the step has no persona, or the persona's declaration does not name `to`.
    pub fn hand_off(
        &mut self,
        to: &str,
        summary: &str,
        payload: impl Into<Value>,
    ) -> Result<HandoffReceipt, StepError> {
        let Some((persona, _)) = &self.step_context.persona else {
            return Err(
                StepError::failed("a step without a persona cannot hand work over").with_location("", self.name())
            );
        };
        handoff::hand_off_persona(&self.session.turn_in_step(), persona, to, summary, payload.into())
    }

    /// What the step has used so far, nested steps and delegated agents included.
    #[must_use]
    pub fn usage(&self) -> BudgetUsage {
        self.step_context.usage()
    }
}
