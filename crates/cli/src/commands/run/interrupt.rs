//! Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use pintle::Cancel;

use crate::terminal::Terminal;

/// The exit status of a program that was interrupted, as shells have it.
const INTERRUPTED: i32 = 130;

/// Whether the agent is at work.
#[derive(Debug, Clone, Default)]
pub(super) struct Busy(Arc<AtomicBool>);

impl Busy {
    /// Says that the agent is at work while `work` runs.
    pub(super) fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        self.0.store(true, Ordering::Relaxed);
        let result = work();
        self.0.store(false, Ordering::Relaxed);
        result
    }
}

/// Lets the first Ctrl-C stop the agent in good order, with its last events and its tape, and the second one end the
/// program.
///
/// Where the signal cannot be watched, Ctrl-C ends the program as ever.
pub(super) fn watch(cancel: Cancel, terminal: Terminal) -> Busy {
    let busy = Busy::default();
    let shared = busy.clone();
    let watcher = move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
        runtime.block_on(async {
            while tokio::signal::ctrl_c().await.is_ok() {
                if cancel.is_cancelled() {
                    std::process::exit(INTERRUPTED);
                }
                cancel.cancel();
                let at_work = shared.0.load(Ordering::Relaxed);
                terminal.note(if at_work {
                    "stopping the agent; Ctrl-C again ends the program at once"
                } else {
                    "Enter ends the session; Ctrl-C again ends the program at once"
                });
            }
        });
    };
    // Without the thread there is no watching, and Ctrl-C ends the program.
    let _ = thread::Builder::new().name(String::from("interrupt")).spawn(watcher);
    busy
}
