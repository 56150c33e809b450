//! Signals that end the program: Ctrl-C, SIGTERM and SIGHUP.

use std::sync::Arc;
use std::thread;

use parking_lot::Mutex;
use pintle_agent::{InterruptHandle, InterruptResult};
use pintle_host::CancelToken;

use super::input::StdinReader;
use crate::error::CliStatus;
use crate::terminal::Terminal;

/// What signals act on.
pub(super) struct CtrlCHandler {
    /// Whether Ctrl-C stops only the running turn, because this is a conversation; otherwise it stops the session.
    pub(super) is_conversation: bool,
    pub(super) session: CancelToken,
    pub(super) turn: InterruptHandle,
    pub(super) input: StdinReader,
    pub(super) terminal: Terminal,
}

/// The signal that ended the session, if any.
#[derive(Debug, Clone, Default)]
pub(super) struct EndingSignal(Arc<Mutex<Option<CliStatus>>>);

impl EndingSignal {
    /// The exit status for the signal. Waits until a signal that is being handled has been reported.
    pub(super) fn status(&self) -> Option<CliStatus> {
        *self.0.lock()
    }
}

impl CtrlCHandler {
    /// Makes signals stop the agent gracefully, with its last events and its tape. In a conversation Ctrl-C stops the
    /// running turn; if no turn is running, it interrupts the input. SIGTERM and SIGHUP always end the session. A
    /// second signal, while the agent is still stopping, ends the program.
    ///
    /// A signal that cannot be watched ends the program as usual. A SIGHUP that was ignored when the program started
    /// (`nohup`) stays ignored.
    pub(super) fn start(self) -> EndingSignal {
        let signalled = EndingSignal::default();
        let seen = signalled.clone();
        let watcher = move || {
            let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
            runtime.block_on(self.watch(&seen));
        };
        // Without the thread signals are not watched, and end the program.
        let _ = thread::Builder::new().name(String::from("interrupt")).spawn(watcher);
        signalled
    }

    #[cfg(unix)]
    async fn watch(&self, signalled: &EndingSignal) {
        use tokio::signal::unix::{SignalKind, signal};
        let Ok(mut interrupt) = signal(SignalKind::interrupt()) else { return };
        let mut terminate = signal(SignalKind::terminate()).ok();
        let mut hang_up = (!is_hang_up_ignored()).then(|| signal(SignalKind::hangup()).ok()).flatten();
        loop {
            let status = tokio::select! {
                pressed = interrupt.recv() => match pressed {
                    Some(()) => CliStatus::Interrupted,
                    None => return,
                },
                Some(()) = next_signal(&mut terminate) => CliStatus::Terminated,
                Some(()) = next_signal(&mut hang_up) => CliStatus::HungUp,
            };
            self.handle_signal(status, signalled);
        }
    }

    #[cfg(not(unix))]
    async fn watch(&self, signalled: &EndingSignal) {
        while tokio::signal::ctrl_c().await.is_ok() {
            self.handle_signal(CliStatus::Interrupted, signalled);
        }
    }

    fn handle_signal(&self, status: CliStatus, signalled: &EndingSignal) {
        let exit = || {
            self.input.release_terminal();
            std::process::exit(status as i32)
        };
        // Held until the note is printed: the cancelled session can end before, and the program with it.
        let mut first = signalled.0.lock();
        let what = if self.is_conversation && status == CliStatus::Interrupted {
            match self.turn.interrupt() {
                InterruptResult::NoTurn => "",
                InterruptResult::Requested => "turn",
                InterruptResult::AlreadyRequested => exit(),
            }
        } else if self.session.is_cancelled() {
            exit()
        } else {
            first.get_or_insert(status);
            self.session.cancel();
            "session"
        };
        if !what.is_empty() {
            self.terminal.print_error_line("");
            let again = if status == CliStatus::Interrupted { "Ctrl-C again" } else { "another signal" };
            self.terminal.print_note(format!("stopping the {what}; {again} ends the program at once"));
        }
        // A pending prompt for approval ends, too.
        if !self.input.interrupt() && what.is_empty() {
            exit();
        }
    }
}

/// Waits for the next signal; forever if it is not watched.
#[cfg(unix)]
async fn next_signal(signal: &mut Option<tokio::signal::unix::Signal>) -> Option<()> {
    match signal {
        Some(signal) => signal.recv().await,
        None => std::future::pending().await,
    }
}

/// Whether the program was started with SIGHUP ignored. Unknown, and so false, on systems without this file.
#[cfg(unix)]
fn is_hang_up_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}
