//! The conversation of a turn, for scripts to read while it runs.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::model::Message;

/// A copy of the conversation that a turn works on.
#[derive(Debug, Default)]
pub(crate) struct Transcript(Mutex<Vec<Message>>);

impl Transcript {
    /// Shows another conversation from here on.
    pub(crate) fn replace(&self, messages: &[Message]) {
        *self.all() = messages.to_vec();
    }

    /// Adds a message.
    pub(crate) fn push(&self, message: &Message) {
        self.all().push(message.clone());
    }

    /// The messages as they stand.
    pub(crate) fn messages(&self) -> Vec<Message> {
        self.all().clone()
    }

    fn all(&self) -> MutexGuard<'_, Vec<Message>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
