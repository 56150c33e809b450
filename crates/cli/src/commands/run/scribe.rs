//! The conversation, on the tape.

use std::sync::Arc;

use pintle::Origin;
use pintle::tape::Tape;
use pintle_agent::{Happening, Observer};
use serde_json::json;

/// Notes on the tape what was said, and passes on everything to the next observer.
///
/// Tool calls need no notes: their events hold all of them.
#[derive(Debug)]
pub(super) struct Scribe {
    pub(super) tape: Arc<Tape>,
    pub(super) next: Arc<dyn Observer>,
}

impl Observer for Scribe {
    fn happened(&self, origin: &Origin, what: &Happening<'_>) {
        self.next.happened(origin, what);
        let (agent, turn) = (&origin.agent, origin.turn);
        let message = |role: &str, text: &str| json!({"role": role, "text": text, "agent": agent, "turn": turn});
        match what {
            Happening::TurnStarted { message: text } => self.tape.note("message", message("user", text)),
            Happening::ModelAnswered { text, .. } if !text.is_empty() => {
                self.tape.note("message", message("assistant", text));
            }
            Happening::TurnEnded { usage, .. } => {
                self.tape.note("turn", json!({"agent": agent, "turn": turn, "ended": "done", "usage": usage}));
            }
            Happening::TurnFailed { message } => {
                self.tape.note("turn", json!({"agent": agent, "turn": turn, "ended": message}));
            }
            _ => {}
        }
    }
}
