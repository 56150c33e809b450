//! A session: many turns of one agent with one user.

mod build_error;
mod builder;
mod daemon;
mod ending;
mod finish;
mod interrupt;
mod restore;

use std::sync::Arc;

use pintle_host::event::{TokenUsage, WorktreeCreate};
use pintle_host::tape::record::host::{MessageSource, MessagesReplacedBy};
use pintle_host::{CancelToken, Event, Origin, Outcome};
use pintle_host::{ScratchValues, ScriptLogLine};
use serde_json::{Map, Value};

use crate::compaction::{self, CompactionResult, CompactionTrigger};
use crate::conversation::Conversation;
use crate::recording;
use crate::session_events::fire_session_start;
use crate::session_state::{Inbox, TurnOutput};
use crate::turn_context::{Agent, SessionContext, StepContext, TurnContext, TurnState};
use crate::turn_error::TurnError;
use crate::turn_loop::TurnInput;

use ending::SessionEnding;
use finish::FinishCallback;
use restore::InterruptedTurn;

pub use build_error::SessionBuildError;
pub use builder::SessionBuilder;
pub use daemon::DaemonOptions;
pub use interrupt::{InterruptHandle, InterruptResult};
pub use restore::{SessionStatus, SessionSummary, TapeOverview};

/// A session of many turns.
///
/// [`Session::start`] fires `session.start`. [`Session::end`], or dropping the session, fires `session.end`, once and
/// only if it was started. [`Session::clear`] fires both for members of a team. A member of a team also gets
/// `session.start` when the conversation is handed to it for the first time. A resumed session
/// ([`SessionBuilder::resume`]) fires `session.resume`, then `session.start` with the source `resume`. Context from
/// these hooks survives compaction and resuming, and is not added twice.
#[derive(Debug)]
pub struct Session {
    /// The agent that the session began with; its hooks get the events of the session.
    pub(crate) first_agent: Arc<Agent>,
    /// The agent that talks to the user now.
    agent: Arc<Agent>,
    pub(crate) conversation: Conversation,
    /// The running step, if any.
    pub(crate) step_context: Option<Arc<StepContext>>,
    interrupt: InterruptHandle,
    turns: u32,
    began_us: u64,
    phase: SessionPhase,
    /// How the session will end by default.
    ending: SessionEnding,
    /// Why the last turn stopped.
    stop_reason: String,
    /// The text of the last answer, until it becomes the run's value.
    pub(crate) last_answer: Option<String>,
    pub(crate) on_finish: Option<FinishCallback>,
    pub(crate) is_finished: bool,
    /// The data the program needs to open the session again.
    reopen_data: Value,
    /// Whether the session is resumed from a tape.
    is_resumed: bool,
    /// The turn that was interrupted when the tape ended.
    interrupted_turn: Option<Box<InterruptedTurn>>,
    /// Log lines of hooks outside of turns; the hooks of the next `turn.end` see them.
    logs: Vec<ScriptLogLine>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SessionPhase {
    New,
    Started,
    Ended,
}

impl Session {
    pub(crate) fn new(agent: Arc<Agent>, opened: Value) -> Self {
        let conversation = Conversation::new(agent.shared.unique_name("conversation"));
        let began_us = agent.shared.runtime.clock().monotonic_us();
        Self {
            first_agent: Arc::clone(&agent),
            agent,
            conversation,
            step_context: None,
            interrupt: InterruptHandle::default(),
            turns: 0,
            began_us,
            phase: SessionPhase::New,
            ending: SessionEnding::from_reason("done"),
            stop_reason: String::new(),
            last_answer: None,
            on_finish: None,
            is_finished: false,
            reopen_data: opened,
            is_resumed: false,
            interrupted_turn: None,
            logs: Vec::new(),
        }
    }

    /// Starts the session, with the source `startup`, or resumes it. A second call does nothing.
    ///
    /// # Errors
    /// When a hook of `session.start` or `session.resume` denies: `session blocked: <reason>`.
    pub fn start(&mut self) -> Result<(), TurnError> {
        if self.phase != SessionPhase::New {
            return Ok(());
        }
        if self.is_resumed {
            return self.fire_resume();
        }
        recording::session(&self.turn_for_agent(&self.first_agent, 0), &self.reopen_data);
        self.fire_start("startup")
    }

