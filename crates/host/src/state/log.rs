//! Log lines of scripts, collected for `turn.end`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use pintle_contract::LogLevel;
use pintle_contract::event::LogLine;
use serde::Serialize;

/// One line that a script logged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ScriptLogLine {
    /// How urgent the line is.
    pub level: LogLevel,
    /// The hook or tool that logged the line.
    pub hook: String,
    /// The text of the line.
    pub message: String,
}

/// The line as payloads have it.
impl From<ScriptLogLine> for LogLine {
    fn from(line: ScriptLogLine) -> Self {
        let level = match line.level {
            LogLevel::Info => "info",
            LogLevel::Warn => "warn",
        };
        Self { level: level.to_owned(), hook: line.hook, message: line.message }
    }
}

/// The log lines of one turn, in order.
#[derive(Debug, Default)]
pub struct LogBuffer {
    lines: Mutex<Vec<ScriptLogLine>>,
    /// Whether a line was added since the last clear; if not, no lock is needed.
    is_dirty: AtomicBool,
}

/// The maximum number of lines kept for one turn; later ones are dropped to bound the memory.
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

    /// Removes and returns all lines, which starts the next turn.
    #[must_use]
    pub fn take_lines(&self) -> Vec<ScriptLogLine> {
        std::mem::take(&mut self.lines.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
