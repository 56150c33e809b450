//! Asking the person at the terminal.

use std::io::{self, IsTerminal};
use std::sync::{Mutex, PoisonError};

use pintle::tape::show::{Tone, plain};
use pintle::{Question, Resolution, Resolver};

use super::input::{Input, Typed};
use crate::render::tone;
use crate::terminal::Terminal;

/// Whether there is somebody to ask: someone who can type and sees what is asked.
pub(super) fn is_there() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// The person at the terminal. Questions are asked one at a time.
#[derive(Debug)]
pub(super) struct Person {
    terminal: Terminal,
    input: Input,
    turn: Mutex<()>,
}

impl Person {
    pub(super) fn new(terminal: Terminal, input: Input) -> Self {
        Self { terminal, input, turn: Mutex::new(()) }
    }
}

impl Resolver for Person {
    /// Shows the exact payload that a yes lets through. Anything but a clear yes is a no.
    fn resolve(&self, question: &Question<'_>) -> Resolution {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        self.terminal.err("");
        for reason in question.reasons {
            let text = format!("{}: {}", plain(reason.hook.as_str(), 80), plain(&reason.text, 2_000));
            self.terminal.err(tone::labelled(Tone::Warn, "ask", text));
        }
        self.terminal.err(format!("{}, with exactly this payload:", question.event.name));
        let payload = question.event.payload.value();
        for line in serde_json::to_string_pretty(payload).unwrap_or_default().lines() {
            self.terminal.err(plain(line, usize::MAX));
        }
        self.terminal.err("allow? type `y` for yes, anything else is no:");
        let by = String::from("the person at the terminal");
        match self.input.line() {
            Ok(Typed::Line(line)) if matches!(line.trim(), "y" | "Y" | "yes") => Resolution::Approved { by },
            _ => Resolution::Refused { by },
        }
    }
}
