//! A session: many turns of one agent with one person.

mod answer;
mod batch;
mod builder;
mod completion;
mod daemon;
mod ending;
mod fault;
mod history;
mod inbox;
mod interrupt;
mod iteration;
mod iterations;
mod limit;
mod looping;
mod prompts;
mod restore;
mod retry;
mod started;
mod step;
mod stop;
mod text_gate;
mod transcript;

use std::sync::Arc;

use pintle::event::{SessionStart, TokenUsage, WorktreeCreate};
use pintle::tape::record::host::{MessageSource, MessagesReplacedBy};
use pintle::{CancelToken, Event, Origin, Outcome, ScratchValues, ScriptLogLine};
use serde_json::{Map, Value};

use crate::agent::{Agent, Shared};
use crate::compaction::{self, Cause, Compacted};
use crate::edits::Edits;
use crate::finish::OnFinish;
use crate::persona::Work;
use crate::taping;
use crate::turn::{Turn, TurnState};

use ending::Ending;
use iterations::Opening;
use restore::CutOff;

pub use answer::Answer;
pub use builder::SessionBuilder;
pub use daemon::DaemonOptions;
pub use fault::{Fault, FaultKind};
pub use inbox::Inbox;
pub use interrupt::{Interrupt, Interrupted};
pub use restore::{Past, PastState};
pub use retry::{RealSleeper, Sleeper};

pub(crate) use completion::shown;
pub(crate) use ending::ends_badly;
pub(crate) use history::{Conversation, Length, estimate, unanswered};
pub(crate) use iterations::{run_turn, since};
pub(crate) use retry::complete;
pub(crate) use started::StartedAgents;
pub(crate) use text_gate::reviews_answers;
pub(crate) use transcript::Transcript;

/// A session of many turns.
///
/// `session.start` is fired by [`Session::start`], and `session.end` by [`Session::end`] or, at the latest, when the
/// session is dropped: once, and only if it was started. [`Session::clear`] fires both for members of a team. A member of a
/// team that the conversation is handed to for the first time hears `session.start` too. A session that was taken up from
/// its tape ([`SessionBuilder::resume`]) fires `session.resume`, then `session.start` with the source `resume`. What its
/// hooks told the model stays when the conversation is compacted or the session taken up again, and is not told twice.
#[derive(Debug)]
pub struct Session {
    /// The agent that the session began with; its hooks are told of the session.
    pub(crate) first: Arc<Agent>,
    /// The agent that the person talks to now.
    agent: Arc<Agent>,
    pub(crate) conversation: Conversation,
    /// The step at work, when one is.
    pub(crate) work: Option<Arc<Work>>,
    interrupt: Interrupt,
    turns: u32,
    began_us: u64,
    stage: Stage,
    /// How the session will end if nobody says otherwise.
    ending: Ending,
    /// Why the last turn stopped.
    stop_reason: String,
    /// The text of the last answer that nobody has made the run's value.
    pub(crate) last: Option<String>,
    pub(crate) on_finish: Option<OnFinish>,
    pub(crate) is_finished: bool,
    /// What the program needs to open the session again.
    opened: Value,
    /// Whether it goes on from a tape.
    is_resumed: bool,
    /// The turn that was cut off when the tape ended.
    cut_off: Option<Box<CutOff>>,
    /// What hooks logged outside of turns; the hooks of the next `turn.end` see it.
    logs: Vec<ScriptLogLine>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    New,
    Started,
    Ended,
}

impl Session {
    pub(crate) fn new(agent: Arc<Agent>, opened: Value) -> Self {
        let conversation = Conversation::new(agent.shared.unique("conversation"));
        let began_us = agent.shared.runtime.clock().monotonic_us();
        Self {
            first: Arc::clone(&agent),
            agent,
            conversation,
            work: None,
            interrupt: Interrupt::default(),
            turns: 0,
            began_us,
            stage: Stage::New,
            ending: Ending::well("done"),
            stop_reason: String::new(),
            last: None,
            on_finish: None,
            is_finished: false,
            opened,
            is_resumed: false,
            cut_off: None,
            logs: Vec::new(),
        }
    }

    /// Starts the session, with the source `startup`, or takes it up again. A second start does nothing.
    ///
    /// # Errors
    /// When a hook of `session.start` or `session.resume` denies: `session blocked: <reason>`.
    pub fn start(&mut self) -> Result<(), Fault> {
        if self.stage != Stage::New {
            return Ok(());
        }
        if self.is_resumed {
            return self.begin_again();
        }
        taping::session(&self.turn_at(&self.first, 0), &self.opened);
        self.begin("startup")
    }

    /// Tells hooks that the working directory is a tree that was made for this session, before it starts.
    ///
    /// # Errors
    /// When a hook of `worktree.create` denies; then the session must not be started.
    pub fn enter(&mut self, made: &WorktreeCreate) -> Result<(), Fault> {
        let turn = self.turn_at(&self.first, 0);
        let outcome = turn.fire(&Event::from_payload(made, Arc::clone(&turn.origin)));
        if outcome.is_allowed() {
            return Ok(());
        }
        self.stage = Stage::Ended;
        Err(Fault::denied(format!("working tree blocked: {}", outcome.reason())))
    }

    /// Fires `session.start`. What its hooks tell the model stays for the session, compaction included.
    fn begin(&mut self, source: &str) -> Result<(), Fault> {
        self.stage = Stage::Started;
        let first = Arc::clone(&self.first);
        first.shared.started.clear();
        self.begin_agent(&first, source)
    }