    /// Fires `worktree.create`, because the working directory was created for this session. Call it before the session
    /// starts.
    ///
    /// # Errors
    /// When a hook of `worktree.create` denies; then the session must not be started.
    pub fn enter_worktree(&mut self, worktree: &WorktreeCreate) -> Result<(), TurnError> {
        let turn = self.turn_for_agent(&self.first_agent, 0);
        let outcome = turn.fire(&Event::from_payload(worktree, Arc::clone(&turn.origin)));
        if outcome.is_allowed() {
            return Ok(());
        }
        self.phase = SessionPhase::Ended;
        Err(TurnError::denied(format!("working tree blocked: {}", outcome.reason())))
    }

    /// Fires `session.start`. Context from its hooks stays for the whole session.
    fn fire_start(&mut self, source: &str) -> Result<(), TurnError> {
        self.phase = SessionPhase::Started;
        let first = Arc::clone(&self.first_agent);
        first.shared.state.started_agents.clear();
        self.fire_agent_start(&first, source)
    }

    /// Fires `session.start` for one agent of the session.
    pub(super) fn fire_agent_start(&mut self, agent: &Arc<Agent>, source: &str) -> Result<(), TurnError> {
        let turn = self.turn_for_agent(agent, 0);
        let outcome = fire_session_start(&turn, source);
        self.apply_start_outcome(&turn, &outcome)
    }

    /// Applies the outcome of a session's first events. Context from their hooks stays for the whole session.
    pub(super) fn apply_start_outcome(&mut self, turn: &TurnContext, outcome: &Outcome) -> Result<(), TurnError> {
        self.conversation.add_notes(turn.state.take_persistent());
        self.logs.extend(turn.scope.logs.take_lines());
        if outcome.is_allowed() {
            return Ok(());
        }
        let error = TurnError::blocked("session", outcome);
        self.conclude(SessionEnding::from_error(&error));
        Err(error)
    }

    /// Runs one turn: takes the user's message and returns the agent's answer. Starts the session if needed.
    ///
    /// After an error the session can continue with another turn. An interrupted turn is abandoned, see
    /// [`Session::continue_turn`].
    ///
    /// # Errors
    /// When a hook denies the turn, the model fails, or a limit is reached.
    pub fn turn(&mut self, message: &str) -> Result<TurnOutput, TurnError> {
        self.start()?;
        if self.phase == SessionPhase::Ended {
            return Err(TurnError::failed("session", "the session has ended; start another one"));
        }
        self.abandon_interrupted_turn();
        self.turns += 1;
        recording::record_user_message(&self.new_turn(self.turns), MessageSource::Prompt, message);
        self.play_turn(TurnInput::Prompt(message))
    }

    /// Ends the session, and [finishes](Session::finish) its run if that was not done. A second call does nothing.
    pub fn end(&mut self) {
        self.finish();
        self.conclude(self.ending.clone());
        if let Some(tape) = self.context().runtime.tape() {
            // If another session still writes to the tape, it is not closed yet.
            let _ = tape.close();
        }
    }

    /// Why the last turn stopped, as one word: see [`TurnOutput::stop_reason`] and [`TurnError::stop_reason`]; empty
    /// before the first turn.
    #[must_use]
    pub fn stop_reason(&self) -> &str {
        &self.stop_reason
    }

    /// Reports a file that the host itself changed; `file.edited` fires at the end of the iteration. `metadata` is
    /// passed to the hooks; its `operation` and `bytes` give the operation and the new size of the file.
    pub fn notify_file_edited(&self, path: &str, metadata: Map<String, Value>) {
        self.turn_for_agent(&self.first_agent, self.turns).queue_host_edit(path, metadata);
    }

    /// The tokens of all model calls, including those of delegated agents.
    #[must_use]
    pub fn usage(&self) -> TokenUsage {
        self.conversation.usage
    }

    /// The number of turns.
    #[must_use]
    pub fn turns(&self) -> u32 {
        self.turns
    }

    /// The name of the agent that talks to the user now, which a hand-off changes.
    #[must_use]
    pub fn agent(&self) -> &str {
        &self.agent.spec.name
    }

    /// The inbox for messages of the user while a turn runs, usable from any thread.
    #[must_use]
    pub fn inbox(&self) -> Inbox {
        self.agent.shared.state.inbox.clone()
    }

