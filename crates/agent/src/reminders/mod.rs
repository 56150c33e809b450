//! Reminders: texts of hooks that the model sees for a while.
//!
//! A reminder is kept with its conversation and added at the end of each request that carries it, in one block, so that
//! everything before it is the same in the next request and the provider finds it in its cache. It is never part of the
//! conversation's messages, so an expired reminder is not sent again. `queue` decides which reminders are sent,
//! `render` formats them. The callers are `TurnContext::take_effects` (a hook injects one), `session/completion` (a
//! request carries them), `compaction`, and `delegation` (a child agent gets copies).

mod queue;
mod render;

use parking_lot::Mutex;
use pintle_host::Reminder;
use pintle_host::tape::record::host::MessagesReplacedBy;

use crate::model::ModelMessage;

pub(crate) use pintle_host::tape::record::host::ReminderTransition;

use queue::QueuedReminder;

pub(crate) use queue::{ReminderQueue, TransitionLog};

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
    /// Changes the reminders, and records what happened to them before anyone else can change them.
    pub(crate) fn change(
        &self,
        act: impl FnOnce(&mut ReminderQueue) -> TransitionLog,
        record: impl FnOnce(&TransitionLog),
    ) {
        let mut held = self.0.lock();
        record(&act(&mut held));
    }

    /// The reminders that a child agent gets copies of.
    pub(crate) fn inheritable(&self) -> Vec<Reminder> {
        self.0.lock().inheritable().cloned().collect()
    }

    /// The reminders of the next request: messages to append, and a value for [`SentReminders::numbers`].
    /// `nonce` marks them as the host's.
    pub(crate) fn due_reminders(&self, nonce: &str) -> (Vec<ModelMessage>, SentReminders) {
        let due = self.0.lock().due_reminders();
        if due.is_empty() {
            return Default::default();
        }
        (render::render_blocks(&due, nonce), SentReminders { due, nonce: nonce.to_owned() })
    }

    /// The number of the newest reminder, for [`ReminderQueue::on_compacted`].
    pub(crate) fn last_number(&self) -> u64 {
        self.0.lock().last_number()
    }

    /// Restores one change from the tape of a resumed session. `turn` is the turn in which it happened.
    pub(crate) fn apply_transition(&self, transition: ReminderTransition, reminder: Reminder, turn: u32) {
        self.0.lock().apply_transition(transition, reminder, turn);
    }

    /// Restores from the tape that other messages replaced the conversation's. Later records say what happened to the
    /// reminders that were kept then.
    pub(crate) fn apply_replaced(&self, reason: MessagesReplacedBy) {
        match reason {
            MessagesReplacedBy::Compact => self.0.lock().forget_sent(),
            MessagesReplacedBy::Clear => drop(self.0.lock().on_cleared()),
            MessagesReplacedBy::Resume => {}
        }
    }
}

impl SentReminders {
    /// The numbers of the reminders that these messages carried: hooks may have removed blocks.
    pub(crate) fn numbers(&self, messages: &[ModelMessage]) -> Vec<u64> {
        if self.due.is_empty() { Vec::new() } else { render::find_carried(&self.due, &self.nonce, messages) }
    }
}
