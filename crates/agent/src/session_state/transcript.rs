//! The conversation of a turn, which scripts can read while it runs.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::model::ModelMessage;

/// A copy of the conversation of a turn.
#[derive(Debug, Default)]
pub(crate) struct ConversationTranscript(Mutex<Vec<ModelMessage>>);

impl ConversationTranscript {
    /// Replaces all messages.
    pub(crate) fn replace(&self, messages: &[ModelMessage]) {
        *self.lock_messages() = messages.to_vec();
    }

    pub(crate) fn push(&self, message: &ModelMessage) {
        self.lock_messages().push(message.clone());
    }

    /// The current messages.
    pub(crate) fn messages(&self) -> Vec<ModelMessage> {
        self.lock_messages().clone()
    }

    fn lock_messages(&self) -> MutexGuard<'_, Vec<ModelMessage>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
