//! The program of a script worker.

use std::io::{BufReader, stdin, stdout};
use std::process::ExitCode;

use crate::process;
use crate::script_worker::{confine_memory, limit_this_process};

/// The stack of the serving thread. Only touched pages use memory.
const STACK_BYTES: usize = 256 << 20;

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
