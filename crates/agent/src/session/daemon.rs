//! Daemon mode: a session that waits for further messages.

use std::sync::Arc;

use pintle_host::Event;
use pintle_host::event::SessionIdle;

use super::Session;
use crate::session_state::TurnOutput;
use crate::turn_error::TurnError;

/// The longest single wait of a daemon that only a message wakes.
const LONG_MS: u64 = 3_600_000;

/// Options of daemon mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DaemonOptions {
    /// Milliseconds between `session.idle` events. 0, the default, fires the event once and waits for a message.
    pub wake_interval_ms: u64,
    /// The maximum number of `session.idle` events in a row before the daemon ends; `None`, the default, is unlimited.
    pub max_idle: Option<u32>,
}

impl Session {
    /// Runs a turn for every message in the [inbox](Session::inbox), and waits for more in between, until the inbox is
    /// [closed](super::Inbox::close) or the session is cancelled. `on_turn` receives the result of each turn.
    ///
    /// `session.idle` fires each time the daemon begins to wait, and after each interval without a message. Reminders
    /// of its hooks are in the next request. The session's [`Sleeper`](crate::Sleeper) provides the waiting.
    ///
    /// # Errors
    /// When the session does not start or is cancelled. A turn that fails does not end the daemon.
    pub fn run_daemon(
        &mut self,
        options: DaemonOptions,
        mut on_turn: impl FnMut(&Self, &Result<TurnOutput, TurnError>),
    ) -> Result<(), TurnError> {
        self.run_daemon_with(options, |session, prompt| {
            let answer = session.turn(&prompt);
            on_turn(session, &answer);
        })
    }

    /// Calls `answer` for every message in the inbox, as [`Session::run_daemon`] runs turns: for a host that also takes
    /// commands, such as one to compact the conversation.
    ///
    /// # Errors
    /// When the session does not start or is cancelled.
    pub fn run_daemon_with(
        &mut self,
        options: DaemonOptions,
        mut answer: impl FnMut(&mut Self, String),
    ) -> Result<(), TurnError> {
        self.start()?;
        let inbox = self.inbox();
        loop {
            if self.cancel().is_cancelled() {
                return Err(TurnError::cancelled());
            }
            // Checked before the messages, so that messages sent before the end are still answered.
            let is_closed = inbox.is_closed();
            if let Some(prompt) = inbox.take_any() {
                answer(self, prompt);
                continue;
            }
            if is_closed || !self.wait_for_message(options) {
                return Ok(());
            }
        }
    }

    /// Waits for a message. Returns whether the daemon continues.
    fn wait_for_message(&self, options: DaemonOptions) -> bool {
        let shared = &self.agent.shared;
        let began_us = shared.runtime.clock().monotonic_us();
        let wake = self.cancel().child_token();
        shared.state.inbox.wake_on_message(&wake);
        let mut fired = 0;
        while !wake.is_cancelled() {
            if options.max_idle.is_some_and(|most| fired >= most) {
                return false;
            }
            if fired == 0 || options.wake_interval_ms > 0 {
                fired += 1;
                let waited_us = shared.runtime.clock().monotonic_us().saturating_sub(began_us);
                self.fire_idle(waited_us / 1_000, options);
            }
            let wait_ms = if options.wake_interval_ms > 0 { options.wake_interval_ms } else { LONG_MS };
            shared.sleeper.sleep(wait_ms, &wake);
        }
        true
    }

    fn fire_idle(&self, waited_ms: u64, options: DaemonOptions) {
        let turn = self.turn_for_agent(&self.agent, self.turns);
        if !turn.has_listener::<SessionIdle>() {
            return;
        }
        let payload = SessionIdle {
            iteration: self.conversation.calls,
            waited_ms,
            wake_interval_ms: Some(options.wake_interval_ms).filter(|wait| *wait > 0),
        };
        let _ = turn.fire(&Event::from_payload(&payload, Arc::clone(&turn.origin)));
    }
}
