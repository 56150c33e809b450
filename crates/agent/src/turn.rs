//! What one turn of one agent happens in.

use std::sync::{Arc, Mutex, PoisonError};

use pintle::event::{ContextScope, Usage};
use pintle::{Cancel, Effect, Event, EventName, LogBook, Origin, Outcome, Scope, Scratch};
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

    /// Fires an event and takes over what its hooks have for the model and the person.
    pub(crate) fn fire(&self, event: &Event) -> Outcome {
        let outcome = self.agent.shared.runtime.fire_in(event, &self.scope);
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
                Effect::Context(text) => self.note(event.row().context, text),
                Effect::Reminder(text) => self.note(ContextScope::Call, text),
                Effect::Notice(text) => self.tell(Happening::Notice { message: text }),
                // A summary is for compaction, log lines went through the seam, and redirects are for those who asked.
                _ => {}
            }
        }
    }

    fn note(&self, scope: ContextScope, text: &str) {
        let mut notes = self.state.notes.lock().unwrap_or_else(PoisonError::into_inner);
        match scope {
            ContextScope::None => {}
            ContextScope::Persistent => notes.persistent.push(text.to_owned()),
            ContextScope::Turn => notes.turn.push(text.to_owned()),
            ContextScope::Call => notes.call.push(text.to_owned()),
        }
    }
}

/// The redirect a hook asked for (`delegate(request)`), if any did.
pub(crate) fn redirect(outcome: &Outcome) -> Option<&Value> {
    outcome.effects.iter().find_map(|(_, effect)| match effect {
        Effect::Delegate(request) => Some(request),
        _ => None,
    })
}
