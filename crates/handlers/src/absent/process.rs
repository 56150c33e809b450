//! What stands for starting programs on a system where Pintle cannot contain them: nothing is started.

use std::io;
use std::process::ExitCode;

use pintle_contract::CancelToken;

use super::{ProcessError, ProcessOutput, ProcessSpec};
use crate::script_worker::WorkerProgram;

/// Starts nothing.
///
/// # Errors
/// Always: [`ProcessError::Start`].
pub fn run_streaming(
    spec: &ProcessSpec,
    _cancel: &CancelToken,
    _seen: &mut dyn FnMut(&[u8]),
) -> Result<ProcessOutput, ProcessError> {
    let error = io::Error::new(io::ErrorKind::Unsupported, "Pintle does not start programs on this system yet");
    Err(ProcessError::start_error(spec, error))
}

/// Does nothing: programs are not started.
pub fn enable_launchers(_program: &WorkerProgram) {}

/// Other programs cannot read this process's first environment from a file.
pub fn hide_secrets() {}

pub(crate) fn run_as_supervisor() -> Option<ExitCode> {
    None
}

pub(crate) fn is_launcher() -> bool {
    false
}

pub(crate) fn serve() -> ExitCode {
    ExitCode::FAILURE
}
