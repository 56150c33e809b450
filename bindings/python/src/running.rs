//! How Python's threads call the runtime: without the interpreter's lock, with what hooks raised, and within the hook call
//! that causes it.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::results::IntoPythonResult;

thread_local! {
    /// What Python functions raised that must reach the caller, one place for each call of this thread, the innermost last.
    static RAISED: RefCell<Vec<Option<PyErr>>> = const { RefCell::new(Vec::new()) };
    /// The calls of hooks that this thread is in, the innermost last.
    static HOOK_CALLS: RefCell<Vec<(RuntimeKey, pintle::CallScope)>> = const { RefCell::new(Vec::new()) };
}

/// Checks that this is the process in which the first runtime was made. One that was forked from it has the same pipes to the
/// processes of hooks, so that each could read the answers of the other.
///
/// # Errors
/// In a forked process.
pub(crate) fn check_process() -> PyResult<()> {
    static FIRST: OnceLock<u32> = OnceLock::new();
    let own = std::process::id();
    if *FIRST.get_or_init(|| own) == own {
        return Ok(());
    }
    Err(PyRuntimeError::new_err(
        "this process was forked from one that has a runtime, and cannot use hooks: make the runtime after the fork, or start \
         a fresh process, as the method \"spawn\" of multiprocessing does",
    ))
}

/// Which runtime a hook belongs to. Only its own events are caused by a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RuntimeKey(u64);

impl RuntimeKey {
    pub(crate) fn new() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self(LAST.fetch_add(1, Ordering::Relaxed))
    }
}

/// Removes the place of a call again, even if it panics.
struct RaisedPlace;

impl RaisedPlace {
    fn new() -> Self {
        RAISED.with_borrow_mut(|raised| raised.push(None));
        Self
    }

    fn take(self) -> Option<PyErr> {
        RAISED.with_borrow_mut(|raised| raised.last_mut().and_then(Option::take))
    }
}

impl Drop for RaisedPlace {
    fn drop(&mut self) {
        let _ = RAISED.with_borrow_mut(Vec::pop);
    }
}

/// Calls the runtime without the interpreter's lock, so that other threads of Python run meanwhile.
///
/// # Errors
/// With what [`keep_raised`] kept. What was decided is then dropped: the caller learns nothing that it could act on.
pub(crate) fn run_detached<T: Send>(py: Python<'_>, call: impl FnOnce() -> T + Send) -> PyResult<T> {
    let place = RaisedPlace::new();
    let result = py.detach(call);
    place.take().map_or(Ok(result), Err)
}

/// Keeps an exception that must reach the caller of the runtime, such as `KeyboardInterrupt`. If no caller waits on this
/// thread, Python reports it as one that cannot be raised.
pub(crate) fn keep_raised(py: Python<'_>, error: PyErr, object: &Py<PyAny>) {
    let left = RAISED.with_borrow_mut(|raised| match raised.last_mut() {
        Some(place @ None) => {
            *place = Some(error.clone_ref(py));
            None
        }
        _ => Some(error),
    });
    if let Some(error) = left {
        error.write_unraisable(py, Some(object.bind(py)));
    }
}

/// How many calls of hooks may be within each other on one thread, whichever runtimes they are of. Each runtime has a limit
/// of its own, but a hook may make new ones, and the stack has an end.
const MAX_DEPTH: usize = 24;

/// Notes that this thread is in a call of a hook until it is dropped.
pub(crate) struct HookCallMark;

impl HookCallMark {
    /// # Errors
    /// When too many calls are within each other.
    pub(crate) fn new(key: RuntimeKey, scope: pintle::CallScope) -> Result<Self, String> {
        HOOK_CALLS.with_borrow_mut(|calls| {
            if calls.len() >= MAX_DEPTH {
                return Err(format!("hooks call each other more than {MAX_DEPTH} levels deep"));
            }
            calls.push((key, scope));
            *lock_running() += 1;
            Ok(Self)
        })
    }
}

/// The number of hooks that are called now, on all threads.
static RUNNING: Mutex<usize> = Mutex::new(0);
/// One of them has returned.
static RETURNED: Condvar = Condvar::new();

fn lock_running() -> MutexGuard<'static, usize> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How long the end of the interpreter waits for hooks on other threads.
const LONGEST_END: Duration = Duration::from_secs(1);

/// Waits until no hook is called, but not for long. The interpreter calls it before it ends: a thread that runs a function then
/// would be ended in the middle of it.
#[pyfunction]
pub(crate) fn wait_for_hooks(py: Python<'_>) {
    py.detach(|| drop(RETURNED.wait_timeout_while(lock_running(), LONGEST_END, |running| *running > 0)));
}

impl Drop for HookCallMark {
    fn drop(&mut self) {
        let _ = HOOK_CALLS.with_borrow_mut(Vec::pop);
        *lock_running() -= 1;
        RETURNED.notify_all();
    }
}

/// The innermost call of a hook of this runtime that this thread is in.
pub(crate) fn current_hook_call(key: RuntimeKey) -> Option<pintle::CallScope> {
    HOOK_CALLS.with_borrow(|calls| calls.iter().rev().find(|(known, _)| *known == key).map(|(_, scope)| scope.clone()))
}

type BoxedFuture = Pin<Box<dyn Future<Output = Box<dyn IntoPythonResult>> + Send>>;

/// A call that has not ended. `pintle/_async.py` polls it.
#[pyclass(name = "PendingCall", module = "pintle._pintle", frozen)]
pub(crate) struct PyPendingCall(Mutex<Option<BoxedFuture>>);

impl PyPendingCall {
    /// A coroutine that makes the call when it is awaited.
    pub(crate) fn start<'py, T: IntoPythonResult + 'static>(
        py: Python<'py>,
        call: impl Future<Output = T> + Send + 'static,
    ) -> PyResult<Bound<'py, PyAny>> {
        static FINISH: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let call: BoxedFuture = Box::pin(async move { Box::new(call.await) as Box<dyn IntoPythonResult> });
        FINISH.import(py, "pintle._async", "finish")?.call1((Self(Mutex::new(Some(call))),))
    }

    fn with_future<R>(&self, action: impl FnOnce(&mut Option<BoxedFuture>) -> R) -> R {
        action(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl PyPendingCall {
    /// The result in a tuple, or `None` until the call has ended: `wake` is then called, on any thread.
    fn poll<'py>(&self, py: Python<'py>, wake: Py<PyAny>) -> PyResult<Option<(Bound<'py, PyAny>,)>> {
        let waker = Waker::from(Arc::new(PythonWaker(wake)));
        let polled = run_detached(py, || {
            self.with_future(|call| match call.as_mut()?.as_mut().poll(&mut Context::from_waker(&waker)) {
                Poll::Ready(result) => {
                    *call = None;
                    Some(Ok(result))
                }
                Poll::Pending => Some(Err(())),
            })
        })?;
        match polled {
            Some(Ok(result)) => Ok(Some((result.into_result(py)?,))),
            Some(Err(())) => Ok(None),
            None => Err(PyRuntimeError::new_err("the call was cancelled")),
        }
    }

    /// Cancels the call, unless it has ended: hooks that wait are told, and what they decide has no effect.
    fn cancel(&self, py: Python<'_>) {
        py.detach(|| drop(self.with_future(Option::take)));
    }
}

struct PythonWaker(Py<PyAny>);

impl Wake for PythonWaker {
    fn wake(self: Arc<Self>) {
        // A loop that was closed meanwhile waits for nothing, and neither does an interpreter that ends.
        Python::try_attach(|py| drop(self.0.call0(py)));
    }
}
