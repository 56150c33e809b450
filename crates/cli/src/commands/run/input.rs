//! What the person types.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// What came of asking for a line.
#[derive(Debug)]
pub(super) enum Typed {
    /// A line, with its end.
    Line(String),
    /// The person has closed the input.
    End,
    /// The person pressed Ctrl-C instead.
    Interrupted,
}

/// Standard input, read on a thread of its own, so that a Ctrl-C can end the wait for a line. Clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct Input(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// A thread waits for a line. It goes on doing so after an interruption: the next line answers the next question.
    is_reading: bool,
    line: Option<io::Result<String>>,
    is_waited_for: bool,
    is_interrupted: bool,
}

impl Input {
    /// Waits for a line.
    pub(super) fn line(&self) -> io::Result<Typed> {
        let mut state = self.state();
        if !state.is_reading && state.line.is_none() {
            let shared = self.clone();
            thread::Builder::new().name(String::from("input")).spawn(move || shared.read())?;
            state.is_reading = true;
        }
        state.is_waited_for = true;
        state.is_interrupted = false;
        let is_waiting = |state: &mut State| state.line.is_none() && !state.is_interrupted;
        let mut state = self.0.changed.wait_while(state, is_waiting).unwrap_or_else(PoisonError::into_inner);
        state.is_waited_for = false;
        match state.line.take() {
            None => Ok(Typed::Interrupted),
            Some(Err(fault)) => Err(fault),
            Some(Ok(line)) if line.is_empty() => Ok(Typed::End),
            Some(Ok(line)) => Ok(Typed::Line(line)),
        }
    }

    /// Ends the wait for a line, and tells whether somebody waited.
    pub(super) fn interrupt(&self) -> bool {
        let mut state = self.state();
        state.is_interrupted = true;
        self.0.changed.notify_all();
        state.is_waited_for
    }

    fn read(&self) {
        let mut line = String::new();
        let read = io::stdin().read_line(&mut line);
        let mut state = self.state();
        state.is_reading = false;
        state.line = Some(read.map(|_| line));
        self.0.changed.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
