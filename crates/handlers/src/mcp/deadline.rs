//! Waits for the asynchronous SDK from synchronous threads.

use std::future::Future;
use std::time::Duration;

use pintle_contract::{CancelToken, ReceiveError};

use crate::async_runtime::runtime_handle;

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

impl CallDeadline<'_> {
    /// Waits for a future. The future is dropped if waiting ends early.
    pub(super) fn wait_for<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, WaitAborted> {
        let runtime = runtime_handle()
            .map_err(|error| WaitAborted::TaskFailed(format!("cannot start the runtime for MCP servers: {error}")))?;
        let (done, result) = self.cancel.channel();
        let task = runtime.spawn(async move {
            done.send(future.await);
        });
        let received = result.receive(Some(Duration::from_millis(self.timeout_ms)));
        task.abort();
        received.map_err(|error| match error {
            ReceiveError::Cancelled => WaitAborted::Cancelled,
            ReceiveError::TimedOut => WaitAborted::TimedOut,
            ReceiveError::Disconnected => {
                WaitAborted::TaskFailed(String::from("the request crashed; this is a defect"))
            }
        })
    }
}
