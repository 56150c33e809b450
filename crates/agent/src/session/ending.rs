//! The end of a session.

use std::sync::Arc;

use pintle::Event;
use pintle::event::{SessionEnd, SessionError};

use super::{Answer, Fault, Session, Stage};
use crate::edits::Edits;
use crate::turn::Turn;

/// How a session ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ending {
    /// The word of `session.end`.
    reason: &'static str,
    /// What went wrong, when something did: the status and the reason for the stop, as `session.error` has them, and the
    /// message.
    fault: Option<(&'static str, &'static str, String)>,
}

impl Ending {
    pub(super) fn well(reason: &'static str) -> Self {
        Self { reason, fault: None }
    }

    pub(super) fn badly(fault: &Fault) -> Self {
        Self { reason: fault.end_reason(), fault: Some((fault.status(), fault.stop_reason(), fault.message.clone())) }
    }
}

/// Tells the hooks of `session.error` how a session ends badly, just before its `session.end`.
pub(crate) fn ends_badly(turn: &Turn, status: &str, stop_reason: &str, message: &str) {
    let _ = turn.fire_heard(|| SessionError {
        status: status.to_owned(),
        stop_reason: stop_reason.to_owned(),
        message: message.to_owned(),
        host: None,
    });
}

impl Session {
    /// Takes note of what a turn came to.
    pub(super) fn came_to(&mut self, answer: &Result<Answer, Fault>) {
        match answer {
            Ok(answer) => {
                self.ending = Ending::well("done");
                self.stop_reason.clone_from(&answer.stop_reason);
                self.last = Some(answer.text.clone());
            }
            Err(fault) => {
                self.ending = Ending::badly(fault);
                fault.stop_reason().clone_into(&mut self.stop_reason);
            }
        }
    }

    /// Ends the session: what runs beside it ends, the last edits are told, and then `session.error` and `session.end`
    /// are fired, once in its life.
    pub(super) fn conclude(&mut self, ending: Ending) {
        if self.stage != Stage::Started {
            return;
        }
        self.stage = Stage::Ended;
        let shared = &self.agent.shared;
        shared.close();
        let turn = self.turn_at(&self.first, 0);
        Edits::drain_all(&turn);
        if let Some((status, stop_reason, message)) = &ending.fault {
            ends_badly(&turn, status, stop_reason, message);
        }
        let elapsed_us = shared.runtime.clock().monotonic_us().saturating_sub(self.began_us);
        let payload = SessionEnd {
            reason: ending.reason.to_owned(),
            turns: self.turns(),
            duration_ms: elapsed_us / 1_000,
            usage: self.usage(),
            message: ending.fault.map(|(.., message)| message),
            host: None,
        };
        let _ = turn.fire_end(&Event::from_payload(&payload, Arc::clone(&turn.origin)));
    }
}
