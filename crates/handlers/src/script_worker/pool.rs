//! The pool, and a call of one of its workers.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use pintle_contract::CancelToken;

use super::pipes::CancelPipe;
use super::process::ScriptWorkerProcess;
use super::{ANSWER, ASK, WorkerProgram};

/// The number of idle workers that are kept. More are started for concurrent calls.
const KEPT: usize = 8;

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

/// What ends the wait for a worker.
pub(super) struct WorkerLimit<'a> {
    pub(super) deadline: Instant,
    pub(super) cancel: &'a CancelToken,
    pub(super) cancelled: &'a CancelPipe,
}

impl WorkerLimit<'_> {
    /// The time until the deadline, unless the call is over.
    pub(super) fn time_left(&self) -> Result<Duration, WorkerCallError> {
        if self.cancel.is_cancelled() {
            return Err(WorkerCallError::Cancelled);
        }
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(WorkerCallError::TimedOut) } else { Ok(left) }
    }
}
