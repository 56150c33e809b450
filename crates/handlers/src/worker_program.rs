//! The program of a script worker.

#[cfg(feature = "script")]
use std::io::{BufReader, stdin, stdout};
use std::process::ExitCode;

use crate::process;
use crate::script_worker::{WORKER_ARGUMENT, announce_worker};
#[cfg(feature = "script")]
use crate::script_worker::{confine_memory, limit_this_process};

#[cfg(feature = "script")]
/// The stack of the serving thread. Only touched pages use memory.
const STACK_BYTES: usize = 256 << 20;

/// Lets this program be the worker of its own scripts. Call it first in `main`, and end with the exit code that it
/// returns.
///
/// A script that could use more time or memory than its input explains runs in a worker process. A runtime of a program
/// that has called this starts the program itself with one argument, [`WORKER_ARGUMENT`]; in that process this function
/// serves, and returns when the runtime is done with it.
///
/// ```no_run
/// fn main() -> std::process::ExitCode {
///     if let Some(ended) = pintle_handlers::serve_worker() {
///         return ended;
///     }
///     // the program
///     std::process::ExitCode::SUCCESS
/// }
/// ```
#[must_use]
pub fn serve_worker() -> Option<ExitCode> {
    announce_worker();
    (std::env::args_os().nth(1)? == WORKER_ARGUMENT).then(worker_main)
}

/// Serves the host until it ends. The `main` function of a worker program calls it.
///
/// A host with pipes makes it run scripts; a host with a socket makes it start programs (see
/// [`process`](crate::process)).
pub fn worker_main() -> ExitCode {
    if let Some(ended) = process::run_as_supervisor() {
        return ended;
    }
    if process::is_launcher() {
        return process::serve();
    }
    serve_scripts()
}

#[cfg(not(feature = "script"))]
fn serve_scripts() -> ExitCode {
    ExitCode::FAILURE
}

#[cfg(feature = "script")]
fn serve_scripts() -> ExitCode {
    limit_this_process();
    let serving = std::thread::Builder::new()
        .name(String::from("script worker"))
        .stack_size(STACK_BYTES)
        .spawn(|| pintle_script::worker::serve(BufReader::new(stdin()), stdout(), &confine_memory));
    match serving.map(std::thread::JoinHandle::join) {
        Ok(Ok(Ok(()))) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
