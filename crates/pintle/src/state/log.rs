//! Log lines of scripts, on their way into `turn.end`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use pintle_contract::LogLevel;
use serde::Serialize;

/// One line that a script logged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LogLine {
    /// How urgent.
    pub level: LogLevel,
    /// The hook or tool that logged it.
    pub hook: String,
    /// The text.
    pub message: String,
}

/// The log lines of one turn, in order.
#[derive(Debug, Default)]
pub struct LogBook {
    lines: Mutex<Vec<LogLine>>,
    /// Whether a line was added since it was cleared; what says no needs no lock.
    written: AtomicBool,
}

/// Lines kept for one turn; later ones are dropped, so that a chatty hook cannot eat the memory.
const MAX_LINES: usize = 10_000;

impl LogBook {
    /// Adds a line.
    pub fn push(&self, line: LogLine) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        self.written.store(true, Ordering::Relaxed);
        if lines.len() < MAX_LINES {
            lines.push(line);
        }
    }

    /// Drops all lines.
    pub(crate) fn clear(&self) {
        if self.written.load(Ordering::Relaxed) {
            let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
            self.written.store(false, Ordering::Relaxed);
            lines.clear();
        }
    }

    /// Takes all lines out, which begins the next turn.
    #[must_use]
    pub fn take(&self) -> Vec<LogLine> {
        std::mem::take(&mut self.lines.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
