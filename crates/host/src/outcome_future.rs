//! Firing events without blocking the caller.

use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread;

use pintle_contract::{CancelToken, Event, Outcome};

use crate::{EventScope, Runtime};

/// The outcome of an event that is fired on a thread of its own. It works with every executor.
///
/// The event is fired when the future is polled first. Dropping the future cancels the dispatch: a waiting hook is
/// cancelled, hooks that were not called yet fail as cancelled, and the outcome is recorded but not returned. The
/// host must then not act on the event.
#[must_use = "the event is fired when the future is polled"]
pub struct OutcomeFuture {
    stage: FutureStage,
    cancel: CancelToken,
}

enum FutureStage {
    Ready(DispatchJob),
    Running(Arc<JobResult>),
    Finished,
}

/// An event with what it is fired at.
struct DispatchJob {
    runtime: Arc<Runtime>,
    event: Event,
    scope: EventScope,
}

/// Where the thread leaves the outcome.
#[derive(Default)]
struct JobResult(Mutex<JobResultState>);

#[derive(Default)]
struct JobResultState {
    /// The outcome, or a panic of the host's own code, such as its journal.
    outcome: Option<thread::Result<Outcome>>,
    waker: Option<Waker>,
}

impl Runtime {
    /// Fires an event without an agent on a thread of its own, for hosts that must not block, such as asynchronous ones.
    /// Dropping the future cancels the dispatch.
    ///
    /// ```
    /// use std::future::Future;
    /// use std::pin::pin;
    /// use std::sync::Arc;
    /// use std::task::{Context, Poll, Wake, Waker};
    /// use std::thread::{self, Thread};
    ///
    /// use pintle_host::{Event, EventKind, Origin, Runtime, ToolHook};
    ///
    /// // Any executor works. This one waits for a single future.
    /// struct ThreadWaker(Thread);
    /// impl Wake for ThreadWaker {
    ///     fn wake(self: Arc<Self>) {
    ///         self.0.unpark();
    ///     }
    /// }
    /// fn block_on<F: Future>(future: F) -> F::Output {
    ///     let (waker, mut future) = (Waker::from(Arc::new(ThreadWaker(thread::current()))), pin!(future));
    ///     loop {
    ///         match future.as_mut().poll(&mut Context::from_waker(&waker)) {
    ///             Poll::Ready(output) => return output,
    ///             Poll::Pending => thread::park(),
    ///         }
    ///     }
    /// }
    ///
    /// let exec = ToolHook::for_tools("exec_*").deny("exec is gated");
    /// let runtime = Runtime::builder().register_tool_hook(exec).build()?;
    /// let call = serde_json::json!({"id": "1", "name": "exec_ls", "arguments": "{}", "args": {}});
    /// let event = Event::new(EventKind::ToolPre, call, Arc::new(Origin::default()));
    /// let outcome = block_on(async { runtime.fire_async(event).await });
    /// assert!(!outcome.is_allowed());
    /// # Ok::<(), pintle_host::LoadReport>(())
    /// ```
    pub fn fire_async(self: &Arc<Self>, event: Event) -> OutcomeFuture {
        self.fire_async_in(event, EventScope::default())
    }

    /// Fires an event in a scope, as [`Runtime::fire_in`], on a thread of its own. Dropping the future cancels the
    /// dispatch, not the scope.
    pub fn fire_async_in(self: &Arc<Self>, event: Event, scope: EventScope) -> OutcomeFuture {
        OutcomeFuture::new(Arc::clone(self), event, scope)
    }
}

impl OutcomeFuture {
    fn new(runtime: Arc<Runtime>, event: Event, mut scope: EventScope) -> Self {
        let cancel = scope.cancel.child_token();
        scope.cancel = cancel.clone();
        Self { stage: FutureStage::Ready(DispatchJob { runtime, event, scope }), cancel }
    }
}

impl Future for OutcomeFuture {
    type Output = Outcome;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Outcome> {
        let result = match std::mem::replace(&mut self.stage, FutureStage::Finished) {
            FutureStage::Ready(job) if job.is_immediate() => return Poll::Ready(job.run()),
            FutureStage::Ready(job) => job.start(),
            FutureStage::Running(result) => result,
            // A finished future is not polled again, and if it is, it has no further outcome.
            FutureStage::Finished => return Poll::Pending,
        };
        let mut state = result.lock();
        match state.outcome.take() {
            Some(outcome) => Poll::Ready(outcome.unwrap_or_else(|panic| resume_unwind(panic))),
            None => {
                state.waker = Some(context.waker().clone());
                drop(state);
                self.stage = FutureStage::Running(result);
                Poll::Pending
            }
        }
    }
}

impl Drop for OutcomeFuture {
    fn drop(&mut self) {
        if matches!(self.stage, FutureStage::Running(_)) {
            self.cancel.cancel();
        }
    }
}

impl fmt::Debug for OutcomeFuture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutcomeFuture").finish_non_exhaustive()
    }
}

impl DispatchJob {
    /// Whether the event can be fired at once: it has no hooks and is not recorded.
    fn is_immediate(&self) -> bool {
        !self.runtime.journals().has_listeners() && !self.runtime.listens(&self.event.name, &self.scope)
    }

    fn run(&self) -> Outcome {
        self.runtime.fire_in(&self.event, &self.scope)
    }

    /// Runs on a new thread, or on this one if the system cannot create threads.
    fn start(self) -> Arc<JobResult> {
        let (job, result) = (Arc::new(self), Arc::new(JobResult::default()));
        let work = {
            let (job, result) = (Arc::clone(&job), Arc::clone(&result));
            move || {
                let outcome = catch_unwind(AssertUnwindSafe(|| job.run()));
                // The thread must not be the last owner of the runtime.
                drop(job);
                result.complete(outcome);
            }
        };
        if thread::Builder::new().name(String::from("pintle-dispatch")).spawn(work).is_err() {
            result.complete(catch_unwind(AssertUnwindSafe(|| job.run())));
        }
        result
    }
}

impl JobResult {
    fn lock(&self) -> MutexGuard<'_, JobResultState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn complete(&self, outcome: thread::Result<Outcome>) {
        let waker = {
            let mut state = self.lock();
            state.outcome = Some(outcome);
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}
