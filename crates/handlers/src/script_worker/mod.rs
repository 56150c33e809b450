//! A pool of script workers: processes that may crash, with a line protocol.
//!
//! A worker is the program's own binary, or one next to it, that limits itself ([`limit_this_process`]) and answers one
//! message at a time. Meanwhile it may send requests: a line that starts with [`ASK`] is a request, to which the host
//! replies with a line; a line that starts with [`ANSWER`] ends the call. Lines contain no newline, which JSON never
//! needs.
//!
//! A worker that times out, crashes or sends an invalid line is killed and removed; the next call gets a new one. Two
//! calls never share a worker, and no worker outlives its pool.

mod limits;
mod process;
#[cfg(test)]
mod tests;

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use pintle_contract::CancelToken;

use crate::process::CancelPipe;
pub(crate) use limits::confine_memory;
pub use limits::limit_this_process;
use process::{ScriptWorkerProcess, WorkerLimit};

/// The first byte of a line with a worker's request.
pub const ASK: u8 = b'?';
/// The first byte of a line with a worker's answer to a call.
pub const ANSWER: u8 = b'=';

/// The number of idle workers that are kept. More are started for concurrent calls.
const KEPT: usize = 8;

/// The way to start a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerProgram {
    /// The program.
    pub program: PathBuf,
    /// The arguments.
    pub arguments: Vec<String>,
}

/// The hidden argument that makes the `pintle` program a worker.
pub const WORKER_ARGUMENT: &str = "script-worker";

/// The name of the worker for programs other than `pintle`.
const WORKER_NAME: &str = "pintle-script-worker";

/// Whether this program serves as a worker when it gets [`WORKER_ARGUMENT`].
static SERVES: AtomicBool = AtomicBool::new(false);

/// Makes [`WorkerProgram::find`] return this program.
pub(crate) fn announce_worker() {
    SERVES.store(true, Ordering::Relaxed);
}

impl WorkerProgram {
    /// The command that starts it, in its own process group and with exactly these variables. It still needs its standard
    /// input and output.
    pub(crate) fn command(&self, variables: Vec<(String, String)>) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).env_clear().envs(variables);
        // An error must not cost a backtrace each.
        command.env("RUST_BACKTRACE", "0").stderr(Stdio::null()).process_group(0);
        command
    }

    /// This program if it serves as a worker, otherwise [`WorkerProgram::next_to_current_exe`].
    #[must_use]
    pub fn find() -> Self {
        if SERVES.load(Ordering::Relaxed) { Self::current_exe() } else { Self::next_to_current_exe() }
    }

    /// This program with the argument [`WORKER_ARGUMENT`], for programs that support it.
    #[must_use]
    pub fn current_exe() -> Self {
        let program = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("pintle"));
        Self { program, arguments: vec![WORKER_ARGUMENT.to_owned()] }
    }

    /// The program `pintle-script-worker` in the directory of this program or its parent (where test programs find it),
    /// otherwise the one on the search path.
    #[must_use]
    pub fn next_to_current_exe() -> Self {
        let name = format!("{WORKER_NAME}{}", std::env::consts::EXE_SUFFIX);
        let folders = std::env::current_exe().ok();
        let beside = folders.iter().flat_map(|exe| exe.ancestors().skip(1).take(2)).map(|dir| dir.join(&name));
        let program = beside.into_iter().find(|path| path.is_file()).unwrap_or_else(|| PathBuf::from(name));
        Self { program, arguments: Vec::new() }
    }
}

/// The reason why a call of a worker has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkerCallError {
    /// The worker could not be started.
    Start(String),
    /// It exceeded the time limit and was killed.
    TimedOut,
    /// It crashed; the text is the cause, such as `signal 6` or `exit 1`.
    Crashed(String),
    /// The host cancelled the call; the worker was killed.
    Cancelled,
}

/// A pool of workers of one program.
#[derive(Debug)]
pub struct ScriptWorkerPool {
    program: WorkerProgram,
    idle_workers: Mutex<Vec<ScriptWorkerProcess>>,
}

impl ScriptWorkerPool {
    /// A pool without workers.
    #[must_use]
    pub fn new(program: WorkerProgram) -> Self {
        Self { program, idle_workers: Mutex::new(Vec::new()) }
    }

    /// Starts a worker before the first call, so that the call need not wait for it. An error is reported at the call.
    pub fn warm_up(&self) {
        if let Ok(worker) = ScriptWorkerProcess::start(&self.program) {
            self.release(worker);
        }
    }

    /// Sends a message and waits for the answer, replying to the worker's requests meanwhile.
    ///
    /// `own_time` limits the time of the worker itself; time spent in `reply` is not included, but the whole call ends
    /// at `whole_time`.
    ///
    /// # Errors
    /// When the worker did not answer; it has ended then.
    pub fn call(
        &self,
        message: &[u8],
        own_time: Duration,
        whole_time: Duration,
        cancel: &CancelToken,
        reply: &mut dyn FnMut(&[u8]) -> Vec<u8>,
    ) -> Result<Vec<u8>, WorkerCallError> {
        let mut worker = self.acquire()?;
        let cancelled = CancelPipe::new(cancel)
            .map_err(|error| WorkerCallError::Start(format!("cannot wait for the script worker: {error}")))?;
        let end = Instant::now() + whole_time;
        let mut left = own_time;
        let mut outgoing = message.to_vec();
        loop {
            let started = Instant::now();
            let deadline = end.min(started + left);
            // A failed exchange drops the worker, which kills and reaps it.
            let line = worker.exchange(&outgoing, &WorkerLimit { deadline, cancel, cancelled: &cancelled })?;
            left = left.saturating_sub(started.elapsed());
            match line.split_first() {
                Some((&ANSWER, answer)) => {
                    let answer = answer.to_vec();
                    self.release(worker);
                    return Ok(answer);
                }
                Some((&ASK, question)) => outgoing = reply(question),
                _ => {
                    return Err(WorkerCallError::Crashed(String::from("a line that is neither a request nor a reply")));
                }
            }
            if Instant::now() >= end {
                return Err(WorkerCallError::TimedOut);
            }
        }
    }

    fn acquire(&self) -> Result<ScriptWorkerProcess, WorkerCallError> {
        let known = self.idle_workers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(mut worker) = known
            && worker.is_alive()
        {
            return Ok(worker);
        }
        ScriptWorkerProcess::start(&self.program)
    }

    fn release(&self, worker: ScriptWorkerProcess) {
        let mut idle = self.idle_workers.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < KEPT {
            idle.push(worker);
        }
    }
}
