//! Ends a session.

use std::sync::Arc;

use pintle_host::Event;
use pintle_host::event::SessionEnd;

use super::{Session, SessionPhase};
use crate::session_events::fire_session_error;
use crate::session_state::TurnOutput;
use crate::turn_error::TurnError;

/// How a session ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SessionEnding {
    /// The value of `reason` in `session.end`.
    reason: &'static str,
    /// The error, if any: the status and stop reason as `session.error` has them, and the message.
    error: Option<(&'static str, &'static str, String)>,
}

impl SessionEnding {
    pub(super) fn from_reason(reason: &'static str) -> Self {
        Self { reason, error: None }
    }

    pub(super) fn from_error(error: &TurnError) -> Self {
        Self { reason: error.end_reason(), error: Some((error.status(), error.stop_reason(), error.message.clone())) }
    }
}

impl Session {
    /// Updates the ending with the result of a turn.
    pub(super) fn record_turn(&mut self, answer: &Result<TurnOutput, TurnError>) {
        match answer {
            Ok(answer) => {
                self.ending = SessionEnding::from_reason("done");
                self.stop_reason.clone_from(&answer.stop_reason);
                self.last_answer = Some(answer.text.clone());
            }
            Err(error) => {
                self.ending = SessionEnding::from_error(error);
                error.stop_reason().clone_into(&mut self.stop_reason);
            }
        }
    }

    /// Ends the session once: stops background work, reports the last edits, and fires `session.error` and
    /// `session.end`.
    pub(super) fn conclude(&mut self, ending: SessionEnding) {
        if self.phase != SessionPhase::Started {
            return;
        }
        self.phase = SessionPhase::Ended;
        let shared = &self.agent.shared;
        shared.close();
        let turn = self.turn_for_agent(&self.first_agent, 0);
        turn.report_all_edits();
        if let Some((status, stop_reason, message)) = &ending.error {
            fire_session_error(&turn, status, stop_reason, message);
        }
        let elapsed_us = shared.runtime.clock().monotonic_us().saturating_sub(self.began_us);
        let payload = SessionEnd {
            reason: ending.reason.to_owned(),
            turns: self.turns(),
            duration_ms: elapsed_us / 1_000,
            usage: self.usage(),
            message: ending.error.map(|(.., message)| message),
            host: None,
        };
        let _ = turn.fire_end(&Event::from_payload(&payload, Arc::clone(&turn.origin)));
    }
}
