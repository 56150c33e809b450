//! Reminders: what hooks want the model to be told, for a while.
//!
//! A reminder is kept with its conversation and put at the end of each request that carries it, in one block, so that
//! what stands before it is the same in the next request and a provider finds it in its cache. It is never part of the
//! conversation's messages: what expired is not sent again. `held` is its life, `render` its looks; the places that call
//! in are `TurnContext::take_effects` (a hook asks for one), `session/completion` (a request carries them), `compaction`, and
//! `delegation` (an agent below gets copies).

mod queue;
mod render;

use std::sync::{Mutex, MutexGuard, PoisonError};

use pintle::Reminder;
use pintle::tape::record::host::MessagesReplacedBy;

use crate::model::ModelMessage;
use crate::recording;
use crate::turn_context::TurnContext;

pub(crate) use pintle::tape::record::host::ReminderTransition as Step;

use queue::{QueuedReminder, ReminderQueue, TransitionLog};

/// The reminders of one conversation. Every step of theirs is on the tape.
#[derive(Debug, Default)]
pub(crate) struct ConversationReminders(Mutex<ReminderQueue>);

/// What one request carries.
#[derive(Debug, Default)]
pub(crate) struct SentReminders {
    due: Vec<QueuedReminder>,
    nonce: String,
}

impl ConversationReminders {
    /// An agent begins to work for another one: it gets copies of what is for all.
    pub(crate) fn inherit(&self, turn: &TurnContext, parent: &Self) {
        let passed: Vec<Reminder> = parent.lock_queue().inheritable().cloned().collect();
        let mut held = self.lock_queue();
        record_transitions(turn, passed.into_iter().map(|reminder| held.inherit(reminder, turn.origin.turn)).collect());
    }

    /// Takes one in that a hook asked for.
    pub(crate) fn inject(&self, turn: &TurnContext, reminder: Reminder) {
        let mut held = self.lock_queue();
        record_transitions(turn, held.inject(reminder, turn.origin.turn));
    }

    /// What the next request carries: messages for its end, and what to give back to [`ConversationReminders::mark_sent`].
    pub(crate) fn due_reminders(&self, turn: &TurnContext) -> (Vec<ModelMessage>, SentReminders) {
        let due = self.lock_queue().due_reminders();
        if due.is_empty() {
            return Default::default();
        }
        let nonce = turn.agent.shared.nonce().to_owned();
        (render::render_blocks(&due, &nonce), SentReminders { due, nonce })
    }

    /// The model answered a request of these messages. What hooks had taken out of it was not carried.
    pub(crate) fn mark_sent(&self, turn: &TurnContext, carried: &SentReminders, messages: &[ModelMessage]) {
        if carried.due.is_empty() {
            return;
        }
        let numbers = render::find_carried(&carried.due, &carried.nonce, messages);
        let mut held = self.lock_queue();
        record_transitions(turn, held.mark_sent(&numbers));
    }

    /// Where the life of the conversation stands, for [`ConversationReminders::on_compacted`].
    pub(crate) fn last_number(&self) -> u64 {
        self.lock_queue().last_number()
    }

    /// The conversation was compacted, which began at the mark.
    pub(crate) fn on_compacted(&self, turn: &TurnContext, mark: u64) {
        let mut held = self.lock_queue();
        record_transitions(turn, held.on_compacted(mark));
    }

    /// The conversation was forgotten.
    pub(crate) fn on_cleared(&self, turn: &TurnContext) {
        let mut held = self.lock_queue();
        record_transitions(turn, held.on_cleared());
    }

    /// The conversation goes to another agent.
    pub(crate) fn on_handoff(&self, turn: &TurnContext) {
        let mut held = self.lock_queue();
        record_transitions(turn, held.on_handoff());
    }

    /// Takes over a step that a tape tells of, when a session goes on from one. `turn` is the turn in which it happened.
    pub(crate) fn apply_transition(&self, step: Step, reminder: Reminder, turn: u32) {
        self.lock_queue().apply_transition(step, reminder, turn);
    }

    /// Takes over from a tape that other messages took the place of the conversation's. What became of the reminders
    /// that were kept then stands behind that.
    pub(crate) fn apply_replaced(&self, why: MessagesReplacedBy) {
        match why {
            MessagesReplacedBy::Compact => self.lock_queue().forget_sent(),
            MessagesReplacedBy::Clear => drop(self.lock_queue().on_cleared()),
            MessagesReplacedBy::Resume => {}
        }
    }

    fn lock_queue(&self) -> MutexGuard<'_, ReminderQueue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn record_transitions(turn: &TurnContext, steps: TransitionLog) {
    for (step, reminder) in &steps {
        recording::record_reminder(turn, *step, reminder);
    }
}
