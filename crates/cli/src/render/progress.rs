//! The progress line of long work.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::terminal::Terminal;

/// The delay before progress is shown.
const PATIENCE: Duration = Duration::from_millis(400);

/// A progress line on standard error, if that is a terminal.
#[derive(Debug)]
pub(crate) struct ProgressLine<'t> {
    terminal: Option<&'t Terminal>,
    label: &'static str,
    /// When the line is updated next, and whether it was shown.
    next: Mutex<(Instant, bool)>,
}

impl<'t> ProgressLine<'t> {
    pub(crate) fn new(terminal: &'t Terminal, action: &'static str) -> Self {
        let terminal = Some(terminal).filter(|terminal| terminal.can_show_progress());
        Self { terminal, label: action, next: Mutex::new((Instant::now() + PATIENCE, false)) }
    }

    pub(crate) fn show(&self, done: usize, total: usize) {
        let Some(terminal) = self.terminal else { return };
        let mut next = self.next.lock();
        if Instant::now() >= next.0 {
            *next = (Instant::now() + PATIENCE / 4, true);
            terminal.print_error_piece(format_args!("\r{done} of {total} {}\u{1b}[K", self.label));
        }
    }

    /// Erases the line.
    pub(crate) fn clear(&self) {
        let next = self.next.lock();
        if let Some(terminal) = self.terminal.filter(|_| next.1) {
            terminal.print_error_piece("\r\u{1b}[K");
        }
    }
}
