//! One model call and what it led to, between `iteration.start` and `iteration.end`.

use pintle::event::{IterationEnd, IterationStart};

use crate::turn::Turn;

/// An iteration under way. Dropping it fires `iteration.end`, so that the event follows every `iteration.start` once,
/// also when the turn fails, is cancelled or panics.
pub(super) struct Iteration {
    turn: Turn,
    number: u32,
    reason: Option<&'static str>,
}

impl Iteration {
    /// Fires `iteration.start`.
    pub(super) fn begin(turn: &Turn, number: u32) -> Self {
        let _ = turn.fire_of(|| IterationStart { iteration: number });
        Self { turn: turn.clone(), number, reason: None }
    }

    /// Ends it, in the words of docker-agent (behaviour, section 6.4).
    pub(super) fn end(mut self, reason: &'static str) {
        self.reason = Some(reason);
    }
}

impl Drop for Iteration {
    fn drop(&mut self) {
        let is_cancelled = self.turn.scope.cancel.is_cancelled();
        let reason = match self.reason {
            // A cancelled turn has no other end than that.
            None | Some("normal" | "continue" | "error") if is_cancelled => "canceled",
            None => "error",
            Some(reason) => reason,
        };
        let _ = self.turn.fire_end_of(|| IterationEnd { iteration: self.number, reason: reason.to_owned() });
    }
}
