//! Resumes a session from its tape.
//!
//! `fold` computes the session's state at the end of the tape, `interrupted_turn` is the turn that was running then, if
//! any, `open_steps` the steps of personas, and `calls` the model calls, for models that track their position. Restored
//! are the conversation with context from hooks, reminders, usage, the number of turns, the active agent, the user's
//! approvals, the metrics and cache of scripts, and the progress of an interrupted turn. Not restored are background
//! tasks, servers and lists that toolsets keep in memory, and hooks, tools and agents that an agent registered itself.

mod calls;
mod decode;
mod fold;
mod interrupted_turn;
mod open_event;
mod open_steps;
mod summary;

use std::sync::Arc;

use pintle_host::contract::{ApprovalScope, EffectRequest};
use pintle_host::event::{SessionResume, TokenUsage};
use pintle_host::tape::TapeSource;
use pintle_host::{Event, EventKind, EventScope, Layer};
use serde_json::Value;

use super::{Session, SessionPhase};
use crate::conversation::ConversationLength;
use crate::model::ModelMessage;
use crate::recording;
use crate::reminders::ConversationReminders;
use crate::session_state::TurnOutput;
use crate::turn_error::TurnError;
use crate::turn_loop::{TurnInput, play_turn, usage_since};

pub use summary::{SessionStatus, SessionSummary, TapeOverview};

pub(super) use interrupted_turn::InterruptedTurn;

use calls::RecordedModelCalls;

/// The state of a session at the end of its tape.
#[derive(Debug, Default)]
pub(super) struct RestoredSession {
    /// The conversation's id, if it has messages.
    conversation: Option<String>,
    messages: Vec<ModelMessage>,
    notes: Vec<String>,
    reminders: Arc<ConversationReminders>,
    usage: TokenUsage,
    /// The number of answered model calls.
    answered_count: u32,
    length: ConversationLength,
    turns: u32,
    /// The agent that talks to the user, if it is not the first one.
    speaker: Option<String>,
    grants: Vec<(ApprovalScope, Value)>,
    /// Changes of scripts to the metrics and the cache, with their layer and hook.
    effects: Vec<(Layer, String, EffectRequest)>,
    usage_records: Vec<RecordedUsage>,
    /// The `persona.paused` and `persona.resumed` events.
    personas: Vec<(EventKind, Value)>,
    interrupted_turn: Option<Box<InterruptedTurn>>,
    calls: RecordedModelCalls,
    /// The number of records, which is larger than any number in a generated name.
    record_count: u64,
}

/// The tokens of one model call.
#[derive(Debug)]
struct RecordedUsage {
    /// The personas that it is charged to.
    personas: Vec<String>,
    model: String,
    usage: TokenUsage,
}

impl RestoredSession {
    /// Drops the user's approvals.
    pub(super) fn forget_grants(&mut self) {
        self.grants.clear();
    }

    /// Restores the session of this name from a tape.
    ///
    /// # Errors
    /// When the tape does not contain the session, or a message in it is invalid.
    pub(super) fn from_tape(tape: &TapeSource, session: &str) -> Result<Self, String> {
        fold::fold_tape(tape, session)
    }

    /// Adds context from hooks for the rest of the session. Context from `session.start` is not added twice.
    fn add_notes(&mut self, event: EventKind, notes: Vec<String>) {
        for note in notes {
            if event != EventKind::SessionStart || !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
    }
}

/// The name of the session on a tape: the one that was opened last.
///
/// # Errors
/// When the tape cannot be read.
pub(super) fn find_session(tape: &TapeSource) -> Result<Option<String>, String> {
    let overview = TapeOverview::from_tape(tape).map_err(|error| error.to_string())?;
    Ok(overview.summary.map(|summary| summary.session))
}

impl Session {
    /// Applies a restored state. No event is fired and nothing is recorded yet.
    ///
    /// # Errors
    /// When the active agent no longer exists.
    pub(super) fn with_restored(mut self, restored: RestoredSession) -> Result<Self, String> {
        let shared = Arc::clone(&self.agent.shared);
        shared.skip_names_up_to(restored.record_count);
        for (event, payload) in restored.personas {
            shared.state.personas.restore_event(event, &payload);
        }
        for RecordedUsage { personas, model, usage } in restored.usage_records {
            personas.iter().for_each(|persona| shared.state.personas.restore_usage(persona, &model, usage));
            shared.state.meter.restore(&model, usage);
        }
        for (layer, by, request) in restored.effects {
            shared.runtime.restore_effect(&EventScope::default(), layer, &by, request);
        }
        for (grant, call) in &restored.grants {
            let tool = call.get("name").and_then(Value::as_str).unwrap_or_default();
            match grant {
                ApprovalScope::Tool => shared.permissions.grant_call(tool, call.get("args").unwrap_or(&Value::Null)),
                ApprovalScope::Session => shared.permissions.grant_session(),
            }
        }
        if let Some(name) = restored.speaker.filter(|name| *name != self.agent.spec.name) {
            let team = shared.team.as_ref().ok_or_else(|| format!("agent `{name}` no longer exists"))?;
            self.agent = team.as_successor(&self.agent, &name)?;
        }
        restored.calls.resume_model(&*self.first_agent.model);
        let conversation = &mut self.conversation;
        if let Some(name) = restored.conversation {
            conversation.id = name;
        }
        conversation.messages = restored.messages;
        conversation.notes = restored.notes;
        conversation.reminders = restored.reminders;
        conversation.usage = restored.usage;
        conversation.calls = restored.answered_count;
        conversation.length = restored.length;
        self.turns = restored.turns;
        self.interrupted_turn = restored.interrupted_turn;
        self.is_resumed = true;
        Ok(self)
    }

