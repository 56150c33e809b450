//! Persistent commands: a program that keeps running and answers many calls, with one line of JSON in each direction.
//!
//! The program is the one that would be started for each call, and it reads the same text, as one line. Its output for
//! a call is one line, which counts as the output of a program that ended with code 0. Whenever that fails, the program
//! is started once more for this call alone, and the persistent process is killed: it crashed, printed something other
//! than a single line, or could not be started. So a crash of a persistent guard means the same as with a program per
//! call: a crash never allows anything.
//!
//! - A program that exceeds the time limit is killed. If it has answered before, it has used up the hook's time, and
//!   the call times out. If it has never answered, it may be waiting for the end of its input: then it gets half of the
//!   time, and the program that is started for the call gets the other half.
//! - The line is the output. A program that exits after the line, with any exit code, has answered that call; the exit
//!   code is used only without a line.
//! - One call at a time. A call that finds the program busy does not wait for it; it starts its own program.
//! - A program serves one environment: another working directory or other variables restart it.
//! - A program that crashed without output is restarted only after a pause, which doubles from 100 ms to 30 s until it
//!   answers; meanwhile each call starts its own program.
//! - A line that arrives after the output, before the next call, shows that lines and calls are out of step.

mod backoff;

use std::sync::{Arc, Mutex, TryLockError};
use std::time::{Duration, Instant};

use pintle_contract::{CallLimits, CancelToken, CommandOutput, Failure, FailureKind};

use crate::command::{CommandEnvironment, HookCommand, run_to_end, timeout_failure};
use crate::process::{CancelPipe, RunningProcess};
use backoff::Backoff;

/// The persistent process of one hook, which is killed when this is dropped.
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
    has_answered: bool,
}

/// The reason why a persistent process has no output.
enum PersistentError {
    /// The call has ended as well.
    CallEnded(Failure),
    /// The process failed; a program for this call may work.
    ProgramFailed,
}

impl PersistentProcess {
    pub(crate) fn new(program: Arc<HookCommand>) -> Self {
        Self { program, state: Mutex::default() }
    }

    /// Handles a call.
    ///
    /// # Errors
    /// As for a program that is started for the call.
    pub(crate) fn call_process(
        &self,
        environment: &CommandEnvironment,
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
            && let Some(kept) = state.ensure_process(&self.program, environment, limits, began)
        {
            match kept.exchange_line(&line, limits, cancel, began) {
                Ok(answer) => {
                    state.backoff.record_success();
                    return Ok(answer);
                }
                Err(trouble) => {
                    // Dropping it kills it and its child processes.
                    state.live_process = None;
                    state.backoff.record_failure(Instant::now());
                    if let PersistentError::CallEnded(failure) = trouble {
                        return Err(failure);
                    }
                }
            }
        }
        drop(state);
        let mut spec = self.program.process_spec(environment, line, limits);
        let spent = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        spec.timeout_ms = limits.timeout_ms.saturating_sub(spent);
        run_to_end(&spec, limits, cancel)
    }
}

impl PersistentState {
    /// The process for an environment: the running one, or a new one if a restart is allowed.
    fn ensure_process(
        &mut self,
        program: &HookCommand,
        environment: &CommandEnvironment,
        limits: &CallLimits,
        now: Instant,
    ) -> Option<&mut LiveProcess> {
        if self.live_process.as_mut().is_some_and(|kept| kept.environment != *environment || !kept.is_idle()) {
            self.live_process = None;
        }
        if self.live_process.is_none() && self.backoff.may_retry(now) {
            match RunningProcess::spawn_with_stdin(&program.process_spec(environment, Arc::default(), limits)) {
                Ok(started) => {
                    self.live_process =
                        Some(LiveProcess { process: started, environment: environment.clone(), has_answered: false })
                }
                Err(_) => self.backoff.record_failure(now),
            }
        }
        self.live_process.as_mut()
    }
}

impl LiveProcess {
    /// Whether it runs and has not printed anything unexpected.
    fn is_idle(&mut self) -> bool {
        let ended = self.process.wait(Duration::ZERO, None);
        matches!(ended, Ok(None)) && self.process.pipes_mut().printed_bytes().is_empty()
    }

    fn exchange_line(
        &mut self,
        line: &Arc<[u8]>,
        limits: &CallLimits,
        cancel: &CancelToken,
        began: Instant,
    ) -> Result<CommandOutput, PersistentError> {
        // Error output between two calls does not belong to either.
        self.process.pipes_mut().take_outputs();
        self.process.pipes_mut().feed_input(Arc::clone(line));
        let whole = Duration::from_millis(limits.timeout_ms);
        let allowed = if self.has_answered { whole } else { whole / 2 };
        let cancelled = CancelPipe::new(cancel).map_err(|_| PersistentError::ProgramFailed)?;
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
            // A program that exits is not persistent, whatever it printed last: its exit code may mean something else.
            if !matches!(self.process.wait(cancel.limit_wait(left), Some(&cancelled)), Ok(None)) {
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
        // A truncated line is not the line that was printed.
        if stdout_cut {
            return Err(PersistentError::ProgramFailed);
        }
        self.has_answered = true;
        Ok(CommandOutput { exit_code: Some(0), signal: None, stdout, stdout_cut, stderr, stderr_cut })
    }
}
