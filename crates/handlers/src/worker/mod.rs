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

use crate::command::{Place, Program, late, run};
use crate::process::Started;
use backoff::Backoff;

/// The kept process of one hook. It ends with this.
#[derive(Debug)]
pub(crate) struct Worker {
    program: Arc<Program>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    kept: Option<Kept>,
    backoff: Backoff,
}

#[derive(Debug)]
struct Kept {
    started: Started,
    place: Place,
    /// Whether it has ever answered.
    proven: bool,
}

/// Why a kept program has no answer.
enum Trouble {
    /// The call is over too.
    Over(Failure),
    /// The program is no good; starting one for the call may be.
    Broken,
}

impl Worker {
    pub(crate) fn new(program: Arc<Program>) -> Self {
        Self { program, state: Mutex::default() }
    }

    /// Answers a call.
    ///
    /// # Errors
    /// As for a program that is started for the call.
    pub(crate) fn answer(
        &self,
        place: &Place,
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
            && let Some(kept) = state.ready(&self.program, place, limits, began)
        {
            match kept.ask(&line, limits, cancel, began) {
                Ok(answer) => {
                    state.backoff.worked();
                    return Ok(answer);
                }
                Err(trouble) => {
                    // Dropping it kills it and what it started.
                    state.kept = None;
                    state.backoff.failed(Instant::now());
                    if let Trouble::Over(failure) = trouble {
                        return Err(failure);
                    }
                }
            }
        }
        drop(state);
        let mut spec = self.program.spec(place, line, limits);
        let spent = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        spec.timeout_ms = limits.timeout_ms.saturating_sub(spent);
        run(&spec, limits, cancel)
    }
}

impl State {
    /// The process for a place: the one that runs there, or a new one when it is time for that.
    fn ready(&mut self, program: &Program, place: &Place, limits: &CallLimits, now: Instant) -> Option<&mut Kept> {
        if self.kept.as_mut().is_some_and(|kept| kept.place != *place || !kept.is_quiet()) {
            self.kept = None;
        }
        if self.kept.is_none() && self.backoff.allows(now) {
            match Started::open(&program.spec(place, Arc::default(), limits)) {
                Ok(started) => self.kept = Some(Kept { started, place: place.clone(), proven: false }),
                Err(_) => self.backoff.failed(now),
            }
        }
        self.kept.as_mut()
    }
}

impl Kept {
    /// Whether it lives and has printed nothing that nobody asked for.
    fn is_quiet(&mut self) -> bool {
        let ended = self.started.wait(Duration::ZERO);
        matches!(ended, Ok(None)) && self.started.pipes().printed().is_empty()
    }

    fn ask(
        &mut self,
        line: &Arc<[u8]>,
        limits: &CallLimits,
        cancel: &CancelToken,
        began: Instant,
    ) -> Result<CommandOutput, Trouble> {
        // What it complained between two calls belongs to none.
        self.started.pipes().take_outputs();
        self.started.pipes().feed(Arc::clone(line));
        let whole = Duration::from_millis(limits.timeout_ms);
        let allowed = if self.proven { whole } else { whole / 2 };
        loop {
            if cancel.is_cancelled() {
                return Err(Trouble::Over(Failure::new(FailureKind::Cancelled, "the call was cancelled")));
            }
            let left = allowed.saturating_sub(began.elapsed());
            if left.is_zero() {
                return Err(if self.proven { Trouble::Over(late(limits)) } else { Trouble::Broken });
            }
            // One that ends is no kept program, whatever it printed last: its exit code may say otherwise.
            if !matches!(self.started.wait(left), Ok(None)) {
                return Err(Trouble::Broken);
            }
            let printed = self.started.pipes().printed();
            match printed.iter().position(|byte| *byte == b'\n') {
                Some(end) if end + 1 == printed.len() => return self.taken(),
                Some(_) => return Err(Trouble::Broken),
                None if printed.len() as u64 >= limits.output_bytes => return Err(Trouble::Broken),
                None => {}
            }
        }
    }

    fn taken(&mut self) -> Result<CommandOutput, Trouble> {
        let [(stdout, stdout_cut), (stderr, stderr_cut)] = self.started.pipes().take_outputs();
        // A line that was cut is not the line that was printed.
        if stdout_cut {
            return Err(Trouble::Broken);
        }
        self.proven = true;
        Ok(CommandOutput { exit_code: Some(0), signal: None, stdout, stdout_cut, stderr, stderr_cut })
    }
}
