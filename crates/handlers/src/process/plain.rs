//! Starts programs on a system where Pintle cannot contain them: only those that Pintle itself needs, such as git and the
//! lines that `doctor` tries. Hooks that are programs do not load there.

use std::io::{Read, Write};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use pintle_contract::CancelToken;

use super::{ProcessError, ProcessOutput, ProcessSpec, build_command};
use crate::script_worker::WorkerProgram;

/// The interval between checks whether a program has ended.
const LOOK: Duration = Duration::from_millis(5);

/// Runs a program, and calls the observer once with all its output. A program that exceeds its time is killed with its
/// child processes; those of a program that ended by itself are not.
///
/// # Errors
/// As for [`run`](super::run).
pub fn run_streaming(
    spec: &ProcessSpec,
    cancel: &CancelToken,
    seen: &mut dyn FnMut(&[u8]),
) -> Result<ProcessOutput, ProcessError> {
    let began = Instant::now();
    let deadline = began + Duration::from_millis(spec.timeout_ms);
    let fail = |error| ProcessError::start_error(spec, error);
    let mut command = build_command(spec);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(fail)?;
    if let Some(mut pipe) = child.stdin.take() {
        let bytes = Arc::clone(&spec.stdin);
        // The program need not read its input.
        thread::spawn(move || pipe.write_all(&bytes).is_ok());
    }
    let stdout = OutputReader::start(child.stdout.take(), spec.output_bytes);
    let stderr = OutputReader::start(child.stderr.take(), spec.output_bytes);
    let mut timed_out = false;
    let status = loop {
        if let Some(status) = child.try_wait().map_err(fail)? {
            break Some(status);
        }
        timed_out = Instant::now() >= deadline;
        if timed_out || cancel.is_cancelled() {
            kill_tree(&mut child);
            break None;
        }
        thread::sleep(LOOK);
    };
    if status.is_none() && !timed_out {
        return Err(ProcessError::Cancelled);
    }
    let ((stdout, stdout_cut), (stderr, stderr_cut)) = (stdout.finish(deadline), stderr.finish(deadline));
    seen(&stdout);
    Ok(ProcessOutput {
        stdout,
        stdout_cut,
        stderr,
        stderr_cut,
        exit_code: status.and_then(|status| status.code()),
        signal: None,
        timed_out,
        truncated: stdout_cut || stderr_cut,
        duration_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
    })
}

/// The output of a program, which a thread reads to its end.
struct OutputReader {
    thread: JoinHandle<()>,
    /// The first bytes, and whether there were more.
    kept: Arc<Mutex<(Vec<u8>, bool)>>,
}

impl OutputReader {
    fn start(pipe: Option<impl Read + Send + 'static>, most_bytes: usize) -> Self {
        let kept = Arc::new(Mutex::new((Vec::new(), false)));
        let shared = Arc::clone(&kept);
        let thread = thread::spawn(move || {
            let (Some(mut pipe), mut chunk) = (pipe, [0; 16 << 10]) else { return };
            while let Ok(count) = pipe.read(&mut chunk)
                && let Some(bytes) = chunk.get(..count).filter(|bytes| !bytes.is_empty())
            {
                let (kept, is_cut) = &mut *shared.lock().unwrap_or_else(PoisonError::into_inner);
                let (fitting, rest) = bytes.split_at(bytes.len().min(most_bytes.saturating_sub(kept.len())));
                kept.extend_from_slice(fitting);
                *is_cut |= !rest.is_empty();
            }
        });
        Self { thread, kept }
    }

    /// The output so far, complete if the program and its child processes close it before the deadline.
    fn finish(self, deadline: Instant) -> (Vec<u8>, bool) {
        while !self.thread.is_finished() && Instant::now() < deadline {
            thread::sleep(LOOK);
        }
        std::mem::take(&mut self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Kills a program and its child processes, which Windows has a program for.
fn kill_tree(child: &mut Child) {
    let mut command = Command::new("taskkill");
    command.args(["/T", "/F", "/PID", &child.id().to_string()]);
    let _ = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    // Both fail only if it has already ended.
    let _ = child.kill();
    let _ = child.wait();
}

/// Does nothing: there are no launchers.
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
