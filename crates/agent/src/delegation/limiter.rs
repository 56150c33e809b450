//! Limits how many children of an agent run at once.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use pintle::CancelToken;

/// Counts the permits of one agent. Each agent has its own limiter, so that a child never waits for its own parent.
#[derive(Debug)]
pub(crate) struct ChildLimiter {
    free: Mutex<u32>,
    released: Condvar,
}

/// A permit to run a child, returned when dropped.
#[derive(Debug)]
pub(crate) struct ChildPermit<'a>(&'a ChildLimiter);

impl ChildLimiter {
    pub(crate) fn new(count: u32) -> Self {
        Self { free: Mutex::new(count), released: Condvar::new() }
    }

    /// Waits for a permit. Returns `None` if `cancel` is set first.
    pub(crate) fn acquire(&self, cancel: &CancelToken) -> Option<ChildPermit<'_>> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free == 0 {
            if cancel.is_cancelled() {
                return None;
            }
            let waited = self.released.wait_timeout(free, Duration::from_millis(20));
            free = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        *free -= 1;
        Some(ChildPermit(self))
    }
}

impl Drop for ChildPermit<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.released.notify_one();
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
        cancel.cancel();
        assert!(slots.acquire(&cancel).is_none());
    }
}
