//! Calls that do not block an asynchronous host.

use std::cell::Cell;
use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

use pintle_host::CancelToken;

/// Work that may wait.
pub(crate) type PoolJob = Box<dyn FnOnce() + Send>;

/// Where work that may wait runs.
#[derive(Clone)]
pub(crate) enum JobSpawner {
    Pool(Arc<ThreadPool>),
    Program(Arc<dyn Fn(PoolJob) + Send + Sync>),
}

impl JobSpawner {
    fn spawn(&self, job: PoolJob) {
        match self {
            Self::Pool(pool) => pool.run(job),
            Self::Program(spawn) => spawn(job),
        }
    }
}

impl fmt::Debug for JobSpawner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pool(_) => "Pool",
            Self::Program(_) => "Program",
        })
    }
}

/// Threads that are started when there is work for them, up to a limit, and end when there is none for a while.
pub(crate) struct ThreadPool {
    state: Arc<PoolState>,
    most_threads: usize,
}

impl Default for ThreadPool {
    fn default() -> Self {
        let processors = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self { state: Arc::default(), most_threads: processors * THREADS_PER_PROCESSOR }
    }
}

#[derive(Default)]
struct PoolState {
    queue: Mutex<PoolQueue>,
    ready: Condvar,
}

#[derive(Default)]
struct PoolQueue {
    jobs: VecDeque<PoolJob>,
    threads: usize,
    idle_threads: usize,
    is_closed: bool,
}

thread_local! {
    /// Whether this thread belongs to a pool. A hook that waits there for another call must not wait for a place in the pool.
    static IN_POOL: Cell<bool> = const { Cell::new(false) };
}

/// How many hooks may wait at once for each processor. They wait for programs and networks, not for the processor.
const THREADS_PER_PROCESSOR: usize = 8;

/// How long a thread without work is kept.
const IDLE: Duration = Duration::from_secs(10);

impl ThreadPool {
    fn run(&self, job: PoolJob) {
        let mut queue = self.state.lock();
        queue.jobs.push_back(job);
        if queue.jobs.len() > queue.idle_threads && queue.threads < self.most_threads {
            let state = Arc::clone(&self.state);
            let started = thread::Builder::new().name(String::from("pintle-hooks")).spawn(move || state.serve());
            match (started.is_ok(), queue.threads) {
                (true, _) => queue.threads += 1,
                // No thread will ever come for it.
                (false, 0) => {
                    let jobs = std::mem::take(&mut queue.jobs);
                    drop(queue);
                    jobs.into_iter().for_each(|job| job());
                    return;
                }
                (false, _) => {}
            }
        }
        drop(queue);
        self.state.ready.notify_one();
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        self.state.lock().is_closed = true;
        self.state.ready.notify_all();
    }
}

impl PoolState {
    fn lock(&self) -> MutexGuard<'_, PoolQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self) {
        IN_POOL.set(true);
        let mut queue = self.lock();
        loop {
            if let Some(job) = queue.jobs.pop_front() {
                drop(queue);
                job();
                queue = self.lock();
                continue;
            }
            if queue.is_closed {
                break;
            }
            queue.idle_threads += 1;
            let (woken, waited) = self.ready.wait_timeout(queue, IDLE).unwrap_or_else(PoisonError::into_inner);
            queue = woken;
            queue.idle_threads -= 1;
            if waited.timed_out() && queue.jobs.is_empty() {
                break;
            }
        }
        queue.threads -= 1;
    }
}

/// A call that was not made yet. It is made when the future is polled first: at once if it cannot wait, otherwise where the
/// runtime's spawner runs it.
pub(crate) struct CallFuture<T> {
    shared: Arc<CallCell<T>>,
    spawner: JobSpawner,
    may_wait: bool,
    is_started: bool,
    /// Cancelled if the future is dropped before the call ended.
    cancel: CancelToken,
}

struct CallCell<T>(Mutex<CallCellState<T>>);

struct CallCellState<T> {
    call: Option<Box<dyn FnOnce() -> T + Send>>,
    /// The result, or a panic of the host's own code, such as its approver.
    result: Option<thread::Result<T>>,
    /// Whether the spawner will no longer make the call.
    is_abandoned: bool,
    waker: Option<Waker>,
}

impl<T: Send + 'static> CallFuture<T> {
    pub(crate) fn new(
        spawner: JobSpawner,
        may_wait: bool,
        cancel: CancelToken,
        call: impl FnOnce() -> T + Send + 'static,
    ) -> Self {
        let state = CallCellState { call: Some(Box::new(call)), result: None, is_abandoned: false, waker: None };
        Self { shared: Arc::new(CallCell(Mutex::new(state))), spawner, may_wait, is_started: false, cancel }
    }
}

impl<T> CallCell<T> {
    fn lock(&self) -> MutexGuard<'_, CallCellState<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn make_call(&self) {
        let Some(call) = self.lock().call.take() else { return };
        // The call owns a part of the runtime, which this thread must not drop last: it is gone before the result is there.
        let result = catch_unwind(AssertUnwindSafe(call));
        self.lock().result = Some(result);
    }
}

/// Wakes the future when the spawner ran the call, or dropped it without running it.
struct SpawnedCall<T>(Arc<CallCell<T>>);

impl<T> Drop for SpawnedCall<T> {
    fn drop(&mut self) {
        let waker = {
            let mut state = self.0.lock();
            state.is_abandoned = true;
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<T: Send + 'static> Future for CallFuture<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        if !self.may_wait || IN_POOL.get() {
            self.shared.make_call();
        } else if !self.is_started {
            self.is_started = true;
            self.shared.lock().waker = Some(context.waker().clone());
            let spawned = SpawnedCall(Arc::clone(&self.shared));
            self.spawner.spawn(Box::new(move || spawned.0.make_call()));
        }
        let mut state = self.shared.lock();
        // A spawner that drops its work, such as one that is shutting down, must not leave a gate open or a future waiting.
        if state.is_abandoned && state.call.is_some() {
            drop(state);
            self.shared.make_call();
            state = self.shared.lock();
        }
        match state.result.take() {
            Some(result) => Poll::Ready(result.unwrap_or_else(|panic| resume_unwind(panic))),
            None => {
                state.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl<T> Drop for CallFuture<T> {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}
