//! Stopping one turn from outside.

use std::sync::{Arc, Mutex, PoisonError};

use pintle::CancelToken;

/// Stops the turn at work, with its model call, hooks, tools and delegated agents. The session can go on with the next
/// one. Clones stop the same session's turns.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<Mutex<Option<CancelToken>>>);

/// What an interruption met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interrupted {
    /// No turn was at work.
    Nothing,
    /// A turn was at work and is told to stop.
    Turn,
    /// The turn at work had been told before and has not stopped yet.
    Again,
}

/// A turn at work, until dropped.
pub(super) struct Working(Interrupt);

impl Interrupt {
    /// Stops the turn at work, if there is one.
    #[must_use]
    pub fn raise(&self) -> Interrupted {
        match &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            None => Interrupted::Nothing,
            Some(turn) if turn.is_cancelled() => Interrupted::Again,
            Some(turn) => {
                turn.cancel();
                Interrupted::Turn
            }
        }
    }

    /// Takes note of a turn that begins.
    pub(super) fn begin(&self, turn: &CancelToken) -> Working {
        self.set(Some(turn.clone()));
        Working(self.clone())
    }

    fn set(&self, turn: Option<CancelToken>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = turn;
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        self.0.set(None);
    }
}
