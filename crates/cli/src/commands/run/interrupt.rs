//! Ctrl-C.

use std::thread;

use pintle::Cancel;
use pintle_agent::{Interrupt, Interrupted};

use super::input::Input;
use crate::terminal::Terminal;

/// The exit status of a program that was interrupted, as shells have it.
const INTERRUPTED: i32 = 130;

/// What a Ctrl-C is about.
pub(super) struct Watch {
    /// The turn of a conversation, which goes on afterwards; else the whole session.
    pub(super) is_conversation: bool,
    pub(super) session: Cancel,
    pub(super) turn: Interrupt,
    pub(super) input: Input,
    pub(super) terminal: Terminal,
}

impl Watch {
    /// Lets a Ctrl-C stop the agent in good order, with its last events and its tape. In a conversation it stops the turn
    /// at work, and without one it is for whoever reads what the person types. A second one, while the agent is still
    /// stopping, ends the program.
    ///
    /// Where the signal cannot be watched, Ctrl-C ends the program as ever.
    pub(super) fn start(self) {
        let watcher = move || {
            let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
            runtime.block_on(async {
                while tokio::signal::ctrl_c().await.is_ok() {
                    self.pressed();
                }
            });
        };
        // Without the thread there is no watching, and Ctrl-C ends the program.
        let _ = thread::Builder::new().name(String::from("interrupt")).spawn(watcher);
    }

    fn pressed(&self) {
        let what = if self.is_conversation {
            match self.turn.raise() {
                Interrupted::Nothing => "",
                Interrupted::Turn => "turn",
                Interrupted::Again => std::process::exit(INTERRUPTED),
            }
        } else if self.session.is_cancelled() {
            std::process::exit(INTERRUPTED)
        } else {
            self.session.cancel();
            "session"
        };
        if !what.is_empty() {
            self.terminal.err("");
            self.terminal.note(format!("stopping the {what}; Ctrl-C again ends the program at once"));
        }
        // An answer to a hook's question is no longer wanted either.
        if !self.input.interrupt() && what.is_empty() {
            std::process::exit(INTERRUPTED);
        }
    }
}
