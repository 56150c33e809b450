//! Telling of the marks of budgets in the order in which they were reached, though model calls are made at once.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::meter::Reached;
use crate::turn::Turn;

/// A mark that was reached and that hooks were not told of yet.
#[derive(Debug)]
pub(super) struct ReachedMark {
    /// What the model call was made in.
    pub(super) turn: Turn,
    /// The scope of the budget.
    pub(super) scope: &'static str,
    pub(super) reached: Reached,
}

/// Marks that were reached, told of by one thread at a time, oldest first. No lock is held while hooks run: a hook that
/// causes a model call itself leaves the marks of that call to whoever is telling.
#[derive(Debug, Default)]
pub(crate) struct MarkQueue(Mutex<QueueState>);

#[derive(Debug, Default)]
struct QueueState {
    waiting: VecDeque<ReachedMark>,
    is_telling: bool,
}

impl MarkQueue {
    /// Counts, adds the marks that this reached, and tells of all that wait unless another thread is doing so. What is
    /// counted first is told first.
    pub(super) fn count(&self, count: impl FnOnce() -> Vec<ReachedMark>, tell: impl Fn(&ReachedMark)) {
        let mut state = self.state();
        state.waiting.extend(count());
        if state.is_telling || state.waiting.is_empty() {
            return;
        }
        state.is_telling = true;
        drop(state);
        let telling = Telling(self);
        while let Some(mark) = telling.next() {
            tell(&mark);
        }
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The thread that tells; somebody else may when it is dropped.
struct Telling<'q>(&'q MarkQueue);

impl Telling<'_> {
    /// The next mark. When there is none the telling is over in the same moment, so that no mark is left behind.
    fn next(&self) -> Option<ReachedMark> {
        let mut state = self.0.state();
        let next = state.waiting.pop_front();
        state.is_telling = next.is_some();
        next
    }
}

impl Drop for Telling<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.state().is_telling = false;
        }
    }
}
