//! The line that says how far long work is, or what is waited for.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::terminal::Terminal;

/// The delay before progress is shown.
const PATIENCE: Duration = Duration::from_millis(400);
/// How often the time of waiting is updated.
const TICK: Duration = Duration::from_secs(1);

/// A progress line on standard error, if that is a terminal.
#[derive(Debug)]
pub(crate) struct ProgressLine<'t> {
    terminal: Option<&'t Terminal>,
    label: &'static str,
    /// When the line is updated next.
    next: Mutex<Instant>,
}

impl<'t> ProgressLine<'t> {
    pub(crate) fn new(terminal: &'t Terminal, action: &'static str) -> Self {
        let terminal = Some(terminal).filter(|terminal| terminal.can_show_progress());
        Self { terminal, label: action, next: Mutex::new(Instant::now() + PATIENCE) }
    }

    pub(crate) fn show(&self, done: usize, total: usize) {
        let Some(terminal) = self.terminal else { return };
        let mut next = self.next.lock();
        if Instant::now() >= *next {
            *next = Instant::now() + PATIENCE / 4;
            terminal.show_status(&format!("{done} of {total} {}", self.label));
        }
    }

    /// Erases the line.
    pub(crate) fn clear(&self) {
        if let Some(terminal) = self.terminal {
            terminal.clear_status();
        }
    }
}

/// A line on standard error that says what is waited for, and for how long, once that takes longer than a moment.
#[derive(Debug)]
pub(crate) struct WaitLine(Arc<WaitShared>);

#[derive(Debug)]
struct WaitShared {
    terminal: Terminal,
    waiting: Mutex<WaitState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct WaitState {
    /// What is waited for since when.
    what: Option<(String, Instant)>,
    /// Whether the time is updated. What a user types meanwhile would be overwritten.
    is_updated: bool,
    is_ended: bool,
}

impl WaitLine {
    /// Creates the line; `None` without a terminal to show it on.
    pub(crate) fn new(terminal: &Terminal) -> Option<Self> {
        let shared = Arc::new(WaitShared {
            terminal: Some(terminal).filter(|terminal| terminal.can_show_progress())?.clone(),
            waiting: Mutex::default(),
            changed: Condvar::new(),
        });
        let drawing = Arc::clone(&shared);
        thread::Builder::new().name(String::from("waiting")).spawn(move || drawing.draw()).ok()?;
        Some(Self(shared))
    }

    /// Says what is waited for from now on.
    pub(crate) fn begin(&self, label: String, is_updated: bool) {
        let mut waiting = self.0.waiting.lock();
        if waiting.what.as_ref().is_some_and(|(known, _)| *known == label) {
            return;
        }
        waiting.what = Some((label, Instant::now()));
        waiting.is_updated = is_updated;
        self.0.changed.notify_all();
    }

    /// Erases the line.
    pub(crate) fn end(&self) {
        let mut waiting = self.0.waiting.lock();
        if waiting.what.take().is_some() {
            self.0.terminal.clear_status();
        }
    }
}

impl Drop for WaitLine {
    fn drop(&mut self) {
        self.end();
        self.0.waiting.lock().is_ended = true;
        self.0.changed.notify_all();
    }
}

impl WaitShared {
    fn draw(&self) {
        let mut waiting = self.waiting.lock();
        while !waiting.is_ended {
            let waited = waiting.what.as_ref().map(|(what, since)| (what, since.elapsed()));
            match waited {
                Some((what, time)) if time >= PATIENCE => {
                    let seconds = time.as_secs();
                    let time = if seconds == 0 { String::new() } else { format!(", {seconds} s") };
                    self.terminal.show_status(&format!("waiting for {what}{time}"));
                    match waiting.is_updated {
                        true => drop(self.changed.wait_for(&mut waiting, TICK)),
                        false => self.changed.wait(&mut waiting),
                    }
                }
                Some((_, time)) => drop(self.changed.wait_for(&mut waiting, PATIENCE.saturating_sub(time))),
                None => self.changed.wait(&mut waiting),
            }
        }
    }
}
