//! The child session of a team member that works on a task.

use std::sync::Arc;

use pintle_host::Event;
use pintle_host::event::{SessionEnd, SessionStart, TokenUsage};

use super::attempts::DelegatedTask;
use crate::conversation::Conversation;
use crate::session_events::fire_session_error;

/// A child session, between its `session.start` and its `session.end`, both fired at the member's own hooks. An agent
/// whose rules do not have it has none: it works in the session of the agent that delegated to it.
pub(super) struct ChildSession {
    began_us: Option<u64>,
}

impl ChildSession {
    /// Begins the session. Context from its hooks is added to the conversation.
    ///
    /// # Errors
    /// When a hook of `session.start` denies.
    pub(super) fn begin(task: &DelegatedTask<'_>, conversation: &mut Conversation) -> Result<Self, String> {
        if !task.child.spec.rules.has_own_sessions {
            return Ok(Self { began_us: None });
        }
        let shared = &task.child.shared;
        let life = Self { began_us: Some(shared.runtime.clock().monotonic_us()) };
        let cwd = shared.workspace.root().display().to_string();
        let turn = task.turn_for_attempt(0);
        let payload = SessionStart { source: String::from("startup"), cwd, host: None };
        let outcome = turn.fire(&Event::from_payload(&payload, Arc::clone(&turn.origin)));
        conversation.notes.extend(turn.state.take_persistent());
        if outcome.is_allowed() {
            return Ok(life);
        }
        let reason = format!("session blocked: {}", outcome.reason_for_model());
        life.end(task, Err(&reason), TokenUsage::default());
        Err(reason)
    }

    /// Ends the session, also when the task was cancelled.
    pub(super) fn end(self, task: &DelegatedTask<'_>, result: Result<(), &String>, usage: TokenUsage) {
        let Some(began_us) = self.began_us else { return };
        let cancelled = task.turn.scope.cancel.is_cancelled();
        let elapsed_us = task.child.shared.runtime.clock().monotonic_us().saturating_sub(began_us);
        let payload = SessionEnd {
            reason: String::from(match result {
                Ok(()) => "done",
                Err(_) if cancelled => "cancelled",
                Err(_) => "error",
            }),
            turns: task.child.turn_number(),
            duration_ms: elapsed_us / 1_000,
            usage,
            message: result.err().cloned(),
            host: None,
        };
        let turn = task.turn_for_attempt(0);
        match result {
            Err(why) if cancelled => fire_session_error(&turn, "cancelled", "cancelled", why),
            Err(why) => fire_session_error(&turn, "failed", "delegation_error", why),
            Ok(()) => {}
        }
        let _ = turn.fire_end(&Event::from_payload(&payload, Arc::clone(&turn.origin)));
    }
}
