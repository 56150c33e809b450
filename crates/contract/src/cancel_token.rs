//! Cooperative cancellation, shared by a session and everything it started.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A cancellation token. Once cancelled it stays cancelled.
///
/// Clones share their state. Handlers check the token at points where they can stop safely. What waits does not check
/// it again and again: it is woken ([`CancelToken::wake_on_cancel`], [`CancelToken::channel`], [`CancelToken::wait`]).
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
    wakers: WakerList,
}

/// Returns the rest of a time limit, by the clock of the code that created it.
struct TimeLimit(Box<dyn Fn() -> Duration + Send + Sync>);

/// Called when a token is cancelled.
type WakeFn = dyn Fn() + Send + Sync;

#[derive(Default)]
struct WakerList(Mutex<Vec<Arc<WakeFn>>>);

impl WakerList {
    fn add(&self, waker: Arc<WakeFn>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(waker);
    }

    fn remove(&self, waker: &Arc<WakeFn>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|known| !Arc::ptr_eq(known, waker));
    }

    fn wake(&self) {
        // A waker may drop its guard or add another one, so the list is not locked while it is called.
        let wakers = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        wakers.iter().for_each(|wake| wake());
    }
}

impl fmt::Debug for WakerList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WakerList")
    }
}

/// A registered waker of a [`CancelToken`], until dropped.
#[must_use = "the waker is removed when the guard is dropped"]
pub struct WakeGuard {
    token: CancelToken,
    waker: Arc<WakeFn>,
}

impl Drop for WakeGuard {
    fn drop(&mut self) {
        self.token.cancelled_by().for_each(|token| token.0.wakers.remove(&self.waker));
    }
}

impl fmt::Debug for WakeGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WakeGuard")
    }
}

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

    /// Creates a child token with a time limit: it is also cancelled as soon as `time_left` returns zero.
    #[must_use]
    pub fn child_with_time_limit(&self, time_left: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        let limit = Some(TimeLimit(Box::new(time_left)));
        Self(Arc::new(CancelFlag { parent: Some(self.clone()), limit, ..CancelFlag::default() }))
    }

    /// Creates a token that only follows the time limits of this token and its parents, not their cancellation.
    #[must_use]
    pub fn time_limit_token(&self) -> Self {
        Self(Arc::new(CancelFlag { parent: Some(self.clone()), only_time_limits: true, ..CancelFlag::default() }))
    }

    /// Cancels the token and its children.
    pub fn cancel(&self) {
        if !self.0.raised.swap(true, Ordering::AcqRel) {
            self.0.wakers.wake();
        }
    }

    /// Calls `wake` when the token is cancelled, on the thread that cancels it; at once if it already is. It may be
    /// called once for the token and once for each parent, and must neither block nor cancel.
    ///
    /// The end of a time limit wakes nothing, because the token has no clock: wait at most [`CancelToken::time_left`].
    pub fn wake_on_cancel(&self, wake: impl Fn() + Send + Sync + 'static) -> WakeGuard {
        let waker: Arc<WakeFn> = Arc::new(wake);
        self.cancelled_by().for_each(|token| token.0.wakers.add(Arc::clone(&waker)));
        if self.cancelled_by().any(|token| token.0.raised.load(Ordering::Acquire)) {
            waker();
        }
        WakeGuard { token: self.clone(), waker }
    }

    /// The time until the first time limit of this token or of a parent; `None` if there is none.
    #[must_use]
    pub fn time_left(&self) -> Option<Duration> {
        let chain = std::iter::successors(Some(self), |token| token.0.parent.as_ref());
        chain.filter_map(|token| token.0.limit.as_ref()).map(|limit| (limit.0)()).min()
    }

    /// How long to wait at most: until the first time limit, or this long.
    #[must_use]
    pub fn limit_wait(&self, most: Duration) -> Duration {
        self.time_left().map_or(most, |left| left.min(most))
    }

    /// The tokens whose cancellation cancels this one: itself and its parents, up to one that follows only time limits.
    fn cancelled_by(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |token| token.0.parent.as_ref().filter(|_| !token.0.only_time_limits))
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
        self.0.limit.as_ref().is_some_and(|limit| (limit.0)().is_zero())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    fn minute_unless(is_over: &AtomicBool) -> Duration {
        if is_over.load(Ordering::Acquire) { Duration::ZERO } else { Duration::from_secs(60) }
    }

    #[test]
    fn a_waker_is_called_for_what_cancels_the_token_until_it_is_dropped() {
        let whole = CancelToken::default();
        let (part, limits) = (whole.child_token(), whole.time_limit_token());
        let wakes = Arc::new(AtomicUsize::new(0));
        let counted = |token: &CancelToken| {
            let wakes = Arc::clone(&wakes);
            token.wake_on_cancel(move || {
                wakes.fetch_add(1, Ordering::Relaxed);
            })
        };
        let guards = [counted(&part.child_token()), counted(&part), counted(&limits), counted(&whole.child_token())];
        drop(counted(&part));
        part.cancel();
        assert_eq!(wakes.swap(0, Ordering::Relaxed), 2, "the part and its child");
        whole.cancel();
        assert_eq!(wakes.swap(0, Ordering::Relaxed), 3, "not those that only follow time limits");
        let late = counted(&whole.child_token());
        assert_eq!(wakes.load(Ordering::Relaxed), 1, "it is already cancelled");
        drop((guards, late));
        assert!([&whole, &part, &limits].iter().all(|token| token.0.wakers.0.lock().unwrap().is_empty()));
    }

    #[test]
    fn the_first_time_limit_counts() {
        let whole = CancelToken::default();
        let minute = whole.child_with_time_limit(|| Duration::from_secs(60));
        let second = minute.time_limit_token().child_with_time_limit(|| Duration::from_secs(1));
        let left = [&whole, &minute, &second].map(|token| token.time_left().map(|left| left.as_secs()));
        assert_eq!(left, [None, Some(60), Some(1)]);
        let waits = [&whole, &second].map(|token| token.limit_wait(Duration::from_secs(2)).as_secs());
        assert_eq!(waits, [2, 1]);
    }

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
        let timed = whole.child_with_time_limit(move || minute_unless(&seen));
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
        let timed = whole.child_with_time_limit(move || minute_unless(&seen));
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
