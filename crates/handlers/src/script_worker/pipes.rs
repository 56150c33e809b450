//! The pipes of a worker, whose host never waits past the deadline of a call.

use std::io::{self, ErrorKind, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout};

use rustix::event::{PollFd, PollFlags};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Pid, Signal, kill_process_group};

use super::pool::{WorkerCallError, WorkerLimit};
pub(super) use crate::process::CancelPipe;
use crate::process::poll_fds;

#[derive(Debug)]
pub(super) struct WorkerPipes {
    input: ChildStdin,
    output: ChildStdout,
}

impl WorkerPipes {
    pub(super) fn new(input: ChildStdin, output: ChildStdout) -> io::Result<Self> {
        // A worker that does not read must not block its host past the deadline.
        let flags = fcntl_getfl(&input)?;
        fcntl_setfl(&input, flags | OFlags::NONBLOCK)?;
        Ok(Self { input, output })
    }

    /// Writes bytes; `false` if the worker has closed its input.
    pub(super) fn write(&mut self, mut bytes: &[u8], limit: &WorkerLimit<'_>) -> Result<bool, WorkerCallError> {
        while !bytes.is_empty() {
            match self.input.write(bytes) {
                Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    wait_for(PollFd::new(&self.input, PollFlags::OUT), limit)?;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Adds what the worker has written; `false` if it has closed its output.
    pub(super) fn read(&mut self, pending: &mut Vec<u8>, limit: &WorkerLimit<'_>) -> Result<bool, WorkerCallError> {
        wait_for(PollFd::new(&self.output, PollFlags::IN), limit)?;
        let mut chunk = [0; 16 << 10];
        match self.output.read(&mut chunk) {
            Ok(0) => return Ok(false),
            Ok(count) => pending.extend_from_slice(chunk.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return Ok(false),
        }
        Ok(true)
    }
}

/// Kills a worker and its process group: no descendant outlives a worker.
pub(super) fn kill_worker(child: &mut Child) {
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

/// Waits until a pipe is ready.
fn wait_for(pipe: PollFd<'_>, limit: &WorkerLimit<'_>) -> Result<(), WorkerCallError> {
    let mut pipes = [pipe, PollFd::new(limit.cancelled, PollFlags::IN)];
    loop {
        let left = limit.time_left()?;
        poll_fds(&mut pipes, limit.cancel.limit_wait(left))
            .map_err(|error| WorkerCallError::Crashed(format!("its pipe failed: {error}")))?;
        let [pipe, _] = &pipes;
        if !pipe.revents().is_empty() {
            return Ok(());
        }
    }
}
