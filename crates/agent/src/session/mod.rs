//! A session: many turns of one agent with one person.

mod answer;
mod builder;
mod completion;
mod fault;
mod history;
mod interrupt;
mod iterations;
mod retry;
mod stop;

use std::sync::Arc;

use pintle::event::{SessionEnd, SessionStart, Usage};
use pintle::{Cancel, Event, Scratch};

use crate::agent::Agent;
use crate::turn::{Turn, TurnState};

pub use answer::Answer;
pub use builder::SessionBuilder;
pub use fault::{Fault, FaultKind};
pub use interrupt::{Interrupt, Interrupted};
pub use retry::{RealSleeper, Sleeper};

pub(crate) use history::Conversation;
pub(crate) use iterations::{run_turn, since};

/// A session of many turns.
///
/// `session.start` is fired by [`Session::start`], and `session.end` by [`Session::end`] or, at the latest, when the
/// session is dropped: once, and only if it was started.
#[derive(Debug)]
pub struct Session {
    agent: Arc<Agent>,
    conversation: Conversation,
    interrupt: Interrupt,
    began_us: u64,
    stage: Stage,
    /// Why the session will end if nobody says otherwise.
    reason: &'static str,
    message: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    New,
    Started,
    Ended,
}

impl Session {
    pub(crate) fn new(agent: Arc<Agent>) -> Self {
        let conversation = Conversation::new(agent.shared.unique("conversation"));
        let began_us = agent.shared.runtime.clock().monotonic_us();
        Self {
            agent,
            conversation,
            interrupt: Interrupt::default(),
            began_us,
            stage: Stage::New,
            reason: "done",
            message: None,
        }
    }

    /// Starts the session. A second start does nothing.
    ///
    /// # Errors
    /// When a hook of `session.start` denies: `session blocked: <reason>`.
    pub fn start(&mut self) -> Result<(), Fault> {
        if self.stage != Stage::New {
            return Ok(());
        }
        self.stage = Stage::Started;
        let cwd = self.agent.shared.workspace.root().display().to_string();
        let payload = SessionStart { source: String::from("startup"), cwd };
        let turn = self.turn_at(0);
        let outcome = turn.fire(&Event::of(&payload, Arc::clone(&turn.origin)));
        self.conversation.notes.extend(turn.state.take_persistent());
        if outcome.is_allowed() {
            return Ok(());
        }
        let fault = Fault::denied(format!("session blocked: {}", outcome.reason()));
        self.finish("blocked", Some(fault.message.clone()));
        Err(fault)
    }

    /// Plays one turn: the person's message in, the agent's answer out. Starts the session if nobody did.
    ///
    /// After a fault the session goes on with the next turn.
    ///
    /// # Errors
    /// When a hook denies the turn, the model fails, or a limit is reached.
    pub fn turn(&mut self, message: &str) -> Result<Answer, Fault> {
        self.start()?;
        if self.stage == Stage::Ended {
            return Err(Fault::failed("session", "the session is over; start another one"));
        }
        let turn = self.turn_of(self.agent.turn_number() + 1);
        turn.scope.scratch.set(String::from("turn"), turn.origin.turn.into());
        let answer = {
            let _working = self.interrupt.begin(&turn.scope.cancel);
            run_turn(&turn, &mut self.conversation, message)
        };
        (self.reason, self.message) = match &answer {
            Ok(_) => ("done", None),
            Err(fault) => (fault.end_reason(), Some(fault.message.clone())),
        };
        answer
    }

    /// Ends the session. A second end does nothing.
    pub fn end(&mut self) {
        let message = self.message.take();
        self.finish(self.reason, message);
    }

    /// The tokens of all model calls, those of delegated agents included.
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.conversation.usage
    }

    /// How many turns there were.
    #[must_use]
    pub fn turns(&self) -> u32 {
        self.agent.turn_number()
    }

    /// Raise it to stop the session and everything it started. [`Session::interrupt`] stops one turn alone.
    #[must_use]
    pub fn cancel(&self) -> &Cancel {
        &self.agent.shared.cancel
    }

    /// The handle that stops the turn at work, from any thread, and leaves the session usable.
    #[must_use]
    pub fn interrupt(&self) -> Interrupt {
        self.interrupt.clone()
    }

    /// Forgets the conversation; the turns, the usage and what hooks keep stay.
    pub fn clear(&mut self) {
        self.conversation.messages.clear();
    }

    /// The names of the tools the model is told of.
    #[must_use]
    pub fn tools(&self) -> Vec<String> {
        self.agent.definitions().into_iter().map(|tool| tool.name).collect()
    }

    fn turn_of(&self, number: u32) -> Turn {
        self.agent.turn.store(number, std::sync::atomic::Ordering::Relaxed);
        self.turn_at(number)
    }

    fn turn_at(&self, number: u32) -> Turn {
        let cancel = self.agent.shared.cancel.part();
        Turn::new(&self.agent, number, Arc::new(Scratch::default()), cancel, TurnState::default())
    }

    fn finish(&mut self, reason: &str, message: Option<String>) {
        if self.stage != Stage::Started {
            return;
        }
        self.stage = Stage::Ended;
        let shared = &self.agent.shared;
        shared.background.join();
        let elapsed_us = shared.runtime.clock().monotonic_us().saturating_sub(self.began_us);
        let payload = SessionEnd {
            reason: reason.to_owned(),
            turns: self.turns(),
            duration_ms: elapsed_us / 1_000,
            usage: self.usage(),
            message,
        };
        let turn = self.turn_at(0);
        let _ = turn.fire_end(&Event::of(&payload, Arc::clone(&turn.origin)));
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.end();
    }
}
