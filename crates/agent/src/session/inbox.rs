//! What a person says while the agent is at work.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Takes what a person says while a turn runs. Clones speak to the same session, from any thread.
#[derive(Debug, Clone, Default)]
pub struct Inbox(Arc<Mutex<Queues>>);

#[derive(Debug, Default)]
struct Queues {
    steering: VecDeque<String>,
    follow_ups: VecDeque<String>,
}

impl Inbox {
    /// Says something to the agent at its next step: before its next model call, or in the place of its end.
    pub fn steer(&self, text: impl Into<String>) {
        self.queues().steering.push_back(text.into());
    }

    /// Queues a prompt for when the agent has answered. One is taken up at a time.
    pub fn follow_up(&self, text: impl Into<String>) {
        self.queues().follow_ups.push_back(text.into());
    }

    /// How many messages nobody has taken up yet.
    #[must_use]
    pub fn waiting(&self) -> usize {
        let queues = self.queues();
        queues.steering.len() + queues.follow_ups.len()
    }

    /// Takes all steering messages, oldest first.
    pub(crate) fn take_steering(&self) -> Vec<String> {
        self.queues().steering.drain(..).collect()
    }

    /// Takes the oldest follow-up, and tells how many wait behind it.
    pub(crate) fn take_follow_up(&self) -> Option<(String, usize)> {
        let mut queues = self.queues();
        let prompt = queues.follow_ups.pop_front()?;
        Some((prompt, queues.follow_ups.len()))
    }

    fn queues(&self) -> MutexGuard<'_, Queues> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
