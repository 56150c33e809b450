//! The bridge's own deadline, which ends in a written answer before the host's ends in none.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use pintle::CancelToken;

use crate::{HostDef, HostEventDef, HostResponse};

/// How long what is going on has to come to an end once the deadline is over.
const GRACE: Duration = Duration::from_millis(300);

/// When an answer has to be written, and whether it was.
#[derive(Debug)]
pub struct Deadline {
    begin: Instant,
    length: Duration,
    /// Raised when the time is over, so that hooks that run are cut short.
    cancel: CancelToken,
    is_answered: AtomicBool,
    event: Mutex<Option<(&'static HostDef, &'static HostEventDef)>>,
}

impl Deadline {
    /// A deadline that begins now.
    #[must_use]
    pub fn from_ms(deadline_ms: u64) -> Arc<Self> {
        Arc::new(Self {
            begin: Instant::now(),
            length: Duration::from_millis(deadline_ms),
            cancel: CancelToken::default(),
            is_answered: AtomicBool::new(false),
            event: Mutex::default(),
        })
    }

    /// Watches from a thread of its own. When the time is over and nobody answered, `write` gets the answer to write: a
    /// deny of a guarded event, and of one that is not known yet an answer that decides nothing, with status 1.
    ///
    /// # Errors
    /// When there is no thread to be had.
    pub fn watch(self: &Arc<Self>, write: impl FnOnce(HostResponse) + Send + 'static) -> std::io::Result<()> {
        let deadline = Arc::clone(self);
        let watch = move || {
            thread::sleep(deadline.remaining());
            deadline.cancel.cancel();
            thread::sleep(GRACE);
            if deadline.claim_response() {
                write(deadline.timeout_response());
            }
        };
        // It does next to nothing, and a small stack is quickly made.
        thread::Builder::new().name(String::from("deadline")).stack_size(128 << 10).spawn(watch).map(drop)
    }

    /// Claims the right to answer, which one of all that try gets.
    #[must_use]
    pub fn claim_response(&self) -> bool {
        !self.is_answered.swap(true, Ordering::AcqRel)
    }

    /// How much time is left.
    #[must_use]
    pub fn remaining(&self) -> Duration {
        self.length.saturating_sub(self.begin.elapsed())
    }

    /// Whether the time is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.cancel.is_cancelled()
    }

    pub(crate) fn cancel(&self) -> CancelToken {
        self.cancel.clone()
    }

    /// Says which event it is about.
    pub(crate) fn set_event(&self, host: &'static HostDef, row: &'static HostEventDef) {
        *self.event.lock().unwrap_or_else(PoisonError::into_inner) = Some((host, row));
    }

    /// Why nothing was decided, in one line.
    pub(crate) fn reason(&self) -> String {
        format!("the hooks did not answer within {} ms, so this is denied", self.length.as_millis())
    }

    fn timeout_response(&self) -> HostResponse {
        let about = *self.event.lock().unwrap_or_else(PoisonError::into_inner);
        match about {
            Some((host, row)) => host.fallback_response(row, &self.reason()),
            None => HostResponse::empty()
                .with_stderr("pintle: timed out waiting for a payload on standard input")
                .with_exit_code(1),
        }
    }
}
