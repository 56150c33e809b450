//! What one turn of one agent happens in.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pintle::event::{ContextScope, EventPayload, Usage};
use pintle::{
    Cancel, Effect, Event, EventName, LogBook, Origin, Outcome, Question, Resolution, Resolver, Scope, Scratch,
};
use serde_json::Value;

use crate::agent::Agent;
use crate::host::AgentHost;
use crate::observe::Happening;

/// One turn of one agent: who, where in the session, and what its hooks see.
#[derive(Debug, Clone)]
pub(crate) struct Turn {
    pub(crate) agent: Arc<Agent>,
    pub(crate) origin: Arc<Origin>,
    pub(crate) scope: Scope,
    pub(crate) state: Arc<TurnState>,
}

/// What changes in the course of a turn.
#[derive(Debug, Default)]
pub(crate) struct TurnState {
    /// What hooks told the model in this turn.
    notes: Mutex<Notes>,
    /// What the model said when it called `done`.
    done: Mutex<Option<String>>,
    /// The tokens of other agents that were called in this turn and that nobody has counted yet.
    spent: Mutex<Usage>,
    /// The agent that the model handed the conversation to, when it did and nobody took it up yet.
    handoff: Mutex<Option<String>>,
    /// Why a hook ends the run, when one does.
    stop: Mutex<Option<String>>,
    /// The delegation this turn works on; empty for the agent the person talks to.
    pub(crate) delegation: Option<String>,
    /// What hooks redirected to other agents, from the first agent down to this one.
    pub(crate) redirects: Vec<Value>,
}

/// Texts of hooks for the model, by how long they stay.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Notes {
    /// For the rest of the session.
    pub(crate) persistent: Vec<String>,
    /// For as long as the model answers what the person said last.
    pub(crate) prompt: Vec<String>,
    /// For the rest of the turn.
    pub(crate) turn: Vec<String>,
    /// For the next model call.
    pub(crate) call: Vec<String>,
}

impl TurnState {
    pub(crate) fn new(delegation: Option<String>, redirects: Vec<Value>) -> Self {
        Self { delegation, redirects, ..Self::default() }
    }

    pub(crate) fn set_done(&self, summary: &str) {
        *self.done.lock().unwrap_or_else(PoisonError::into_inner) = Some(summary.to_owned());
    }

