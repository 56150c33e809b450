//! One worker process with its two pipes.

use std::io::{ErrorKind, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use pintle_contract::CancelToken;
use rustix::event::{PollFd, PollFlags};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Pid, Signal, kill_process_group};

use super::{WorkerCallError, WorkerProgram};
use crate::process::{CancelPipe, poll_fds};

/// The longest line that a worker may send.
const MAX_LINE_BYTES: usize = 64 << 20;

/// A running worker. Dropping it kills and reaps it.
#[derive(Debug)]
pub(super) struct ScriptWorkerProcess {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
    /// Bytes after the last line.
    pending: Vec<u8>,
}

impl ScriptWorkerProcess {
    pub(super) fn start(program: &WorkerProgram) -> Result<Self, WorkerCallError> {
        let failed = |error: &dyn std::fmt::Display| {
            WorkerCallError::Start(format!("cannot start the script worker `{}`: {error}", program.program.display()))
        };
        let mut command = program.command(Vec::new());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| failed(&error))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed(&"no pipes"));
        };
        // A worker that does not read must not block its host past the deadline.
        let flags = fcntl_getfl(&input).map_err(|error| failed(&error))?;
        fcntl_setfl(&input, flags | OFlags::NONBLOCK).map_err(|error| failed(&error))?;
        Ok(Self { child, input, output, pending: Vec::new() })
    }

    pub(super) fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Writes one line and reads one.
    pub(super) fn exchange(&mut self, message: &[u8], limit: &WorkerLimit<'_>) -> Result<Vec<u8>, WorkerCallError> {
        self.write(message, limit)?;
        self.write(b"\n", limit)?;
        self.read_line(limit)
    }

    fn write(&mut self, mut bytes: &[u8], limit: &WorkerLimit<'_>) -> Result<(), WorkerCallError> {
        while !bytes.is_empty() {
            match self.input.write(bytes) {
                Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    limit.wait_for(PollFd::new(&self.input, PollFlags::OUT))?;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(self.exit_error()),
            }
        }
        Ok(())
    }

    fn read_line(&mut self, limit: &WorkerLimit<'_>) -> Result<Vec<u8>, WorkerCallError> {
        let mut chunk = [0; 16 << 10];
        let mut searched = 0;
        loop {
            let fresh = self.pending.get(searched..).unwrap_or_default();
            if let Some(index) = fresh.iter().position(|byte| *byte == b'\n') {
                let rest = self.pending.split_off(searched + index + 1);
                let mut line = std::mem::replace(&mut self.pending, rest);
                line.pop();
                return Ok(line);
            }
            searched = self.pending.len();
            if searched > MAX_LINE_BYTES {
                return Err(WorkerCallError::Crashed(format!("more than {MAX_LINE_BYTES} bytes in one line")));
            }
            limit.wait_for(PollFd::new(&self.output, PollFlags::IN))?;
            match self.output.read(&mut chunk) {
                Ok(0) => return Err(self.exit_error()),
                Ok(count) => self.pending.extend_from_slice(chunk.get(..count).unwrap_or_default()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(self.exit_error()),
            }
        }
    }

    /// The error of a worker whose pipe is closed. The process may end shortly after its pipe.
    fn exit_error(&mut self) -> WorkerCallError {
        for _ in 0..50 {
            match self.child.try_wait() {
                Ok(Some(status)) => return WorkerCallError::Crashed(describe_status(status)),
                Ok(None) => std::thread::sleep(Duration::from_millis(2)),
                Err(_) => break,
            }
        }
        WorkerCallError::Crashed(String::from("it closed its output"))
    }
}

impl Drop for ScriptWorkerProcess {
    fn drop(&mut self) {
        // Both fail only if it has already ended. Its process group is killed too: no descendant outlives a worker.
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.wait();
    }
}

fn describe_status(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => String::from("an unknown exit status"),
    }
}

/// What ends the wait for a worker.
pub(super) struct WorkerLimit<'a> {
    pub(super) deadline: Instant,
    pub(super) cancel: &'a CancelToken,
    pub(super) cancelled: &'a CancelPipe,
}

impl WorkerLimit<'_> {
    /// Waits until a pipe is ready.
    fn wait_for(&self, pipe: PollFd<'_>) -> Result<(), WorkerCallError> {
        let mut pipes = [pipe, PollFd::new(self.cancelled, PollFlags::IN)];
        loop {
            if self.cancel.is_cancelled() {
                return Err(WorkerCallError::Cancelled);
            }
            let left = self.deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(WorkerCallError::TimedOut);
            }
            poll_fds(&mut pipes, self.cancel.limit_wait(left))
                .map_err(|error| WorkerCallError::Crashed(format!("its pipe failed: {error}")))?;
            let [pipe, _] = &pipes;
            if !pipe.revents().is_empty() {
                return Ok(());
            }
        }
    }
}
