//! The conversation of a turn, for scripts to read while it runs.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::model::ModelMessage;

/// A copy of the conversation that a turn works on.
#[derive(Debug, Default)]
pub(crate) struct ConversationTranscript(Mutex<Vec<ModelMessage>>);

impl ConversationTranscript {
    /// Shows another conversation from here on.
    pub(crate) fn replace(&self, messages: &[ModelMessage]) {
        *self.lock_messages() = messages.to_vec();
    }

    /// Adds a message.
    pub(crate) fn push(&self, message: &ModelMessage) {
        self.lock_messages().push(message.clone());
    }

    /// The messages as they stand.
    pub(crate) fn messages(&self) -> Vec<ModelMessage> {
        self.lock_messages().clone()
    }

    fn lock_messages(&self) -> MutexGuard<'_, Vec<ModelMessage>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