    /// What the model said when it called `done`, once.
    pub(crate) fn take_done(&self) -> Option<String> {
        self.done.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Hands the conversation to another agent once the calls of the model's message have been made.
    ///
    /// # Errors
    /// When another call of the same message did that already.
    pub(crate) fn request_handoff(&self, agent: &str) -> Result<(), String> {
        let mut handoff = self.handoff.lock().unwrap_or_else(PoisonError::into_inner);
        match &*handoff {
            Some(other) => Err(format!("the conversation goes to `{other}` already; hand it to one agent only")),
            None => {
                *handoff = Some(agent.to_owned());
                Ok(())
            }
        }
    }

    /// The agent that the conversation goes to, once.
    pub(crate) fn take_handoff(&self) -> Option<String> {
        self.handoff.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Ends the run after the calls that are under way. The first word counts.
    pub(crate) fn request_stop(&self, why: String) {
        self.stop.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
    }

    /// Whether a hook ends the run.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Why a hook ends the run, once.
    pub(crate) fn take_stop(&self) -> Option<String> {
        self.stop.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Forgets what hooks told the model about the person's last message: there is a newer one.
    pub(crate) fn forget_prompt(&self) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).prompt.clear();
    }

    /// Adds the tokens of another agent.
    pub(crate) fn spend(&self, usage: Usage) {
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        *spent = spent.plus(usage);
    }

    /// The tokens of other agents since this was last asked.
    pub(crate) fn take_spent(&self) -> Usage {
        std::mem::take(&mut *self.spent.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The notes as they stand; those for one call are taken out.
    pub(crate) fn notes_for_call(&self) -> Notes {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        let now = notes.clone();
        notes.call.clear();
        now
    }

    /// Takes out the notes that stay for the session.
    pub(crate) fn take_persistent(&self) -> Vec<String> {
        std::mem::take(&mut self.notes.lock().unwrap_or_else(PoisonError::into_inner).persistent)
    }
}

impl Turn {
    /// A turn of an agent, with log lines of its own. Raising `cancel` ends it and everything it started.
    pub(crate) fn new(
        agent: &Arc<Agent>,
        number: u32,
        scratch: Arc<Scratch>,
        cancel: Cancel,
        state: TurnState,
    ) -> Self {
        let shared = &agent.shared;
        let origin = Arc::new(Origin {
            session: shared.session.clone(),
            turn: number,
            agent: agent.spec.name.clone(),
            depth: agent.depth,
            run: state.delegation.clone().unwrap_or_default(),
            cwd: shared.workspace.root().display().to_string(),
        });
        let state = Arc::new(state);
        let host = AgentHost::new(Arc::clone(agent), Arc::clone(&origin), Arc::clone(&state));
        let scope = Scope {
            overlay: Arc::clone(&agent.overlay),
            host: Some(Arc::new(host)),
            resolver: None,
            cancel,
            logs: Arc::new(LogBook::default()),
            scratch,
            depth: 0,
        };
        Self { agent: Arc::clone(agent), origin, scope, state }
    }

    /// The same turn with another agent at work: it takes over the conversation and what hooks said in it.
    pub(crate) fn under(&self, agent: &Arc<Agent>) -> Self {
        let origin = Arc::new(Origin { agent: agent.spec.name.clone(), ..Origin::clone(&self.origin) });
        let host = AgentHost::new(Arc::clone(agent), Arc::clone(&origin), Arc::clone(&self.state));
        let scope = Scope { overlay: Arc::clone(&agent.overlay), host: Some(Arc::new(host)), ..self.scope.clone() };
        Self { agent: Arc::clone(agent), origin, scope, state: Arc::clone(&self.state) }
    }

    /// The same turn with a flag of its own that stops a part of its work.
    pub(crate) fn part(&self) -> Self {
        let mut part = self.clone();
        part.scope.cancel = self.scope.cancel.part();
        part
    }

    /// Who answers for the person.
    pub(crate) fn resolver(&self) -> &dyn Resolver {
        self.scope.resolver.as_deref().unwrap_or_else(|| &**self.agent.shared.runtime.resolver())
    }

    /// Whether the agent is one of a team.
    pub(crate) fn is_member(&self) -> bool {
        self.agent.spec.member.is_some()
    }

    /// Whether an event is fired that only teams need: for their members always, for others where a hook listens.
    pub(crate) fn tells_of<P: EventPayload>(&self) -> bool {
        self.is_member() || self.agent.shared.runtime.listens(&EventName::of(P::row()), &self.scope)
    }

    /// Fires an event and takes over what its hooks have for the model and the person.
    pub(crate) fn fire(&self, event: &Event) -> Outcome {
        let outcome = self.agent.shared.runtime.fire_in(event, &self.scope);
        self.take_effects(&event.name, &outcome);
        outcome
    }

    /// Fires an event that only teams need, see [`Turn::tells_of`].
    pub(crate) fn fire_of<P: EventPayload>(&self, payload: impl FnOnce() -> P) -> Option<Outcome> {
        self.tells_of::<P>().then(|| self.fire(&Event::of(&payload(), Arc::clone(&self.origin))))
    }

    /// The same for the end of something, see [`Turn::fire_end`].
    pub(crate) fn fire_end_of<P: EventPayload>(&self, payload: impl FnOnce() -> P) -> Option<Outcome> {
        self.tells_of::<P>().then(|| self.fire_end(&Event::of(&payload(), Arc::clone(&self.origin))))
    }

    /// Fires an event whose asks come back as [`pintle::Decision::Ask`]: the loop itself asks the person, once.
    pub(crate) fn fire_deferring(&self, event: &Event) -> Outcome {
        let scope = Scope { resolver: Some(Arc::new(Deferring)), ..self.scope.clone() };
        let outcome = self.agent.shared.runtime.fire_in(event, &scope);
        self.take_effects(&event.name, &outcome);
        outcome
    }

    /// The same for the end of something that has begun: its hooks are asked even when the turn was cancelled, so that
    /// an audit sees the end of everything it saw begin.
    pub(crate) fn fire_end(&self, event: &Event) -> Outcome {
        let scope = Scope { cancel: Cancel::default(), ..self.scope.clone() };
        let outcome = self.agent.shared.runtime.fire_in(event, &scope);
        self.take_effects(&event.name, &outcome);
        outcome
    }

    pub(crate) fn tell(&self, what: Happening<'_>) {
        self.agent.shared.observer.happened(&self.origin, &what);
    }

    /// Effects count whatever the decision was: a hook that denies may still have something to say.
    fn take_effects(&self, event: &EventName, outcome: &Outcome) {
        for (_, effect) in &outcome.effects {
            match effect {
                // That is for the summary and not for the conversation.
                Effect::Context(_) if event.as_str() == "compact.pre" => {}
                Effect::Context(text) if is_prompt(event) => self.notes().prompt.push(text.clone()),
                Effect::Context(text) => self.note(event.row().context, text),
                Effect::Reminder(text) => self.note(ContextScope::Call, text),
                Effect::Notice(text) => self.tell(Happening::Notice { message: text }),
                // A summary is for compaction, log lines went through the seam, and redirects are for those who asked.
                _ => {}
            }
        }
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.state.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, scope: ContextScope, text: &str) {
        let mut notes = self.notes();
        match scope {
            ContextScope::None => {}
            ContextScope::Persistent => notes.persistent.push(text.to_owned()),
            ContextScope::Turn => notes.turn.push(text.to_owned()),
            ContextScope::Call => notes.call.push(text.to_owned()),
        }
    }
}

/// Whether an event is about what the person said: what its hooks tell the model holds until the person says more.
fn is_prompt(event: &EventName) -> bool {
    matches!(event.as_str(), "prompt.submit" | "prompt.steer" | "prompt.followup")
}

/// Leaves asks to the loop.
#[derive(Debug)]
struct Deferring;

impl Resolver for Deferring {
    fn resolve(&self, _question: &Question<'_>) -> Resolution {
        Resolution::Deferred
    }
}

/// What the hooks that deny said, for a person: their own words, or that they said nothing (docker-agent behaviour,
/// section 6.7).
pub(crate) fn words(outcome: &Outcome) -> String {
    let said: Vec<&str> =
        outcome.reasons.iter().map(|reason| reason.text.trim()).filter(|text| !text.is_empty()).collect();
    if said.is_empty() { String::from("Agent terminated by a hook.") } else { said.join("\n") }
}

/// The redirect a hook asked for (`delegate(request)`), if any did.
pub(crate) fn redirect(outcome: &Outcome) -> Option<&Value> {
    outcome.effects.iter().find_map(|(_, effect)| match effect {
        Effect::Delegate(request) => Some(request),
        _ => None,
    })
}
