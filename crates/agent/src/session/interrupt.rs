//! Interrupts a turn from outside.

use std::sync::Arc;

use parking_lot::Mutex;
use pintle_host::CancelToken;

/// Stops the running turn, with its model call, hooks, tools and delegated agents. The session can continue with
/// another turn. Clones belong to the same session.
#[derive(Debug, Clone, Default)]
pub struct InterruptHandle(Arc<Mutex<Option<CancelToken>>>);

/// The result of an interrupt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InterruptResult {
    /// No turn was running.
    NoTurn,
    /// The running turn was told to stop.
    Requested,
    /// The running turn had already been told to stop.
    AlreadyRequested,
}

/// A running turn, until dropped.
pub(super) struct TurnGuard(InterruptHandle);

impl InterruptHandle {
    /// Stops the running turn, if there is one.
    #[must_use]
    pub fn interrupt(&self) -> InterruptResult {
        match &*self.0.lock() {
            None => InterruptResult::NoTurn,
            Some(turn) if turn.is_cancelled() => InterruptResult::AlreadyRequested,
            Some(turn) => {
                turn.cancel();
                InterruptResult::Requested
            }
        }
    }

    /// Registers a turn that begins.
    pub(super) fn begin_turn(&self, turn: &CancelToken) -> TurnGuard {
        self.set_turn(Some(turn.clone()));
        TurnGuard(self.clone())
    }

    fn set_turn(&self, turn: Option<CancelToken>) {
        *self.0.lock() = turn;
    }
}

impl Drop for TurnGuard {
    fn drop(&mut self) {
        self.0.set_turn(None);
    }
}
