//! The life of a program's own agent.

use std::borrow::Cow;
use std::sync::Arc;

use pintle_contract::event::{EventKind, EventPayload};
use pintle_contract::{Event, Origin, Outcome, Payload};
use pintle_lifecycle::LifeHost;

use crate::{EventScope, Refusal, Runtime};

/// A program's own agent, as a host of the protocol of [`lifecycle`](pintle_lifecycle).
#[derive(Debug)]
pub struct RuntimeLife<'a> {
    runtime: &'a Runtime,
    origin: Arc<Origin>,
    scope: &'a EventScope,
    context: Vec<String>,
}

impl Runtime {
    /// The life of a program's own agent: prompts, model calls, answers, delegations and compactions go through hooks by
    /// the functions of [`lifecycle`](pintle_lifecycle).
    ///
    /// ```
    /// use std::sync::Arc;
    /// use pintle_host::event::{AgentStop, PromptSubmit, TurnEnd};
    /// use pintle_host::lifecycle::{AnswerDecision, begin_turn, end_turn, review_answer, submit_prompt};
    /// use pintle_host::{EventScope, Origin, Runtime};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let runtime = Runtime::builder().build().unwrap();
    /// let scope = EventScope::default();
    /// let mut life = runtime.life(Arc::new(Origin::default()), &scope);
    /// let prompt = submit_prompt(&mut life, PromptSubmit { prompt: String::from("hello"), ..PromptSubmit::default() })?;
    /// let message = begin_turn(&mut life, prompt)?;
    /// let context = life.take_context(); // what hooks tell the model
    /// let answer = format!("{message} back"); // your model
    /// let stop = AgentStop { response: answer.clone(), ..AgentStop::default() };
    /// let AnswerDecision::Accept(_) = review_answer(&mut life, stop)? else { return Err("go on".into()) };
    /// let change = end_turn(&mut life, TurnEnd { text: answer.clone(), ..TurnEnd::default() })?;
    /// assert_eq!((change.text.unwrap_or(answer).as_str(), context.len()), ("hello back", 0));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn life<'a>(&'a self, origin: Arc<Origin>, scope: &'a EventScope) -> RuntimeLife<'a> {
        RuntimeLife { runtime: self, origin, scope, context: Vec::new() }
    }
}

impl RuntimeLife<'_> {
    /// Takes the texts that hooks added for the model since the last call: context and reminders.
    #[must_use]
    pub fn take_context(&mut self) -> Vec<String> {
        std::mem::take(&mut self.context)
    }

    /// Shows hooks an event that has no function of its own in [`lifecycle`](pintle_lifecycle), and returns the payload as
    /// they left it. The event's own origin does not count.
    ///
    /// # Errors
    /// With the refusal, if hooks deny it.
    pub fn review_event(&mut self, event: &Event) -> Result<Payload, Refusal> {
        let kind = event.name.kind();
        let event = Event { origin: Arc::clone(&self.origin), ..event.clone() };
        let outcome = self.fire_event(&self.runtime.complete_event(Cow::Owned(event)))?;
        if !outcome.is_allowed() {
            return Err(self.refuse(kind, &outcome));
        }
        Ok(outcome.payload)
    }

    fn fire_event(&mut self, event: &Event) -> Result<Outcome, Refusal> {
        let outcome = self.runtime.fire_in(event, self.scope);
        if self.scope.cancel.is_cancelled() {
            return Err(Refusal::without_hooks(event.name.kind(), "cancelled"));
        }
        self.context.extend(outcome.model_texts().map(str::to_owned));
        Ok(outcome)
    }
}

impl LifeHost for RuntimeLife<'_> {
    type Refusal = Refusal;

    /// Every event is recorded.
    fn hears(&self, _kind: EventKind) -> bool {
        true
    }

    fn fire<P: EventPayload>(&mut self, payload: &P) -> Result<Outcome, Refusal> {
        self.fire_event(&Event::from_payload(payload, Arc::clone(&self.origin)))
    }

    fn refuse(&mut self, kind: EventKind, outcome: &Outcome) -> Refusal {
        Refusal::from_outcome(kind, outcome, outcome.denial_text())
    }
}