    /// Fires `session.start` for one agent of the session.
    pub(super) fn begin_agent(&mut self, agent: &Arc<Agent>, source: &str) -> Result<(), Fault> {
        let turn = self.turn_at(agent, 0);
        let outcome = start_agent(&turn, source);
        self.begun(&turn, &outcome)
    }

    /// Takes over what the hooks of the session's beginning said. What they tell the model stays for the session.
    pub(super) fn begun(&mut self, turn: &Turn, outcome: &Outcome) -> Result<(), Fault> {
        self.conversation.add_notes(turn.state.take_persistent());
        self.logs.extend(turn.scope.logs.take_lines());
        if outcome.is_allowed() {
            return Ok(());
        }
        let fault = Fault::denied(format!("session blocked: {}", outcome.reason()));
        self.conclude(Ending::badly(&fault));
        Err(fault)
    }

    /// Plays one turn: the person's message in, the agent's answer out. Starts the session if nobody did.
    ///
    /// After a fault the session goes on with the next turn. A turn that was cut off is left as it is, see
    /// [`Session::go_on`].
    ///
    /// # Errors
    /// When a hook denies the turn, the model fails, or a limit is reached.
    pub fn turn(&mut self, message: &str) -> Result<Answer, Fault> {
        self.start()?;
        if self.stage == Stage::Ended {
            return Err(Fault::failed("session", "the session is over; start another one"));
        }
        self.leave_cut_off();
        self.turns += 1;
        taping::said(&self.turn_of(self.turns), MessageSource::Prompt, message);
        self.play(Opening::Words(message))
    }

    /// Ends the session, and [finishes](Session::finish) its run if nobody did. A second end does nothing.
    pub fn end(&mut self) {
        self.finish();
        self.conclude(self.ending.clone());
        if let Some(tape) = self.shared().runtime.tape() {
            // Where another session is at work on the same tape it is not closed yet.
            let _ = tape.close();
        }
    }

    /// Why the last turn stopped, as one word: see [`Answer::stop_reason`] and [`Fault::stop_reason`]; empty before the
    /// first turn.
    #[must_use]
    pub fn stop_reason(&self) -> &str {
        &self.stop_reason
    }

    /// Tells the hooks of `file.edited`, at the next boundary of a round, that the host itself changed a file. `metadata`
    /// is theirs to see; its `operation` and `bytes` say what was done and how large the file is now.
    pub fn notify_file_edited(&self, path: &str, metadata: Map<String, Value>) {
        Edits::notify(&self.turn_at(&self.first, self.turns), path, metadata);
    }

    /// The tokens of all model calls, those of delegated agents included.
    #[must_use]
    pub fn usage(&self) -> TokenUsage {
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
        self.keep_notes(&turn);
        compacted
    }

    /// Raise it to stop the session and everything it started. [`Session::interrupt`] stops one turn alone.
    #[must_use]
    pub fn cancel(&self) -> &CancelToken {
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
        let turn = self.turn_at(&self.agent, self.turns);
        self.cut_off = None;
        self.conversation.replace(&turn, MessagesReplacedBy::Clear, Vec::new());
        self.conversation.reminders.cleared(&turn);
        if self.first.spec.member.is_none() || self.stage != Stage::Started {
            return Ok(());
        }
        self.conclude(Ending::well("clear"));
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

    pub(crate) fn is_started(&self) -> bool {
        self.stage == Stage::Started
    }

    fn turn_of(&self, number: u32) -> Turn {
        self.agent.turn.store(number, std::sync::atomic::Ordering::Relaxed);
        self.turn_at(&self.agent, number)
    }

    pub(crate) fn turn_at(&self, agent: &Arc<Agent>, number: u32) -> Turn {
        let cancel = agent.shared.cancel.child_token();
        let state = TurnState::new(&self.conversation.reminders, None, Vec::new());
        let state = state.in_work(self.work.clone());
        state.transcript.replace(&self.conversation.messages);
        Turn::new(agent, number, Arc::new(ScratchValues::default()), cancel, state)
    }

    /// What the events of the step at work are fired in; they belong to no turn.
    pub(crate) fn turn_of_work(&self) -> Turn {
        self.turn_at(&self.agent, 0)
    }

    /// What the events of a persona outside its steps are fired in.
    pub(crate) fn turn_for(&self, persona: &str) -> Turn {
        let mut turn = self.turn_at(&self.agent, 0);
        let origin = Origin { persona: persona.to_owned(), step: String::new(), ..Origin::clone(&turn.origin) };
        turn.origin = Arc::new(origin);
        turn
    }

    /// The agent that the person talks to now.
    pub(crate) fn at_work(&self) -> &Arc<Agent> {
        &self.agent
    }

    /// What all agents of the session share.
    pub(crate) fn shared(&self) -> &Shared {
        &self.agent.shared
    }

    /// Keeps what hooks told the model for the rest of the session, and what they logged for the next turn.
    pub(crate) fn keep_notes(&mut self, turn: &Turn) {
        self.conversation.notes.extend(turn.state.take_persistent());
        self.logs.extend(turn.scope.logs.take_lines());
    }
}

/// Fires `session.start` at the hooks of a turn's agent, which takes up a session.
pub(super) fn start_agent(turn: &Turn, source: &str) -> Outcome {
    let shared = &turn.agent.shared;
    shared.started.add(&turn.agent.spec.name);
    let cwd = shared.workspace.root().display().to_string();
    let payload = SessionStart { source: source.to_owned(), cwd, host: None };
    turn.fire(&Event::from_payload(&payload, Arc::clone(&turn.origin)))
}

impl Drop for Session {
    fn drop(&mut self) {
        self.end();
    }
}