    /// Fires `session.resume`, then `session.start` for the first agent and for the active one. Context from their
    /// hooks stays for the session.
    pub(super) fn fire_resume(&mut self) -> Result<(), TurnError> {
        self.phase = SessionPhase::Started;
        let turn = self.turn_for_agent(&self.first_agent, 0);
        recording::resumed(&turn, &self.reopen_data);
        let cwd = self.agent.shared.workspace.root().display().to_string();
        let payload = SessionResume { source: String::from("resume"), cwd, ..SessionResume::default() };
        let outcome = turn.fire(&Event::from_payload(&payload, Arc::clone(&turn.origin)));
        self.apply_start_outcome(&turn, &outcome)?;
        let (first, now) = (Arc::clone(&self.first_agent), Arc::clone(&self.agent));
        self.fire_agent_start(&first, "resume")?;
        match Arc::ptr_eq(&first, &now) {
            true => Ok(()),
            false => self.fire_agent_start(&now, "resume"),
        }
    }

    /// The number of the interrupted turn, if the session was resumed and has not continued it yet.
    #[must_use]
    pub fn interrupted_turn(&self) -> Option<u32> {
        self.interrupted_turn.as_ref().filter(|turn| turn.can_continue()).map(|turn| turn.number)
    }

    /// Continues the interrupted turn to its answer. Returns `None` if there is none. Starts the session if needed.
    ///
    /// Open calls get a result that says they were interrupted, unless the tape contains their tool's result. Hooks may
    /// be called again for the interrupted step.
    ///
    /// # Errors
    /// As for [`Session::turn`].
    pub fn continue_turn(&mut self) -> Result<Option<TurnOutput>, TurnError> {
        self.start()?;
        let Some(turn) = self.interrupted_turn.take_if(|turn| turn.can_continue()) else { return Ok(None) };
        self.turns = turn.number;
        self.play_turn(TurnInput::Interrupted(turn)).map(Some)
    }

    /// Closes the interrupted turn, because the user starts another one.
    pub(super) fn abandon_interrupted_turn(&mut self) {
        let Some(cut_off) = self.interrupted_turn.take() else { return };
        self.turns = cut_off.number;
        let turn = self.new_turn(cut_off.number);
        let usage = usage_since(cut_off.usage_before, self.conversation.usage);
        let has_begun = cut_off.has_begun;
        cut_off.abandon(&turn, &mut self.conversation);
        if has_begun {
            recording::record_turn_end(&turn, "interrupted", usage);
        }
    }

    /// Runs a turn of the active agent.
    pub(super) fn play_turn(&mut self, opening: TurnInput<'_>) -> Result<TurnOutput, TurnError> {
        let turn = self.new_turn(self.turns);
        turn.scope.scratch.set_for_all_layers(String::from("turn"), turn.origin.turn.into());
        self.logs.drain(..).for_each(|line| turn.scope.logs.push(line));
        let answer = {
            let _working = self.interrupt.begin_turn(&turn.scope.cancel);
            play_turn(&turn, &mut self.conversation, opening)
        };
        if let Some(speaker) = self.conversation.speaker.take() {
            self.agent = speaker;
        }
        self.record_turn(&answer);
        answer
    }
}
