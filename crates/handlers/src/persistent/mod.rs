//! A program that is kept and answers many calls: a line of JSON each way.
//!
//! The program is the one that would be started for each call, and it reads the same text, as one line. What it prints
//! for a call is one line, which counts as the output of a program that ended with code 0. Whenever that does not work
//! out, the call is answered by starting the program once more, for this call alone, and the kept one is killed: it died,
//! it printed something that is no single line, it could not be started. So a kept guard that crashes means what the
//! same guard would mean that is started for each call: nothing is allowed by a crash.
//!
//! - A program that does not answer in time is killed. One that has answered before has used up the hook's time, and the
//!   call fails as late. One that has never answered may be a program that waits for the end of its input: it gets half
//!   of the time, and the one that is started for the call gets the other half.
//! - The line is the answer. A program that ends after it, whatever its exit code, has answered that call; an exit code
//!   counts where there is no line.
//! - One call at a time. A call that finds the program at work does not wait for it; it starts one of its own.
//! - A program serves one place: another working directory or environment restarts it.
//! - One that died without an answer is started again only after a pause, which doubles from 100 ms to 30 s until it
//!   answers; meanwhile each call starts its own.
//! - A line that comes after the answer, before the next call, shows that lines and calls are out of step.

mod backoff;

use std::sync::{Arc, Mutex, TryLockError};
use std::time::{Duration, Instant};

use pintle_contract::{CallLimits, CancelToken, CommandOutput, Failure, FailureKind};

use crate::command::{CommandEnvironment, HookCommand, run_to_end, timeout_failure};
use crate::process::RunningProcess;
use backoff::Backoff;

/// The kept process of one hook. It ends with this.
#[derive(Debug)]
pub(crate) struct PersistentProcess {
    program: Arc<HookCommand>,
    state: Mutex<PersistentState>,
}

#[derive(Debug, Default)]
struct PersistentState {
    live_process: Option<LiveProcess>,
    backoff: Backoff,
}

#[derive(Debug)]
struct LiveProcess {
    process: RunningProcess,
    environment: CommandEnvironment,
    /// Whether it has ever answered.
    has_answered: bool,
}

/// Why a kept program has no answer.
enum PersistentError {
    /// The call is over too.
    CallEnded(Failure),
    /// The program is no good; starting one for the call may be.
    ProgramFailed,
}

impl PersistentProcess {
    pub(crate) fn new(program: Arc<HookCommand>) -> Self {
        Self { program, state: Mutex::default() }
    }

    /// Answers a call.
    ///
    /// # Errors
    /// As for a program that is started for the call.
    pub(crate) fn call_process(
        &self,
        place: &CommandEnvironment,
        line: Arc<[u8]>,
        limits: &CallLimits,
        cancel: &CancelToken,
    ) -> Result<CommandOutput, Failure> {
        let began = Instant::now();
        let mut state = match self.state.try_lock() {
            Ok(state) => Some(state),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        };
        if let Some(state) = &mut state
            && let Some(kept) = state.ensure_process(&self.program, place, limits, began)
        {
            match kept.exchange_line(&line, limits, cancel, began) {
                Ok(answer) => {
                    state.backoff.record_success();
                    return Ok(answer);
                }
                Err(trouble) => {
                    // Dropping it kills it and what it started.
                    state.live_process = None;
                    state.backoff.record_failure(Instant::now());
                    if let PersistentError::CallEnded(failure) = trouble {
                        return Err(failure);
                    }
                }
            }
        }
        drop(state);
        let mut spec = self.program.process_spec(place, line, limits);
        let spent = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        spec.timeout_ms = limits.timeout_ms.saturating_sub(spent);
        run_to_end(&spec, limits, cancel)
    }
}

impl PersistentState {
    /// The process for a place: the one that runs there, or a new one when it is time for that.
    fn ensure_process(
        &mut self,
        program: &HookCommand,
        place: &CommandEnvironment,
        limits: &CallLimits,
        now: Instant,
    ) -> Option<&mut LiveProcess> {
        if self.live_process.as_mut().is_some_and(|kept| kept.environment != *place || !kept.is_idle()) {
            self.live_process = None;
        }
        if self.live_process.is_none() && self.backoff.may_retry(now) {
            match RunningProcess::spawn_with_stdin(&program.process_spec(place, Arc::default(), limits)) {
                Ok(started) => {
                    self.live_process =
                        Some(LiveProcess { process: started, environment: place.clone(), has_answered: false })
                }
                Err(_) => self.backoff.record_failure(now),
            }
        }
        self.live_process.as_mut()
    }
}

impl LiveProcess {
    /// Whether it lives and has printed nothing that nobody asked for.
    fn is_idle(&mut self) -> bool {
        let ended = self.process.wait(Duration::ZERO);
        matches!(ended, Ok(None)) && self.process.pipes_mut().printed_bytes().is_empty()
    }

    fn exchange_line(
        &mut self,
        line: &Arc<[u8]>,
        limits: &CallLimits,
        cancel: &CancelToken,
        began: Instant,
    ) -> Result<CommandOutput, PersistentError> {
        // What it complained between two calls belongs to none.
        self.process.pipes_mut().take_outputs();
        self.process.pipes_mut().feed_input(Arc::clone(line));
        let whole = Duration::from_millis(limits.timeout_ms);
        let allowed = if self.has_answered { whole } else { whole / 2 };
        loop {
            if cancel.is_cancelled() {
                return Err(PersistentError::CallEnded(Failure::new(FailureKind::Cancelled, "the call was cancelled")));
            }
            let left = allowed.saturating_sub(began.elapsed());
            if left.is_zero() {
                return Err(if self.has_answered {
                    PersistentError::CallEnded(timeout_failure(limits))
                } else {
                    PersistentError::ProgramFailed
                });
            }
            // One that ends is no kept program, whatever it printed last: its exit code may say otherwise.
            if !matches!(self.process.wait(left), Ok(None)) {
                return Err(PersistentError::ProgramFailed);
            }
            let printed = self.process.pipes_mut().printed_bytes();
            match printed.iter().position(|byte| *byte == b'\n') {
                Some(end) if end + 1 == printed.len() => return self.take_answer(),
                Some(_) => return Err(PersistentError::ProgramFailed),
                None if printed.len() as u64 >= limits.output_bytes => return Err(PersistentError::ProgramFailed),
                None => {}
            }
        }
    }

    fn take_answer(&mut self) -> Result<CommandOutput, PersistentError> {
        let [(stdout, stdout_cut), (stderr, stderr_cut)] = self.process.pipes_mut().take_outputs();
        // A line that was cut is not the line that was printed.
        if stdout_cut {
            return Err(PersistentError::ProgramFailed);
        }
        self.has_answered = true;
        Ok(CommandOutput { exit_code: Some(0), signal: None, stdout, stdout_cut, stderr, stderr_cut })
    }
}
