//! What a person says while the agent is at work.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pintle::CancelToken;

/// Takes what a person says while a turn runs. Clones speak to the same session, from any thread.
#[derive(Debug, Clone, Default)]
pub struct Inbox(Arc<Mutex<InboxQueues>>);

#[derive(Debug, Default)]
struct InboxQueues {
    steering: VecDeque<String>,
    follow_ups: VecDeque<String>,
    is_closed: bool,
    /// Raised when somebody says something, for a session that waits.
    sleeper: Option<CancelToken>,
}

impl InboxQueues {
    fn wake(&mut self) {
        if let Some(sleeper) = self.sleeper.take() {
            sleeper.cancel();
        }
    }
}

impl Inbox {
    /// Says something to the agent at its next step: before its next model call, or in the place of its end.
    pub fn steer(&self, text: impl Into<String>) {
        let mut queues = self.lock_queues();
        queues.steering.push_back(text.into());
        queues.wake();
    }

    /// Queues a prompt for when the agent has answered. One is taken up at a time.
    pub fn follow_up(&self, text: impl Into<String>) {
        let mut queues = self.lock_queues();
        queues.follow_ups.push_back(text.into());
        queues.wake();
    }

    /// How many messages nobody has taken up yet.
    #[must_use]
    pub fn len(&self) -> usize {
        let queues = self.lock_queues();
        queues.steering.len() + queues.follow_ups.len()
    }

    /// Says that nobody will say anything more: a daemon ends when it has heard everything.
    pub fn close(&self) {
        let mut queues = self.lock_queues();
        queues.is_closed = true;
        queues.wake();
    }

    /// Takes the oldest message of either kind: for a session that has nothing to do.
    pub(crate) fn take_any(&self) -> Option<String> {
        let mut queues = self.lock_queues();
        queues.steering.pop_front().or_else(|| queues.follow_ups.pop_front())
    }

    /// Whether nobody will say anything more.
    pub(crate) fn is_closed(&self) -> bool {
        self.lock_queues().is_closed
    }

    /// Raises the flag with the next message, or at once when there is one already.
    pub(crate) fn wake_on_message(&self, flag: &CancelToken) {
        let mut queues = self.lock_queues();
        queues.sleeper = Some(flag.clone());
        if queues.is_closed || !queues.steering.is_empty() || !queues.follow_ups.is_empty() {
            queues.wake();
        }
    }

    /// What nobody has taken up yet.
    pub(crate) fn texts(&self) -> Vec<String> {
        let queues = self.lock_queues();
        queues.steering.iter().chain(&queues.follow_ups).cloned().collect()
    }

    /// Takes all steering messages, oldest first.
    pub(crate) fn take_steering(&self) -> Vec<String> {
        self.lock_queues().steering.drain(..).collect()
    }

    /// Takes the oldest follow-up, and tells how many wait behind it.
    pub(crate) fn take_follow_up(&self) -> Option<(String, usize)> {
        let mut queues = self.lock_queues();
        let prompt = queues.follow_ups.pop_front()?;
        Some((prompt, queues.follow_ups.len()))
    }

    fn lock_queues(&self) -> MutexGuard<'_, InboxQueues> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
