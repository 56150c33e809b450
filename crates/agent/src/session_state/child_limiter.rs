//! Limits how many children of an agent run at once.

use std::sync::Arc;

use parking_lot::{Condvar, Mutex, MutexGuard};
use pintle_host::CancelToken;

/// Counts the permits of one agent. Each agent has its own limiter, so that a child never waits for its own parent.
#[derive(Debug)]
pub(crate) struct ChildLimiter(Arc<PermitCount>);

#[derive(Debug)]
struct PermitCount {
    free: Mutex<u32>,
    /// A permit was returned, or who waits for one was cancelled.
    changed: Condvar,
}

/// A permit to run a child, returned when dropped.
#[derive(Debug)]
pub(crate) struct ChildPermit<'a>(&'a PermitCount);

impl ChildLimiter {
    pub(crate) fn new(count: u32) -> Self {
        Self(Arc::new(PermitCount { free: Mutex::new(count), changed: Condvar::new() }))
    }

    /// Waits for a permit. Returns `None` if `cancel` is set first.
    pub(crate) fn acquire(&self, cancel: &CancelToken) -> Option<ChildPermit<'_>> {
        let count = Arc::clone(&self.0);
        let _woken = cancel.wake_on_cancel(move || {
            let _free = count.free.lock();
            count.changed.notify_all();
        });
        let mut free = self.0.free.lock();
        while *free == 0 {
            if cancel.is_cancelled() {
                return None;
            }
            wait_for_change(&self.0.changed, &mut free, cancel);
        }
        *free -= 1;
        Some(ChildPermit(&self.0))
    }
}

impl Drop for ChildPermit<'_> {
    fn drop(&mut self) {
        *self.0.free.lock() += 1;
        self.0.changed.notify_one();
    }
}

/// Waits until a condition may have changed. The cancellation of `cancel` must notify the variable, after locking the
/// mutex; its time limit ends the wait by itself.
pub(super) fn wait_for_change<T>(changed: &Condvar, guarded: &mut MutexGuard<'_, T>, cancel: &CancelToken) {
    match cancel.time_left() {
        None => changed.wait(guarded),
        Some(left) => _ = changed.wait_for(guarded, left),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn no_more_than_the_slots_run_at_once_and_all_get_their_turn() {
        let (slots, cancel) = (ChildLimiter::new(2), CancelToken::default());
        let (now, most, done) = (AtomicU32::new(0), AtomicU32::new(0), AtomicU32::new(0));
        std::thread::scope(|threads| {
            for _ in 0..8 {
                threads.spawn(|| {
                    let _slot = slots.acquire(&cancel).unwrap();
                    most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::yield_now();
                    now.fetch_sub(1, Ordering::SeqCst);
                    done.fetch_add(1, Ordering::SeqCst);
                });
            }
        });
        assert!(most.load(Ordering::SeqCst) <= 2);
        assert_eq!(done.load(Ordering::SeqCst), 8);
    }

    #[test]
    fn who_is_cancelled_waits_no_longer() {
        let (slots, cancel) = (ChildLimiter::new(1), CancelToken::default());
        let _taken = slots.acquire(&cancel).unwrap();
        let part = cancel.child_token();
        std::thread::scope(|threads| {
            let waiting = threads.spawn(|| slots.acquire(&part).is_none());
            cancel.cancel();
            assert!(waiting.join().unwrap());
        });
    }
}
