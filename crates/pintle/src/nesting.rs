//! The nesting depth of the events that a thread fires.
//!
//! Events that a script causes are counted by their [`EventScope`](crate::EventScope). A closure of the host program
//! can fire events, or run a whole agent, without passing a scope, so the thread counts as well. Neither holds a lock
//! while a hook runs.

use std::cell::Cell;

use pintle_contract::{Failure, FailureKind, LimitKind};

use crate::scope::MAX_DEPTH;

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// The number of dispatches that this thread is currently in.
pub(crate) fn current_depth() -> u32 {
    DEPTH.get()
}

/// A dispatch on this thread; it ends when the guard is dropped, also by a panic.
#[derive(Debug)]
pub(crate) struct NestingGuard {
    previous_depth: u32,
}

impl NestingGuard {
    /// Starts a dispatch that is nested in at least `depth` others.
    pub(crate) fn enter(depth: u32) -> Self {
        let before = DEPTH.get();
        DEPTH.set(before.max(depth).saturating_add(1));
        Self { previous_depth: before }
    }
}

impl Drop for NestingGuard {
    fn drop(&mut self) {
        DEPTH.set(self.previous_depth);
    }
}

/// Whether events are nested too deeply for a closure to be called.
#[inline]
pub(crate) fn is_too_deep() -> bool {
    // The dispatch that calls the closure is counted too.
    current_depth() > MAX_DEPTH + 1
}

/// The failure of a closure that is not called for this reason.
pub(crate) fn too_deep_failure() -> Failure {
    let message =
        format!("events are nested more than {MAX_DEPTH} levels deep; does the hook fire the event that it runs on?");
    Failure::new(FailureKind::Limit(LimitKind::Depth), message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dispatch_depth_is_max_of_thread_and_scope_and_ends_with_a_panic() {
        let outer = NestingGuard::enter(0);
        assert_eq!(current_depth(), 1);
        let from_scope = NestingGuard::enter(5);
        assert_eq!(current_depth(), 6);
        let panicked = std::panic::catch_unwind(|| {
            let _inner = NestingGuard::enter(0);
            assert_eq!(current_depth(), 7);
            std::panic::panic_any(());
        });
        assert!(panicked.is_err());
        assert_eq!(current_depth(), 6);
        drop(from_scope);
        assert_eq!(current_depth(), 1);
        drop(outer);
        assert_eq!(current_depth(), 0);
    }
}
