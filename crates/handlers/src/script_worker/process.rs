//! One worker process with its two pipes.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use pintle_contract::CancelToken;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Pid, Signal, kill_process_group};

use super::{WorkerCallError, WorkerProgram};

/// The longest wait before the next check for cancellation.
const LOOK_EVERY: Duration = Duration::from_millis(20);

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
        let mut child = Command::new(&program.program)
            .args(&program.arguments)
            .env_clear()
            // Script errors must not cost a backtrace each, and a worker gets no other variables.
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(|error| failed(&error))?;
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
    pub(super) fn exchange(
        &mut self,
        message: &[u8],
        deadline: Instant,
        cancel: &CancelToken,
    ) -> Result<Vec<u8>, WorkerCallError> {
        self.write(message, deadline, cancel)?;
        self.write(b"\n", deadline, cancel)?;
        self.read_line(deadline, cancel)
    }

    fn write(&mut self, mut bytes: &[u8], deadline: Instant, cancel: &CancelToken) -> Result<(), WorkerCallError> {
        while !bytes.is_empty() {
            match self.input.write(bytes) {
                Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    wait_for_pipe(PollFd::new(&self.input, PollFlags::OUT), deadline, cancel)?;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(self.exit_error()),
            }
        }
        Ok(())
    }

    fn read_line(&mut self, deadline: Instant, cancel: &CancelToken) -> Result<Vec<u8>, WorkerCallError> {
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
            wait_for_pipe(PollFd::new(&self.output, PollFlags::IN), deadline, cancel)?;
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

/// Waits until a pipe is ready.
fn wait_for_pipe(pipe: PollFd<'_>, deadline: Instant, cancel: &CancelToken) -> Result<(), WorkerCallError> {
    let mut pipes = [pipe];
    loop {
        if cancel.is_cancelled() {
            return Err(WorkerCallError::Cancelled);
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(WorkerCallError::TimedOut);
        }
        match poll(&mut pipes, Some(&to_timespec(left.min(LOOK_EVERY)))) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) => return Ok(()),
            Err(error) => return Err(WorkerCallError::Crashed(format!("its pipe failed: {error}"))),
        }
    }
}

fn to_timespec(duration: Duration) -> Timespec {
    // Waits here are far shorter than 2^63 seconds.
    Timespec { tv_sec: duration.as_secs().cast_signed(), tv_nsec: i64::from(duration.subsec_nanos()) }
}
