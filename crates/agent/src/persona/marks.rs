//! Telling of the marks of budgets in the order in which they were reached, though model calls are made at once.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::meter::ThresholdReached;
use crate::turn_context::TurnContext;

/// A mark that was reached and that hooks were not told of yet.
#[derive(Debug)]
pub(super) struct PendingThreshold {
    /// What the model call was made in.
    pub(super) turn: TurnContext,
    /// The scope of the budget.
    pub(super) scope: &'static str,
    pub(super) reached: ThresholdReached,
}

/// Marks that were reached, told of by one thread at a time, oldest first. No lock is held while hooks run: a hook that
/// causes a model call itself leaves the marks of that call to whoever is telling.
#[derive(Debug, Default)]
pub(crate) struct ThresholdQueue(Mutex<QueueState>);

#[derive(Debug, Default)]
struct QueueState {
    waiting: VecDeque<PendingThreshold>,
    is_notifying: bool,
}

impl ThresholdQueue {
    /// Counts, adds the marks that this reached, and tells of all that wait unless another thread is doing so. What is
    /// counted first is told first.
    pub(super) fn count_and_notify(
        &self,
        count: impl FnOnce() -> Vec<PendingThreshold>,
        tell: impl Fn(&PendingThreshold),
    ) {
        let mut state = self.lock_state();
        state.waiting.extend(count());
        if state.is_notifying || state.waiting.is_empty() {
            return;
        }
        state.is_notifying = true;
        drop(state);
        let telling = ThresholdNotifier(self);
        while let Some(mark) = telling.next() {
            tell(&mark);
        }
    }

    fn lock_state(&self) -> MutexGuard<'_, QueueState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The thread that tells; somebody else may when it is dropped.
struct ThresholdNotifier<'q>(&'q ThresholdQueue);

impl ThresholdNotifier<'_> {
    /// The next mark. When there is none the telling is over in the same moment, so that no mark is left behind.
    fn next(&self) -> Option<PendingThreshold> {
        let mut state = self.0.lock_state();
        let next = state.waiting.pop_front();
        state.is_notifying = next.is_some();
        next
    }
}

impl Drop for ThresholdNotifier<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock_state().is_notifying = false;
        }
    }
}
