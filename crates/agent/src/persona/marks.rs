//! Fires budget thresholds in the order in which concurrent model calls reach them.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::meter::ThresholdReached;
use crate::turn_context::TurnContext;

/// A threshold that was reached and that hooks have not been notified of yet.
#[derive(Debug)]
pub(super) struct PendingThreshold {
    /// The context of the model call.
    pub(super) turn: TurnContext,
    /// The scope of the budget.
    pub(super) scope: &'static str,
    pub(super) reached: ThresholdReached,
}

/// A queue of reached thresholds. One thread at a time fires them, oldest first. No lock is held while hooks run: if a
/// hook causes a model call, the thread that is firing also handles that call's thresholds.
#[derive(Debug, Default)]
pub(crate) struct ThresholdQueue(Mutex<QueueState>);

#[derive(Debug, Default)]
struct QueueState {
    waiting: VecDeque<PendingThreshold>,
    is_notifying: bool,
}

impl ThresholdQueue {
    /// Charges a model call, queues the thresholds it reaches, and fires everything in the queue unless another thread
    /// is doing so. Thresholds fire in the order in which the calls were charged.
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

/// The thread that fires; another thread may take over once it is dropped.
struct ThresholdNotifier<'q>(&'q ThresholdQueue);

impl ThresholdNotifier<'_> {
    /// The next threshold. If there is none, the notifier ends under the same lock, so that no threshold is left
    /// behind.
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
