//! Reminders: what hooks want the model to be told, for a while.
//!
//! A reminder is kept with its conversation and put at the end of each request that carries it, in one block, so that
//! what stands before it is the same in the next request and a provider finds it in its cache. It is never part of the
//! conversation's messages: what expired is not sent again. `held` is its life, `render` its looks; the places that call
//! in are `Turn::take_effects` (a hook asks for one), `session/completion` (a request carries them), `compaction`, and
//! `delegation` (an agent below gets copies).

mod held;
mod render;

use std::sync::{Mutex, MutexGuard, PoisonError};

use pintle::Reminder;
use pintle::tape::record::host::MessagesReplacedBy;

use crate::model::Message;
use crate::taping;
use crate::turn::Turn;

pub(crate) use pintle::tape::record::host::ReminderTransition as Step;

use held::{Entry, Held, Steps};

/// The reminders of one conversation. Every step of theirs is on the tape.
#[derive(Debug, Default)]
pub(crate) struct Reminders(Mutex<Held>);

/// What one request carries.
#[derive(Debug, Default)]
pub(crate) struct Carried {
    due: Vec<Entry>,
    nonce: String,
}

impl Reminders {
    /// An agent begins to work for another one: it gets copies of what is for all.
    pub(crate) fn inherit(&self, turn: &Turn, parent: &Self) {
        let passed: Vec<Reminder> = parent.held().passed_down().cloned().collect();
        let mut held = self.held();
        told(turn, passed.into_iter().map(|reminder| held.inherit(reminder, turn.origin.turn)).collect());
    }

    /// Takes one in that a hook asked for.
    pub(crate) fn inject(&self, turn: &Turn, reminder: Reminder) {
        let mut held = self.held();
        told(turn, held.inject(reminder, turn.origin.turn));
    }

    /// What the next request carries: messages for its end, and what to give back to [`Reminders::carried`].
    pub(crate) fn due(&self, turn: &Turn) -> (Vec<Message>, Carried) {
        let due = self.held().due();
        if due.is_empty() {
            return Default::default();
        }
        let nonce = turn.agent.shared.nonce().to_owned();
        (render::blocks(&due, &nonce), Carried { due, nonce })
    }

    /// The model answered a request of these messages. What hooks had taken out of it was not carried.
    pub(crate) fn carried(&self, turn: &Turn, carried: &Carried, messages: &[Message]) {
        if carried.due.is_empty() {
            return;
        }
        let numbers = render::carried(&carried.due, &carried.nonce, messages);
        let mut held = self.held();
        told(turn, held.carried(&numbers));
    }

    /// Where the life of the conversation stands, for [`Reminders::compacted`].
    pub(crate) fn mark(&self) -> u64 {
        self.held().mark()
    }

    /// The conversation was compacted, which began at the mark.
    pub(crate) fn compacted(&self, turn: &Turn, mark: u64) {
        let mut held = self.held();
        told(turn, held.compacted(mark));
    }

    /// The conversation was forgotten.
    pub(crate) fn cleared(&self, turn: &Turn) {
        let mut held = self.held();
        told(turn, held.cleared());
    }

    /// The conversation goes to another agent.
    pub(crate) fn handed_over(&self, turn: &Turn) {
        let mut held = self.held();
        told(turn, held.handed_over());
    }

    /// Takes over a step that a tape tells of, when a session goes on from one. `turn` is the turn in which it happened.
    pub(crate) fn fold(&self, step: Step, reminder: Reminder, turn: u32) {
        self.held().fold(step, reminder, turn);
    }

    /// Takes over from a tape that other messages took the place of the conversation's. What became of the reminders
    /// that were kept then stands behind that.
    pub(crate) fn fold_replaced(&self, why: MessagesReplacedBy) {
        match why {
            MessagesReplacedBy::Compact => self.held().forget_sent(),
            MessagesReplacedBy::Clear => drop(self.held().cleared()),
            MessagesReplacedBy::Resume => {}
        }
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn told(turn: &Turn, steps: Steps) {
    for (step, reminder) in &steps {
        taping::reminder(turn, *step, reminder);
    }
}
