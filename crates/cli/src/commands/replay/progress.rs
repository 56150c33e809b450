//! How far a long replay is.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use crate::terminal::Terminal;

/// How long something takes before it is worth a word.
const PATIENCE: Duration = Duration::from_millis(400);

/// A line on standard error that tells how far something is, where a person may see it.
#[derive(Debug)]
pub(super) struct ProgressLine<'t> {
    terminal: Option<&'t Terminal>,
    label: &'static str,
    /// When it is told again, and whether it was told at all.
    next: Mutex<(Instant, bool)>,
}

impl<'t> ProgressLine<'t> {
    pub(super) fn new(terminal: &'t Terminal, what: &'static str) -> Self {
        let terminal = Some(terminal).filter(|terminal| terminal.can_show_progress());
        Self { terminal, label: what, next: Mutex::new((Instant::now() + PATIENCE, false)) }
    }

    pub(super) fn show(&self, done: usize, of: usize) {
        let Some(terminal) = self.terminal else { return };
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        if Instant::now() >= next.0 {
            *next = (Instant::now() + PATIENCE / 4, true);
            terminal.print_error_piece(format_args!("\r{done} of {of} {}\u{1b}[K", self.label));
        }
    }

    /// Takes the line away again.
    pub(super) fn clear(&self) {
        let next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(terminal) = self.terminal.filter(|_| next.1) {
            terminal.print_error_piece("\r\u{1b}[K");
        }
    }
}
