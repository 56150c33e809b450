//! One worker process and the exchange of lines with it.

use std::process::{Child, ExitStatus, Stdio};
use std::time::Duration;

use super::pipes::WorkerPipes;
use super::pool::WorkerLimit;
use super::{WorkerCallError, WorkerProgram};

/// The longest line that a worker may send.
const MAX_LINE_BYTES: usize = 64 << 20;

/// A running worker. Dropping it kills and reaps it.
#[derive(Debug)]
pub(super) struct ScriptWorkerProcess {
    child: Child,
    pipes: WorkerPipes,
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
        let pipes = WorkerPipes::new(input, output).map_err(|error| failed(&error))?;
        Ok(Self { child, pipes, pending: Vec::new() })
    }

    pub(super) fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Writes one line and reads one.
    pub(super) fn exchange(&mut self, message: &[u8], limit: &WorkerLimit<'_>) -> Result<Vec<u8>, WorkerCallError> {
        for bytes in [message, b"\n"] {
            if !self.pipes.write(bytes, limit)? {
                return Err(self.exit_error());
            }
        }
        self.read_line(limit)
    }

    fn read_line(&mut self, limit: &WorkerLimit<'_>) -> Result<Vec<u8>, WorkerCallError> {
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
            if !self.pipes.read(&mut self.pending, limit)? {
                return Err(self.exit_error());
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
        // Both fail only if it has already ended.
        super::pipes::kill_worker(&mut self.child);
        let _ = self.child.wait();
    }
}

fn describe_status(status: ExitStatus) -> String {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal = None::<i32>;
    match (status.code(), signal) {
        (Some(code), _) => format!("exit {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => String::from("an unknown exit status"),
    }
}
