//! A session: many turns of one agent with one person.

mod answer;
mod batch;
mod builder;
mod completion;
mod fault;
mod history;
mod inbox;
mod interrupt;
mod iteration;
mod iterations;
mod limit;
mod looping;
mod prompts;
mod retry;
mod step;
mod stop;

use std::sync::Arc;

use pintle::event::{SessionEnd, SessionStart, Usage, WorktreeCreate};
use pintle::{Cancel, Event, Scratch};

use crate::agent::Agent;
use crate::compaction::{self, Cause, Compacted};
use crate::turn::{Turn, TurnState};

pub use answer::Answer;
pub use builder::SessionBuilder;
pub use fault::{Fault, FaultKind};
pub use inbox::Inbox;
pub use interrupt::{Interrupt, Interrupted};
pub use retry::{RealSleeper, Sleeper};

pub(crate) use completion::shown;
pub(crate) use history::{Conversation, Length, estimate};
pub(crate) use iterations::{run_turn, since};
pub(crate) use retry::complete;

/// A session of many turns.
///
/// `session.start` is fired by [`Session::start`], and `session.end` by [`Session::end`] or, at the latest, when the
/// session is dropped: once, and only if it was started. [`Session::clear`] fires both for members of a team. No other
/// source is fired: a session of this host is never resumed, and what the hooks of `session.start` told the model stays
/// when its conversation is compacted, so that they need not be asked again.
#[derive(Debug)]
pub struct Session {
    /// The agent that the session began with; its hooks are told of the session.
    first: Arc<Agent>,
    /// The agent that the person talks to now.
    agent: Arc<Agent>,
    conversation: Conversation,
    interrupt: Interrupt,
    turns: u32,
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
            first: Arc::clone(&agent),
            agent,
            conversation,
            interrupt: Interrupt::default(),
            turns: 0,
            began_us,
            stage: Stage::New,
            reason: "done",
            message: None,
        }
    }

    /// Starts the session, with the source `startup`. A second start does nothing.
    ///
    /// # Errors
    /// When a hook of `session.start` denies: `session blocked: <reason>`.
    pub fn start(&mut self) -> Result<(), Fault> {
        if self.stage != Stage::New {
            return Ok(());
        }
        self.begin("startup")
    }

    /// Tells hooks that the working directory is a tree that was made for this session, before it starts.
    ///
    /// # Errors
    /// When a hook of `worktree.create` denies; then the session must not be started.
    pub fn enter(&mut self, made: &WorktreeCreate) -> Result<(), Fault> {
        let turn = self.turn_at(&self.first, 0);
        let outcome = turn.fire(&Event::of(made, Arc::clone(&turn.origin)));
        if outcome.is_allowed() {
            return Ok(());
        }
        self.stage = Stage::Ended;
        Err(Fault::denied(format!("working tree blocked: {}", outcome.reason())))
    }

    /// Fires `session.start`. What its hooks tell the model stays for the session, compaction included.
    fn begin(&mut self, source: &str) -> Result<(), Fault> {
        self.stage = Stage::Started;
        let cwd = self.agent.shared.workspace.root().display().to_string();
        let payload = SessionStart { source: source.to_owned(), cwd };
        let turn = self.turn_at(&self.first, 0);
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
        self.turns += 1;
        let turn = self.turn_of(self.turns);
        turn.scope.scratch.set(String::from("turn"), turn.origin.turn.into());
        let answer = {
            let _working = self.interrupt.begin(&turn.scope.cancel);
            run_turn(&turn, &mut self.conversation, message)
        };
        if let Some(speaker) = self.conversation.speaker.take() {
            self.agent = speaker;
        }
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
        self.turns
    }

    /// The name of the agent that the person talks to now; another one after a hand-off.
    #[must_use]
    pub fn agent(&self) -> &str {
        &self.agent.spec.name
    }

    /// Takes what the person says while a turn runs, from any thread.
    #[must_use]
    pub fn inbox(&self) -> Inbox {
        self.agent.shared.inbox.clone()
    }

    /// Sums the conversation up and goes on with the summary, because the person wants it. `instructions` says what is to
    /// be kept. Starts the session if nobody did.
    ///
    /// `None` is a conversation that stays as it is: there is nothing to sum up, or a hook of `compact.pre` or
    /// `compact.before` denied and the person was told why.
    ///
    /// # Errors
    /// When the session does not start, or the model gives no summary.
    pub fn compact(&mut self, instructions: Option<&str>) -> Result<Option<Compacted>, Fault> {
        self.start()?;
        let turn = self.turn_at(&self.agent, self.turns);
        let compacted = {
            let _working = self.interrupt.begin(&turn.scope.cancel);
            compaction::compact(&turn, &mut self.conversation, Cause::Manual, instructions)
        };
        self.conversation.notes.extend(turn.state.take_persistent());
        compacted
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

    /// Forgets the conversation; the turns and the usage stay.
    ///
    /// For a member of a team that is the end of one session and the start of another: `session.end` with the reason
    /// `clear`, then `session.start` with the source `clear`, whose hooks tell the model anew what stays. For any other
    /// agent no event is fired, and what hooks told the model stays.
    ///
    /// # Errors
    /// When a hook of `session.start` denies; then the session is over.
    pub fn clear(&mut self) -> Result<(), Fault> {
        self.conversation.messages.clear();
        self.conversation.length = Length::default();
        if self.first.spec.member.is_none() || self.stage != Stage::Started {
            return Ok(());
        }
        self.finish("clear", None);
        self.conversation.notes.clear();
        self.agent = Arc::clone(&self.first);
        self.began_us = self.agent.shared.runtime.clock().monotonic_us();
        self.begin("clear")
    }

    /// The names of the tools the model is told of.
    #[must_use]
    pub fn tools(&self) -> Vec<String> {
        self.agent.definitions().into_iter().map(|tool| tool.name).collect()
    }

    fn turn_of(&self, number: u32) -> Turn {
        self.agent.turn.store(number, std::sync::atomic::Ordering::Relaxed);
        self.turn_at(&self.agent, number)
    }

    fn turn_at(&self, agent: &Arc<Agent>, number: u32) -> Turn {
        let cancel = agent.shared.cancel.part();
        Turn::new(agent, number, Arc::new(Scratch::default()), cancel, TurnState::default())
    }

    fn finish(&mut self, reason: &str, message: Option<String>) {
        if self.stage != Stage::Started {
            return;
        }
        self.stage = Stage::Ended;
        let shared = &self.agent.shared;
        shared.close();
        let elapsed_us = shared.runtime.clock().monotonic_us().saturating_sub(self.began_us);
        let payload = SessionEnd {
            reason: reason.to_owned(),
            turns: self.turns(),
            duration_ms: elapsed_us / 1_000,
            usage: self.usage(),
            message,
        };
        let turn = self.turn_at(&self.first, 0);
        let _ = turn.fire_end(&Event::of(&payload, Arc::clone(&turn.origin)));
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.end();
    }
}
