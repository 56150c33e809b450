//! A channel whose receiver also wakes up when a token is cancelled.

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use crate::CancelToken;
use crate::cancel_token::WakeGuard;

/// The sending side of a [`CancelToken::channel`].
#[derive(Debug, Clone)]
pub struct CancelSender<T>(Arc<Sender<Option<T>>>);

/// The receiving side of a [`CancelToken::channel`].
#[derive(Debug)]
pub struct CancelReceiver<T> {
    /// A `None` only wakes the receiver.
    values: Receiver<Option<T>>,
    cancel: CancelToken,
    _waker: WakeGuard,
}

/// Why nothing was received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReceiveError {
    /// The token is cancelled.
    Cancelled,
    /// The time has passed.
    TimedOut,
    /// All senders are gone.
    Disconnected,
}

impl fmt::Display for ReceiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cancelled => "cancelled",
            Self::TimedOut => "timed out",
            Self::Disconnected => "the sender ended without a value",
        })
    }
}

impl std::error::Error for ReceiveError {}

impl CancelToken {
    /// Creates a channel whose receiver waits until a value arrives or this token is cancelled.
    #[must_use]
    pub fn channel<T: Send + 'static>(&self) -> (CancelSender<T>, CancelReceiver<T>) {
        let (sender, values) = channel();
        let sender = Arc::new(sender);
        // The waker must not keep the channel connected.
        let weak = Arc::downgrade(&sender);
        let waker = self.wake_on_cancel(move || {
            if let Some(sender) = weak.upgrade() {
                let _ = sender.send(None);
            }
        });
        (CancelSender(sender), CancelReceiver { values, cancel: self.clone(), _waker: waker })
    }

    /// Waits until the token is cancelled, and at most this long.
    pub fn wait(&self, duration: Duration) {
        let (_sender, receiver) = self.channel::<()>();
        let _ = receiver.receive(Some(duration));
    }
}

impl<T> CancelSender<T> {
    /// Sends a value. It is dropped if the receiver no longer waits.
    pub fn send(&self, value: T) {
        let _ = self.0.send(Some(value));
    }
}

impl<T> CancelReceiver<T> {
    /// Waits for the next value.
    ///
    /// # Errors
    /// When the token is cancelled, `time` has passed, or no value can arrive any more.
    pub fn receive(&self, time: Option<Duration>) -> Result<T, ReceiveError> {
        loop {
            if self.cancel.is_cancelled() {
                return Err(ReceiveError::Cancelled);
            }
            let limit = self.cancel.time_left();
            let received = match time.into_iter().chain(limit).min() {
                Some(most) => self.values.recv_timeout(most),
                None => self.values.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match received {
                Ok(Some(value)) => return Ok(value),
                Err(RecvTimeoutError::Disconnected) => return Err(ReceiveError::Disconnected),
                Err(RecvTimeoutError::Timeout) if limit.is_none_or(|limit| time.is_some_and(|time| time < limit)) => {
                    return Err(ReceiveError::TimedOut);
                }
                // The token is cancelled now, by a waker or by its time limit.
                Ok(None) | Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEVER: Duration = Duration::from_secs(3600);

    #[test]
    fn a_receiver_gets_a_value_or_the_reason_why_there_is_none() {
        let cancel = CancelToken::default();
        let (sender, receiver) = cancel.channel();
        sender.send(1);
        assert_eq!(receiver.receive(Some(NEVER)), Ok(1));
        assert_eq!(receiver.receive(Some(Duration::ZERO)), Err(ReceiveError::TimedOut));
        let limited = cancel.child_with_time_limit(|| Duration::ZERO);
        assert_eq!(limited.channel::<()>().1.receive(Some(NEVER)), Err(ReceiveError::Cancelled));
        drop(sender);
        assert_eq!(receiver.receive(None), Err(ReceiveError::Disconnected), "the waker does not keep it connected");
    }

    #[test]
    fn a_receiver_and_a_sleeper_that_wait_are_woken_by_the_parent_token() {
        let whole = CancelToken::default();
        let part = whole.child_token();
        let (sender, receiver) = part.channel::<()>();
        std::thread::scope(|threads| {
            let waiting = threads.spawn(move || receiver.receive(None));
            let asleep = threads.spawn(|| part.wait(NEVER));
            whole.cancel();
            assert_eq!(waiting.join().unwrap(), Err(ReceiveError::Cancelled));
            asleep.join().unwrap();
        });
        drop(sender);
    }
}
