//! Fires budget thresholds in the order in which concurrent model calls reach them.

use std::collections::VecDeque;

use parking_lot::Mutex;

/// Fires one threshold.
type NotifyThreshold = Box<dyn FnOnce() + Send>;

/// A queue of reached thresholds. One thread at a time fires them, oldest first. No lock is held while hooks run: if a
/// hook causes a model call, the thread that is firing also handles that call's thresholds.
#[derive(Default)]
pub(crate) struct ThresholdQueue(Mutex<QueueState>);

#[derive(Default)]
struct QueueState {
    waiting: VecDeque<NotifyThreshold>,
    is_notifying: bool,
}

impl ThresholdQueue {
    /// Charges a model call, queues the thresholds it reaches, and fires everything in the queue unless another thread
    /// is doing so. Thresholds fire in the order in which the calls were charged.
    pub(super) fn count_and_notify(&self, count: impl FnOnce() -> Vec<NotifyThreshold>) {
        let mut state = self.0.lock();
        state.waiting.extend(count());
        if state.is_notifying || state.waiting.is_empty() {
            return;
        }
        state.is_notifying = true;
        drop(state);
        let telling = ThresholdNotifier(self);
        while let Some(notify) = telling.next() {
            notify();
        }
    }
}

/// The thread that fires; another thread may take over once it is dropped.
struct ThresholdNotifier<'q>(&'q ThresholdQueue);

impl ThresholdNotifier<'_> {
    /// The next threshold. If there is none, the notifier ends under the same lock, so that no threshold is left
    /// behind.
    fn next(&self) -> Option<NotifyThreshold> {
        let mut state = self.0.0.lock();
        let next = state.waiting.pop_front();
        state.is_notifying = next.is_some();
        next
    }
}

impl Drop for ThresholdNotifier<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.0.lock().is_notifying = false;
        }
    }
}
