//! Reminders: texts of hooks that the model sees for a while.
//!
//! A reminder is kept with its conversation and added at the end of each request that carries it, in one block, so that
//! everything before it is the same in the next request and the provider finds it in its cache. It is never part of the
//! conversation's messages, so an expired reminder is not sent again. `queue` decides which reminders are sent,
//! `render` formats them. The callers are `TurnContext::take_effects` (a hook injects one), `session/completion` (a
//! request carries them), `compaction`, and `delegation` (a child agent gets copies).

mod queue;
mod render;

use std::sync::{Mutex, MutexGuard, PoisonError};

use pintle::Reminder;
use pintle::tape::record::host::MessagesReplacedBy;

use crate::model::ModelMessage;
use crate::recording;
use crate::turn_context::TurnContext;

pub(crate) use pintle::tape::record::host::ReminderTransition;

use queue::{QueuedReminder, ReminderQueue, TransitionLog};

/// The reminders of one conversation. Every change is recorded.
#[derive(Debug, Default)]
pub(crate) struct ConversationReminders(Mutex<ReminderQueue>);

/// The reminders that one request carries.
#[derive(Debug, Default)]
pub(crate) struct SentReminders {
    due: Vec<QueuedReminder>,
    nonce: String,
}

impl ConversationReminders {
    /// Copies the parent's inheritable reminders to a child agent.
    pub(crate) fn inherit(&self, turn: &TurnContext, parent: &Self) {
        let passed: Vec<Reminder> = parent.lock_queue().inheritable().cloned().collect();
        let mut held = self.lock_queue();
        record_transitions(turn, passed.into_iter().map(|reminder| held.inherit(reminder, turn.origin.turn)).collect());
    }

    /// Adds a reminder that a hook injects.
    pub(crate) fn inject(&self, turn: &TurnContext, reminder: Reminder) {
        let mut held = self.lock_queue();
        record_transitions(turn, held.inject(reminder, turn.origin.turn));
    }

    /// The reminders of the next request: messages to append, and a value for [`ConversationReminders::mark_sent`].
    pub(crate) fn due_reminders(&self, turn: &TurnContext) -> (Vec<ModelMessage>, SentReminders) {
        let due = self.lock_queue().due_reminders();
        if due.is_empty() {
            return Default::default();
        }
        let nonce = turn.agent.shared.nonce().to_owned();
        (render::render_blocks(&due, &nonce), SentReminders { due, nonce })
    }

    /// Updates the reminders after the model answered a request with these messages. Blocks that hooks removed were not
    /// sent.
    pub(crate) fn mark_sent(&self, turn: &TurnContext, carried: &SentReminders, messages: &[ModelMessage]) {
        if carried.due.is_empty() {
            return;
        }
        let numbers = render::find_carried(&carried.due, &carried.nonce, messages);
        let mut held = self.lock_queue();
        record_transitions(turn, held.mark_sent(&numbers));
    }

    /// The number of the newest reminder, for [`ConversationReminders::on_compacted`].
    pub(crate) fn last_number(&self) -> u64 {
        self.lock_queue().last_number()
    }

    /// Updates the reminders after a compaction that began at the mark.
    pub(crate) fn on_compacted(&self, turn: &TurnContext, mark: u64) {
        let mut held = self.lock_queue();
        record_transitions(turn, held.on_compacted(mark));
    }

    /// Updates the reminders after the conversation was cleared.
    pub(crate) fn on_cleared(&self, turn: &TurnContext) {
        let mut held = self.lock_queue();
        record_transitions(turn, held.on_cleared());
    }

    /// Updates the reminders when the conversation goes to another agent.
    pub(crate) fn on_handoff(&self, turn: &TurnContext) {
        let mut held = self.lock_queue();
        record_transitions(turn, held.on_handoff());
    }

    /// Restores one change from the tape of a resumed session. `turn` is the turn in which it happened.
    pub(crate) fn apply_transition(&self, step: ReminderTransition, reminder: Reminder, turn: u32) {
        self.lock_queue().apply_transition(step, reminder, turn);
    }

    /// Restores from the tape that other messages replaced the conversation's. Later records say what happened to the
    /// reminders that were kept then.
    pub(crate) fn apply_replaced(&self, reason: MessagesReplacedBy) {
        match reason {
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
