//! Cooperative cancellation, shared by a session and everything it started.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A cancellation token. Once cancelled it stays cancelled.
///
/// Clones share their state. Handlers check the token at points where they can stop safely.
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<CancelFlag>);

#[derive(Debug, Default)]
struct CancelFlag {
    raised: AtomicBool,
    /// The parent: if it is cancelled, so is this token.
    parent: Option<CancelToken>,
    /// Whether only the time limits of the parent apply.
    only_time_limits: bool,
    /// The time limit of this token.
    limit: Option<TimeLimit>,
}

/// Returns whether a time limit has passed, by the clock of the code that created it.
struct TimeLimit(Box<dyn Fn() -> bool + Send + Sync>);

impl fmt::Debug for TimeLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TimeLimit")
    }
}

impl CancelToken {
    /// Creates a child token for part of the work. It is cancelled with its parent; cancelling the child does not
    /// affect the parent.
    #[must_use]
    pub fn child_token(&self) -> Self {
        Self(Arc::new(CancelFlag { parent: Some(self.clone()), ..CancelFlag::default() }))
    }

    /// Creates a child token with a time limit: it is also cancelled as soon as `is_over` returns true.
    #[must_use]
    pub fn child_with_time_limit(&self, is_over: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        let limit = Some(TimeLimit(Box::new(is_over)));
        Self(Arc::new(CancelFlag { parent: Some(self.clone()), limit, ..CancelFlag::default() }))
    }

    /// Creates a token that only follows the time limits of this token and its parents, not their cancellation.
    #[must_use]
    pub fn time_limit_token(&self) -> Self {
        Self(Arc::new(CancelFlag { parent: Some(self.clone()), only_time_limits: true, ..CancelFlag::default() }))
    }

    /// Cancels the token and its children.
    pub fn cancel(&self) {
        self.0.raised.store(true, Ordering::Release);
    }

    /// Whether the token is cancelled, by itself, its parent or a time limit.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        let CancelFlag { raised, parent: above, only_time_limits: limits_alone, .. } = &*self.0;
        if raised.load(Ordering::Acquire) {
            return true;
        }
        if *limits_alone {
            return self.is_over();
        }
        self.has_passed() || above.as_ref().is_some_and(Self::is_cancelled)
    }

    /// Whether the time limit of this token or of a parent has passed.
    fn is_over(&self) -> bool {
        self.has_passed() || self.0.parent.as_ref().is_some_and(Self::is_over)
    }

    fn has_passed(&self) -> bool {
        self.0.limit.as_ref().is_some_and(|limit| (limit.0)())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_ends_its_parts_and_a_part_ends_only_itself() {
        let whole = CancelToken::default();
        let (one, other) = (whole.child_token(), whole.child_token());
        one.clone().cancel();
        assert_eq!([&whole, &one, &other].map(CancelToken::is_cancelled), [false, true, false]);
        whole.cancel();
        assert_eq!([&whole, &one, &other.child_token()].map(CancelToken::is_cancelled), [true, true, true]);
    }

    #[test]
    fn a_time_limit_ends_its_part_and_all_parts_of_it() {
        let over = Arc::new(AtomicBool::new(false));
        let whole = CancelToken::default();
        let seen = Arc::clone(&over);
        let timed = whole.child_with_time_limit(move || seen.load(Ordering::Acquire));
        let inner = timed.child_token();
        assert_eq!([&whole, &timed, &inner].map(CancelToken::is_cancelled), [false, false, false]);
        over.store(true, Ordering::Release);
        assert_eq!([&whole, &timed, &inner].map(CancelToken::is_cancelled), [false, true, true]);
    }
    #[test]
    fn its_time_limits_are_told_apart_from_who_raised_it() {
        let over = Arc::new(AtomicBool::new(false));
        let whole = CancelToken::default();
        let seen = Arc::clone(&over);
        let timed = whole.child_with_time_limit(move || seen.load(Ordering::Acquire));
        let (limits, inner) = (timed.child_token().time_limit_token(), timed.time_limit_token().child_token());
        whole.cancel();
        assert_eq!(
            [&timed, &limits, &inner, &whole.time_limit_token()].map(CancelToken::is_cancelled),
            [true, false, false, false]
        );
        over.store(true, Ordering::Release);
        assert_eq!([&limits, &inner, &whole.time_limit_token()].map(CancelToken::is_cancelled), [true, true, false]);
        let own = whole.time_limit_token();
        own.cancel();
        assert!(own.is_cancelled() && own.child_token().is_cancelled());
    }
}
