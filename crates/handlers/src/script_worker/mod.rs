//! Processes that may die: a pool of isolated workers, spoken to in lines.
//!
//! A worker is the program's own binary, or one beside it, that limits itself ([`limit_this_process`]) and answers one
//! message at a time. While it works it may ask back: a line that begins with [`ASK`] is a question, whose answer the
//! host writes as a line; a line that begins with [`ANSWER`] ends the call. Lines hold no newline, which JSON never
//! needs to.
//!
//! A worker that is late, dies or talks nonsense is killed and forgotten; the next call gets a fresh one. Workers are
//! never shared by two calls at once, and none outlives its pool.

mod limits;
mod process;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use pintle_contract::CancelToken;

pub(crate) use limits::confine_memory;
pub use limits::limit_this_process;
use process::ScriptWorkerProcess;

/// The first byte of a line in which a worker asks its host for something.
pub const ASK: u8 = b'?';
/// The first byte of the line in which a worker answers a call.
pub const ANSWER: u8 = b'=';

/// Idle workers kept for the next call. More are started when more calls run at once.
const KEPT: usize = 8;

/// How a worker is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerProgram {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
}

/// The hidden argument that makes the `pintle` program a worker.
pub const WORKER_ARGUMENT: &str = "script-worker";

/// The name of the worker that is built beside programs that are not `pintle`.
const WORKER_NAME: &str = "pintle-script-worker";

impl WorkerProgram {
    /// This very program with the argument [`WORKER_ARGUMENT`]. For programs that know it.
    #[must_use]
    pub fn current_exe() -> Self {
        let program = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("pintle"));
        Self { program, arguments: vec![WORKER_ARGUMENT.to_owned()] }
    }

    /// The program `pintle-script-worker` in the folder of this program or the one above (where test programs find it),
    /// else whichever is on the search path.
    #[must_use]
    pub fn next_to_current_exe() -> Self {
        let name = format!("{WORKER_NAME}{}", std::env::consts::EXE_SUFFIX);
        let folders = std::env::current_exe().ok();
        let beside = folders.iter().flat_map(|exe| exe.ancestors().skip(1).take(2)).map(|folder| folder.join(&name));
        let program = beside.into_iter().find(|path| path.is_file()).unwrap_or_else(|| PathBuf::from(name));
        Self { program, arguments: Vec::new() }
    }
}

/// Why a call of a worker has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkerCallError {
    /// The worker could not be started.
    Start(String),
    /// It did not answer in time and was killed.
    TimedOut,
    /// It died; the text says how, such as `signal 6` or `exit 1`.
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
    /// A pool with no worker yet.
    #[must_use]
    pub fn new(program: WorkerProgram) -> Self {
        Self { program, idle_workers: Mutex::new(Vec::new()) }
    }

    /// Starts a worker ahead of the first call, so that the call need not wait for it. A fault shows at the call.
    pub fn warm_up(&self) {
        if let Ok(worker) = ScriptWorkerProcess::start(&self.program) {
            self.release(worker);
        }
    }

    /// Sends a message and waits for the answer, answering the worker's questions meanwhile.
    ///
    /// `own_time` bounds the time the worker itself takes; time spent in `reply` does not count against it, but the
    /// whole call ends at `whole_time`.
    ///
    /// # Errors
    /// When there is no answer; the worker is gone then.
    pub fn call(
        &self,
        message: &[u8],
        own_time: Duration,
        whole_time: Duration,
        cancel: &CancelToken,
        reply: &mut dyn FnMut(&[u8]) -> Vec<u8>,
    ) -> Result<Vec<u8>, WorkerCallError> {
        let mut worker = self.acquire()?;
        let end = Instant::now() + whole_time;
        let mut left = own_time;
        let mut outgoing = message.to_vec();
        loop {
            let started = Instant::now();
            let deadline = end.min(started + left);
            // A failed exchange drops the worker, which kills and reaps it.
            let line = worker.exchange(&outgoing, deadline, cancel)?;
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