    /// Compacts the conversation at the user's request. `instructions` says what to keep. Starts the session if needed.
    ///
    /// Returns `None` if the conversation stays unchanged: there is nothing to compact, or a hook of `compact.pre` or
    /// `compact.before` denied and the user was told why.
    ///
    /// # Errors
    /// When the session does not start, or the model gives no summary.
    pub fn compact(&mut self, instructions: Option<&str>) -> Result<Option<CompactionResult>, TurnError> {
        self.start()?;
        let turn = self.turn_for_agent(&self.agent, self.turns);
        let compacted = {
            let _working = self.interrupt.begin_turn(&turn.scope.cancel);
            compaction::compact(&turn, &mut self.conversation, CompactionTrigger::Manual, instructions)
        };
        self.keep_notes(&turn);
        compacted
    }

    /// The token that stops the session and everything it started. [`Session::interrupt`] stops only one turn.
    #[must_use]
    pub fn cancel(&self) -> &CancelToken {
        &self.agent.shared.cancel
    }

    /// A handle that stops the running turn, from any thread, and leaves the session usable.
    #[must_use]
    pub fn interrupt(&self) -> InterruptHandle {
        self.interrupt.clone()
    }

    /// Clears the conversation; the turns and the usage are kept.
    ///
    /// For a member of a team ([`LoopRules::has_own_sessions`](pintle_host::contract::LoopRules::has_own_sessions)) this ends one session
    /// and starts another: `session.end` with the reason `clear`, then `session.start` with the source `clear`, whose
    /// hooks add their context again. For any other agent no event is fired, and context from hooks stays.
    ///
    /// # Errors
    /// When a hook of `session.start` denies; then the session has ended.
    pub fn clear(&mut self) -> Result<(), TurnError> {
        let turn = self.turn_for_agent(&self.agent, self.turns);
        self.interrupted_turn = None;
        self.conversation.replace(&turn, MessagesReplacedBy::Clear, Vec::new());
        turn.change_reminders(&self.conversation.reminders, |held| held.on_cleared());
        if !self.first_agent.spec.rules.has_own_sessions || self.phase != SessionPhase::Started {
            return Ok(());
        }
        self.conclude(SessionEnding::from_reason("clear"));
        self.conversation.notes.clear();
        self.agent = Arc::clone(&self.first_agent);
        self.began_us = self.agent.shared.runtime.clock().monotonic_us();
        self.fire_start("clear")
    }

    /// The names of the tools that the model is offered.
    #[must_use]
    pub fn tools(&self) -> Vec<String> {
        self.agent.definitions().into_iter().map(|tool| tool.name).collect()
    }

    pub(crate) fn is_started(&self) -> bool {
        self.phase == SessionPhase::Started
    }

    fn new_turn(&self, number: u32) -> TurnContext {
        self.agent.turn.store(number, std::sync::atomic::Ordering::Relaxed);
        self.turn_for_agent(&self.agent, number)
    }

    pub(crate) fn turn_for_agent(&self, agent: &Arc<Agent>, number: u32) -> TurnContext {
        let cancel = agent.shared.cancel.child_token();
        let state = TurnState::new(&self.conversation.reminders, None, Vec::new());
        let state = state.in_step(self.step_context.clone());
        state.transcript.replace(&self.conversation.messages);
        TurnContext::new(agent, number, Arc::new(ScratchValues::default()), cancel, state)
    }

    /// The context for events of the running step, which do not belong to a turn.
    pub(crate) fn turn_in_step(&self) -> TurnContext {
        self.turn_for_agent(&self.agent, 0)
    }

    /// The context for events of a persona outside its steps.
    pub(crate) fn turn_for_persona(&self, persona: &str) -> TurnContext {
        let mut turn = self.turn_for_agent(&self.agent, 0);
        let origin = Origin { persona: persona.to_owned(), step: String::new(), ..Origin::clone(&turn.origin) };
        turn.origin = Arc::new(origin);
        turn
    }

    /// The agent that talks to the user now.
    pub(crate) fn active_agent(&self) -> &Arc<Agent> {
        &self.agent
    }

    /// The state that all agents of the session share.
    pub(crate) fn context(&self) -> &SessionContext {
        &self.agent.shared
    }

    /// Keeps context from hooks for the rest of the session, and their log lines for the next turn.
    pub(crate) fn keep_notes(&mut self, turn: &TurnContext) {
        self.conversation.notes.extend(turn.state.take_persistent());
        self.logs.extend(turn.scope.logs.take_lines());
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.end();
    }
}
