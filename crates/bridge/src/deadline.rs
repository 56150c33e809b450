//! The bridge's own deadline, which ends in a written answer before the host's ends in none.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use pintle::CancelToken;

use crate::{Answer, Host, Row};

/// How long what is going on has to come to an end once the deadline is over.
const GRACE: Duration = Duration::from_millis(300);

/// When an answer has to be written, and whether it was.
#[derive(Debug)]
pub struct Deadline {
    begin: Instant,
    length: Duration,
    /// Raised when the time is over, so that hooks that run are cut short.
    cancel: CancelToken,
    answered: AtomicBool,
    about: Mutex<Option<(&'static Host, &'static Row)>>,
}

impl Deadline {
    /// A deadline that begins now.
    #[must_use]
    pub fn of_ms(deadline_ms: u64) -> Arc<Self> {
        Arc::new(Self {
            begin: Instant::now(),
            length: Duration::from_millis(deadline_ms),
            cancel: CancelToken::default(),
            answered: AtomicBool::new(false),
            about: Mutex::default(),
        })
    }

    /// Watches from a thread of its own. When the time is over and nobody answered, `write` gets the answer to write: a
    /// deny of a guarded event, and of one that is not known yet an answer that decides nothing, with status 1.
    ///
    /// # Errors
    /// When there is no thread to be had.
    pub fn watch(self: &Arc<Self>, write: impl FnOnce(Answer) + Send + 'static) -> std::io::Result<()> {
        let deadline = Arc::clone(self);
        let watch = move || {
            thread::sleep(deadline.left());
            deadline.cancel.cancel();
            thread::sleep(GRACE);
            if deadline.claim() {
                write(deadline.late());
            }
        };
        // It does next to nothing, and a small stack is quickly made.
        thread::Builder::new().name(String::from("deadline")).stack_size(128 << 10).spawn(watch).map(drop)
    }

    /// Claims the right to answer, which one of all that try gets.
    #[must_use]
    pub fn claim(&self) -> bool {
        !self.answered.swap(true, Ordering::AcqRel)
    }

    /// How much time is left.
    #[must_use]
    pub fn left(&self) -> Duration {
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
    pub(crate) fn is_about(&self, host: &'static Host, row: &'static Row) {
        *self.about.lock().unwrap_or_else(PoisonError::into_inner) = Some((host, row));
    }

    /// Why nothing was decided, in one line.
    pub(crate) fn reason(&self) -> String {
        format!("the hooks did not answer within {} ms, so this is denied", self.length.as_millis())
    }

    fn late(&self) -> Answer {
        let about = *self.about.lock().unwrap_or_else(PoisonError::into_inner);
        match about {
            Some((host, row)) => host.fallback(row, &self.reason()),
            None => Answer::silent().with_stderr("pintle: no payload came on standard input in time").with_exit_code(1),
        }
    }
}
