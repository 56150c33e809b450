//! The bridge's own deadline: it writes a response before the host's timeout discards the call.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use pintle_host::CancelToken;

use crate::{HostDef, HostEventDef, HostResponse};

/// The time that remains to finish the current step after the deadline.
const GRACE: Duration = Duration::from_millis(300);

/// The time limit for a response, and whether one was written.
#[derive(Debug)]
pub struct Deadline {
    begin: Instant,
    length: Duration,
    /// Set when the deadline expires, so that running hooks stop.
    cancel: CancelToken,
    is_answered: AtomicBool,
    event: Mutex<Option<(&'static HostDef, &'static HostEventDef)>>,
}

impl Deadline {
    /// Starts a deadline.
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

    /// Watches the deadline from a separate thread. If it expires before a response was written, `write` gets the
    /// response to write: a denial for a guarded event, and for an event that is not known yet a response without a
    /// decision, with status 1.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub fn watch(self: &Arc<Self>, write: impl FnOnce(HostResponse) + Send + 'static) -> std::io::Result<()> {
        let deadline = Arc::clone(self);
        let watch = move || {
            thread::sleep(deadline.remaining());
            deadline.cancel.cancel();
            thread::sleep(GRACE);
            if let Some(response) = deadline.overdue_response() {
                write(response);
            }
        };
        // The thread needs little, and a small stack is cheap to allocate.
        thread::Builder::new().name(String::from("deadline")).stack_size(128 << 10).spawn(watch).map(drop)
    }

    /// The response if the deadline expired some time ago and nothing was answered. Once it expired, running hooks stop.
    /// This is for a caller that looks now and then, instead of [`Deadline::watch`].
    #[must_use]
    pub fn overdue_response(&self) -> Option<HostResponse> {
        if self.remaining().is_zero() {
            self.cancel.cancel();
        }
        let is_over = self.begin.elapsed() >= self.length + GRACE;
        (is_over && self.claim_response()).then(|| self.timeout_response())
    }

    /// Ends running hooks, because nothing waits for the answer.
    pub fn abandon(&self) {
        self.cancel.cancel();
    }

    /// How long it may take until there is a response, in milliseconds from the start.
    #[must_use]
    pub fn longest_ms(&self) -> u128 {
        (self.length + GRACE).as_millis()
    }

    /// Claims the right to respond, which only one caller gets.
    #[must_use]
    pub fn claim_response(&self) -> bool {
        !self.is_answered.swap(true, Ordering::AcqRel)
    }

    /// The remaining time.
    #[must_use]
    pub fn remaining(&self) -> Duration {
        self.length.saturating_sub(self.begin.elapsed())
    }

    /// Whether the deadline has expired.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.cancel.is_cancelled()
    }

    pub(crate) fn cancel(&self) -> CancelToken {
        self.cancel.clone()
    }

    /// Sets the event of the call, which decides what is answered if the time is over.
    pub fn set_event(&self, host: &'static HostDef, def: &'static HostEventDef) {
        *self.event.lock().unwrap_or_else(PoisonError::into_inner) = Some((host, def));
    }

    /// The reason for the missing decision, in one line.
    pub(crate) fn reason(&self) -> String {
        format!("the hooks did not answer within {} ms, so this is denied", self.length.as_millis())
    }

    fn timeout_response(&self) -> HostResponse {
        let about = *self.event.lock().unwrap_or_else(PoisonError::into_inner);
        match about {
            Some((host, def)) => host.fallback_response(def, &self.reason()),
            None => HostResponse::empty()
                .with_stderr("pintle: timed out waiting for a payload on standard input")
                .with_exit_code(1),
        }
    }
}
