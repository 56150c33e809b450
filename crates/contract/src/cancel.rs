//! Cooperative cancellation, shared by a session and everything it started.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that is raised once and never lowered.
///
/// Clones share the flag. Handlers look at it at their own points of rest.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<Flag>);

#[derive(Debug, Default)]
struct Flag {
    raised: AtomicBool,
    /// Raised for this one too when it is raised.
    above: Option<Cancel>,
}

impl Cancel {
    /// A flag of its own for a part of the work. It counts as raised when this one is; raising it leaves this one alone.
    #[must_use]
    pub fn part(&self) -> Self {
        Self(Arc::new(Flag { raised: AtomicBool::new(false), above: Some(self.clone()) }))
    }

    /// Raises the flag.
    pub fn cancel(&self) {
        self.0.raised.store(true, Ordering::Release);
    }

    /// Tells whether the flag is raised.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.raised.load(Ordering::Acquire) || self.0.above.as_ref().is_some_and(Self::is_cancelled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_ends_its_parts_and_a_part_ends_only_itself() {
        let whole = Cancel::default();
        let (one, other) = (whole.part(), whole.part());
        one.clone().cancel();
        assert_eq!([&whole, &one, &other].map(Cancel::is_cancelled), [false, true, false]);
        whole.cancel();
        assert_eq!([&whole, &one, &other.part()].map(Cancel::is_cancelled), [true, true, true]);
    }
}
