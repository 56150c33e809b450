//! Calls handlers, one at a time or in parallel, and catches their panics.

use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use pintle_contract::{
    CallId, DispatchId, EffectCaller, EffectRunner, Event, Failure, FailureKind, Hook, HookCall, JournalEntry, Layer,
    Verdict,
};

use super::DispatchContext;
use super::effect_cache::{EffectCache, RecordingEffects};
use super::read_only_effects::{ReadOnlyEffects, UntrustedEffects};
use crate::select::panic_text;

/// The maximum number of calls of one chain that wait at the same time.
const MOST_AT_ONCE: usize = 32;

/// A hook that is about to be called.
#[derive(Debug, Clone, Copy)]
pub(super) struct PendingCall<'a> {
    pub(super) dispatch: DispatchId,
    pub(super) hook: &'a Hook,
    pub(super) layer: Layer,
    /// The ordinal of the hook.
    pub(super) ordinal: u32,
    /// The recheck round of the call.
    pub(super) round: u8,
    pub(super) effect_mode: EffectMode,
}

/// How the effect requests of a call are performed.
#[derive(Debug, Clone, Copy)]
pub(super) enum EffectMode {
    /// Directly.
    Live,
    /// Directly, and the replies are stored, because the hook may be rechecked.
    Recording,
    /// With the stored replies of the first call; see [`EffectCache`].
    Cached,
}

/// The result of a call.
#[derive(Debug)]
pub(super) struct CallResult {
    pub(super) verdict: Verdict,
    duration_us: u64,
}

impl PendingCall<'_> {
    /// Assigns the call an ID and records its start in the journal.
    #[inline]
    pub(super) fn journal_call(&self, context: &DispatchContext<'_>, event: &Event) -> CallId {
        let id = context.journal.next_call();
        context.journal.record(self.dispatch, &JournalEntry::Call { id, hook: self.hook, round: self.round, event });
        id
    }

    /// Records the result in the journal.
    #[inline]
    pub(super) fn journal_return(&self, context: &DispatchContext<'_>, id: CallId, answer: &CallResult) {
        let (hook, verdict, duration_us) = (self.hook, &answer.verdict, answer.duration_us);
        context.journal.record(self.dispatch, &JournalEntry::Return { id, hook, verdict, duration_us });
    }
}

/// A call that began, which ends when it is dropped.
struct BegunCall<'a> {
    effects: &'a dyn EffectRunner,
    call: CallId,
}

impl<'a> BegunCall<'a> {
    fn begin(effects: &'a dyn EffectRunner, call: CallId) -> Self {
        effects.begin_call(call);
        Self { effects, call }
    }
}

impl Drop for BegunCall<'_> {
    fn drop(&mut self) {
        self.effects.end_call(self.call);
    }
}

/// Calls one handler. A panic is a failed verdict.
#[inline]
pub(super) fn call(
    pending_call: &PendingCall<'_>,
    event: &Event,
    id: CallId,
    cache: &EffectCache,
    context: &DispatchContext<'_>,
) -> CallResult {
    let through = |seam: &dyn EffectRunner| {
        let PendingCall { dispatch, hook, layer, .. } = *pending_call;
        let (depth, limits, cancel) = (context.cause.depth, &hook.limits, context.cancel);
        let call = HookCall { dispatch, id, depth, hook, layer, event, limits, effects: seam, cancel };
        let start = context.clock.monotonic_us();
        let begun = BegunCall::begin(context.effects, id);
        let answer = || context.memory.map_or_else(|| hook.handler.call(&call), |memory| memory.call(&call));
        let verdict = catch_unwind(AssertUnwindSafe(answer)).unwrap_or_else(|panic| {
            let message = format!("the handler panicked: {}", panic_text(&*panic));
            Verdict::failed(Failure::new(FailureKind::Crash, message))
        });
        drop(begun);
        CallResult { verdict, duration_us: context.clock.monotonic_us().saturating_sub(start) }
    };
    let ordinal = pending_call.ordinal;
    let untrusted;
    let seam: &dyn EffectRunner = if pending_call.hook.source_trust.is_trusted() {
        context.effects
    } else {
        untrusted = UntrustedEffects(ReadOnlyEffects::new(context.effects));
        &untrusted
    };
    match pending_call.effect_mode {
        EffectMode::Live => through(seam),
        EffectMode::Recording => through(&RecordingEffects { inner: seam, cache, ordinal }),
        EffectMode::Cached => {
            let echo = cache.cached_effects_for(ordinal, seam);
            let answered = through(&echo);
            if answered.verdict.denies(pending_call.hook.on_failure) {
                let caller = EffectCaller::new(id, pending_call.hook.id.as_str()).with_dispatch(pending_call.dispatch);
                echo.flush_writes(caller.with_layer(pending_call.layer));
            }
            answered
        }
    }
}

/// Calls handlers with the same event, in parallel if they may wait, and returns their results in order.
///
/// The journal receives all calls in order, then all results in order.
pub(super) fn call_concurrently(
    group: &[PendingCall<'_>],
    event: &Event,
    cache: &EffectCache,
    context: &DispatchContext<'_>,
) -> Vec<Verdict> {
    let begun: Vec<(PendingCall<'_>, CallId)> =
        group.iter().map(|asking| (*asking, asking.journal_call(context, event))).collect();
    let answer = |(asking, id): &(PendingCall<'_>, CallId)| call(asking, event, *id, cache, context);
    let waiting = group.iter().filter(|asking| asking.hook.handler.may_wait()).count();
    let answers = match NonZeroUsize::new(waiting).filter(|count| count.get() > 1) {
        None => begun.iter().map(answer).collect(),
        Some(waiting) => run_concurrently(&begun, waiting, |(asking, _)| asking.hook.handler.may_wait(), answer),
    };
    for ((asking, id), answer) in begun.iter().zip(&answers) {
        asking.journal_return(context, *id, answer);
    }
    answers.into_iter().map(|answer| answer.verdict).collect()
}

/// Runs the jobs that may wait on separate threads and the others on this one; returns the results in order.
///
/// This thread also runs waiting jobs when it has nothing else to do, so that all finish even if the system cannot
/// create threads.
fn run_concurrently<J: Sync, R: Send + Sync>(
    jobs: &[J],
    waiting: NonZeroUsize,
    may_wait: impl Fn(&J) -> bool,
    run: impl Fn(&J) -> R + Sync,
) -> Vec<R> {
    let results: Vec<OnceLock<R>> = jobs.iter().map(|_| OnceLock::new()).collect();
    let (waiters, quick): (Vec<_>, Vec<_>) = jobs.iter().zip(&results).partition(|(job, _)| may_wait(job));
    let next = AtomicUsize::new(0);
    let take_waiters = || {
        while let Some((job, result)) = waiters.get(next.fetch_add(1, Ordering::Relaxed)) {
            // Each job is run once, so the cell is empty.
            let _ = result.set(run(job));
        }
    };
    // Without quick jobs, this thread runs one of the waiting jobs itself.
    let threads = waiting.get().saturating_sub(usize::from(quick.is_empty())).min(MOST_AT_ONCE);
    thread::scope(|scope| {
        for _ in 0..threads {
            if thread::Builder::new().spawn_scoped(scope, take_waiters).is_err() {
                break;
            }
        }
        for (job, result) in &quick {
            let _ = result.set(run(job));
        }
        take_waiters();
    });
    results.into_iter().filter_map(OnceLock::into_inner).collect()
}
