//! Stopping one turn from outside.

use std::sync::{Arc, Mutex, PoisonError};

use pintle::CancelToken;

/// Stops the turn at work, with its model call, hooks, tools and delegated agents. The session can go on with the next
/// one. Clones stop the same session's turns.
#[derive(Debug, Clone, Default)]
pub struct InterruptHandle(Arc<Mutex<Option<CancelToken>>>);

/// What an interruption met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InterruptResult {
    /// No turn was at work.
    NoTurn,
    /// A turn was at work and is told to stop.
    Requested,
    /// The turn at work had been told before and has not stopped yet.
    AlreadyRequested,
}

/// A turn at work, until dropped.
pub(super) struct TurnGuard(InterruptHandle);

impl InterruptHandle {
    /// Stops the turn at work, if there is one.
    #[must_use]
    pub fn interrupt(&self) -> InterruptResult {
        match &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            None => InterruptResult::NoTurn,
            Some(turn) if turn.is_cancelled() => InterruptResult::AlreadyRequested,
            Some(turn) => {
                turn.cancel();
                InterruptResult::Requested
            }
        }
    }

    /// Takes note of a turn that begins.
    pub(super) fn begin_turn(&self, turn: &CancelToken) -> TurnGuard {
        self.set_turn(Some(turn.clone()));
        TurnGuard(self.clone())
    }

    fn set_turn(&self, turn: Option<CancelToken>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = turn;
    }
}

impl Drop for TurnGuard {
    fn drop(&mut self) {
        self.0.set_turn(None);
    }
}
