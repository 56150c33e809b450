//! Log lines of scripts, on their way into `turn.end`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use pintle_contract::LogLevel;
use serde::Serialize;

/// One line that a script logged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ScriptLogLine {
    /// How urgent.
    pub level: LogLevel,
    /// The hook or tool that logged it.
    pub hook: String,
    /// The text.
    pub message: String,
}

/// The log lines of one turn, in order.
#[derive(Debug, Default)]
pub struct LogBuffer {
    lines: Mutex<Vec<ScriptLogLine>>,
    /// Whether a line was added since it was cleared; what says no needs no lock.
    is_dirty: AtomicBool,
}

/// Lines kept for one turn; later ones are dropped, so that a chatty hook cannot eat the memory.
const MAX_LINES: usize = 10_000;

impl LogBuffer {
    /// Adds a line.
    pub fn push(&self, line: ScriptLogLine) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_dirty.store(true, Ordering::Relaxed);
        if lines.len() < MAX_LINES {
            lines.push(line);
        }
    }

    /// Drops all lines.
    pub(crate) fn clear(&self) {
        if self.is_dirty.load(Ordering::Relaxed) {
            let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
            self.is_dirty.store(false, Ordering::Relaxed);
            lines.clear();
        }
    }

    /// Takes all lines out, which begins the next turn.
    #[must_use]
    pub fn take_lines(&self) -> Vec<ScriptLogLine> {
        std::mem::take(&mut self.lines.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
