//! The asynchronous runtime behind synchronous calls.

use std::sync::OnceLock;

use tokio::runtime::{Builder, Handle, Runtime};

/// The runtime could not be started.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub struct AsyncRuntimeError(String);

/// The runtime of the process that moves bytes for HTTP requests, MCP servers and models. Its one thread starts with the
/// first call and runs until the process ends. Nothing on it may block.
///
/// # Errors
/// When the thread could not be started, on every call.
pub fn runtime_handle() -> Result<&'static Handle, AsyncRuntimeError> {
    static RUNTIME: OnceLock<Result<Runtime, AsyncRuntimeError>> = OnceLock::new();
    let started = RUNTIME.get_or_init(|| {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(1).thread_name("pintle-io").enable_all();
        builder.build().map_err(|error| AsyncRuntimeError(error.to_string()))
    });
    started.as_ref().map(Runtime::handle).map_err(Clone::clone)
}
