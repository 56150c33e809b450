//! Waits for the asynchronous SDK from synchronous threads.

use std::future::Future;
use std::sync::OnceLock;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use pintle_contract::CancelToken;
use tokio::runtime::{Builder, Runtime};

/// The interval between checks for cancellation.
const CANCEL_POLL: Duration = Duration::from_millis(20);

/// The time limit and the cancellation of a call.
pub(super) struct CallDeadline<'a> {
    pub(super) timeout_ms: u64,
    pub(super) cancel: &'a CancelToken,
}

/// The reason why waiting ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum WaitAborted {
    TimedOut,
    Cancelled,
    /// The task crashed, or its runtime could not be started.
    TaskFailed(String),
}

impl WaitAborted {
    pub(super) fn into_message(self, what: &str, timeout_ms: u64) -> String {
        match self {
            Self::TimedOut => format!("{what} took longer than {timeout_ms} ms"),
            Self::Cancelled => String::from("cancelled"),
            Self::TaskFailed(reason) => reason,
        }
    }
}

impl CallDeadline<'_> {
    /// Waits for a future. The future is dropped if waiting ends early.
    pub(super) fn wait_for<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, WaitAborted> {
        let runtime = shared_runtime().map_err(WaitAborted::TaskFailed)?;
        let (done, result) = channel();
        let task = runtime.spawn(async move {
            // The receiver is gone if waiting ended early.
            let _ = done.send(future.await);
        });
        let began = Instant::now();
        let allowed = Duration::from_millis(self.timeout_ms);
        let gone = loop {
            let left = allowed.saturating_sub(began.elapsed());
            match result.recv_timeout(left.min(CANCEL_POLL)) {
                Ok(value) => return Ok(value),
                Err(RecvTimeoutError::Disconnected) => {
                    break WaitAborted::TaskFailed(String::from("the request crashed; this is a defect"));
                }
                Err(RecvTimeoutError::Timeout) if self.cancel.is_cancelled() => break WaitAborted::Cancelled,
                Err(RecvTimeoutError::Timeout) if left.is_zero() => break WaitAborted::TimedOut,
                Err(RecvTimeoutError::Timeout) => {}
            }
        };
        task.abort();
        Err(gone)
    }
}

/// The runtime of all servers of the process, with one thread.
pub(super) fn shared_runtime() -> Result<&'static Runtime, String> {
    static RUNTIME: OnceLock<Result<Runtime, String>> = OnceLock::new();
    let started = RUNTIME.get_or_init(|| {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(1).thread_name("pintle-mcp").enable_all();
        builder.build().map_err(|error| format!("cannot start the runtime for MCP servers: {error}"))
    });
    started.as_ref().map_err(Clone::clone)
}
