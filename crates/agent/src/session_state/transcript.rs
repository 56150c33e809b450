//! The conversation of a turn, which scripts can read while it runs.

use parking_lot::Mutex;

use crate::model::ModelMessage;

/// A copy of the conversation of a turn.
#[derive(Debug, Default)]
pub(crate) struct ConversationTranscript(Mutex<Vec<ModelMessage>>);

impl ConversationTranscript {
    /// Replaces all messages.
    pub(crate) fn replace(&self, messages: &[ModelMessage]) {
        *self.0.lock() = messages.to_vec();
    }

    pub(crate) fn push(&self, message: &ModelMessage) {
        self.0.lock().push(message.clone());
    }

    /// The current messages.
    pub(crate) fn messages(&self) -> Vec<ModelMessage> {
        self.0.lock().clone()
    }
}
