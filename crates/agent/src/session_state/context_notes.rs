//! Context from hooks for the model.

use pintle_host::EventKind;
use pintle_host::event::ContextScope;

/// Context from hooks for the model, by how long it is kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ContextNotes {
    /// For the rest of the session.
    pub(crate) persistent: Vec<String>,
    /// Until the next message of the user.
    pub(crate) prompt: Vec<String>,
    /// For the rest of the turn.
    pub(crate) turn: Vec<String>,
    /// For the next model call.
    pub(crate) call: Vec<String>,
}

impl ContextNotes {
    /// Adds the context that a hook of an event returned.
    pub(crate) fn add(&mut self, event: EventKind, text: &str) {
        let scope = match event {
            // This is for the summary, not for the conversation.
            EventKind::CompactPre => return,
            _ if is_prompt(event) => return self.prompt.push(text.to_owned()),
            _ => event.def().context,
        };
        match scope {
            ContextScope::None => {}
            ContextScope::Persistent => self.persistent.push(text.to_owned()),
            ContextScope::Turn => self.turn.push(text.to_owned()),
            ContextScope::Call => self.call.push(text.to_owned()),
        }
    }
}

/// Whether an event is about the user's message, so that context from its hooks is kept until the next message.
pub(crate) fn is_prompt(event: EventKind) -> bool {
    matches!(event, EventKind::PromptSubmit | EventKind::PromptSteer | EventKind::PromptFollowup)
}
