//! The inbox for messages of the user while the agent runs.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use pintle_host::CancelToken;

/// Receives messages of the user while a turn runs. Clones belong to the same session and work from any thread.
#[derive(Debug, Clone, Default)]
pub struct Inbox(Arc<Mutex<InboxQueues>>);

#[derive(Debug, Default)]
struct InboxQueues {
    steering: VecDeque<String>,
    follow_ups: VecDeque<FollowUp>,
    is_closed: bool,
    /// Cancelled when a message arrives, to wake a session that waits.
    sleeper: Option<CancelToken>,
}

/// A prompt for after the agent's answer.
#[derive(Debug)]
struct FollowUp {
    text: String,
    /// Whether it waits until the turn has ended.
    is_between_turns: bool,
}

impl InboxQueues {
    fn wake(&mut self) {
        if let Some(sleeper) = self.sleeper.take() {
            sleeper.cancel();
        }
    }
}

impl Inbox {
    /// Sends a message that the agent gets before its next model call, or before it would stop.
    pub fn steer(&self, text: impl Into<String>) {
        let mut queues = self.0.lock();
        queues.steering.push_back(text.into());
        queues.wake();
    }

    /// Queues a prompt for after the agent's answer. Prompts are taken one at a time.
    pub fn follow_up(&self, text: impl Into<String>) {
        self.push_follow_up(text.into(), false);
    }

    /// Queues a message for after the turn, such as a command to the host: a turn takes neither it nor a follow-up behind
    /// it, so that only [`Session::run_daemon_with`](crate::Session::run_daemon_with) gets it.
    pub fn follow_up_between_turns(&self, text: impl Into<String>) {
        self.push_follow_up(text.into(), true);
    }

    fn push_follow_up(&self, text: String, is_between_turns: bool) {
        let mut queues = self.0.lock();
        queues.follow_ups.push_back(FollowUp { text, is_between_turns });
        queues.wake();
    }

    /// The number of messages that wait.
    #[must_use]
    pub fn message_count(&self) -> usize {
        let queues = self.0.lock();
        queues.steering.len() + queues.follow_ups.len()
    }

    /// Closes the inbox: a daemon ends once it has answered all messages.
    pub fn close(&self) {
        let mut queues = self.0.lock();
        queues.is_closed = true;
        queues.wake();
    }

    /// Takes the oldest message of either kind, for a session that has nothing to do.
    pub(crate) fn take_any(&self) -> Option<String> {
        let mut queues = self.0.lock();
        queues.steering.pop_front().or_else(|| queues.follow_ups.pop_front().map(|prompt| prompt.text))
    }

    /// Whether the inbox is closed.
    pub(crate) fn is_closed(&self) -> bool {
        self.0.lock().is_closed
    }

    /// Cancels the token with the next message, or at once if one waits already.
    pub(crate) fn wake_on_message(&self, flag: &CancelToken) {
        let mut queues = self.0.lock();
        queues.sleeper = Some(flag.clone());
        if queues.is_closed || !queues.steering.is_empty() || !queues.follow_ups.is_empty() {
            queues.wake();
        }
    }

    /// The messages that wait.
    pub(crate) fn texts(&self) -> Vec<String> {
        let queues = self.0.lock();
        queues.steering.iter().chain(queues.follow_ups.iter().map(|prompt| &prompt.text)).cloned().collect()
    }

    /// Takes all steering messages, oldest first.
    pub(crate) fn take_steering(&self) -> Vec<String> {
        self.0.lock().steering.drain(..).collect()
    }

    /// Takes the oldest follow-up if a turn may have it, and returns how many wait behind it.
    pub(crate) fn take_follow_up(&self) -> Option<(String, usize)> {
        let mut queues = self.0.lock();
        let prompt = queues.follow_ups.pop_front_if(|prompt| !prompt.is_between_turns)?;
        Some((prompt.text, queues.follow_ups.len()))
    }
}
