//! The summary of a session on a tape, for lists of sessions.

use pintle::tape::record::host::{self, HostRecord, MessageSource, TurnPhase};
use pintle::tape::{LoadedTape, RecordBody};
use serde_json::Value;

/// The summary of a session on a tape.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionSummary {
    /// The session's id.
    pub session: String,
    /// The data its program needs to open it again: the last value of
    /// [`SessionBuilder::reopen_data`](crate::SessionBuilder::reopen_data).
    pub reopen_data: Value,
    /// The agent that answered last.
    pub agent: String,
    /// The number of turns, the last one included.
    pub turns: u32,
    /// The number of the user's prompts.
    pub prompts: usize,
    /// The user's last prompt; may be empty.
    pub last_prompt: String,
    /// When the session began, in milliseconds since the Unix epoch.
    pub began_ms: u64,
    /// When the last record was written, in milliseconds since the Unix epoch.
    pub last_ms: u64,
    /// Whether the session ended or was interrupted.
    pub state: SessionStatus,
    /// The interrupted turn that can be continued.
    pub interrupted_turn: Option<u32>,
}

/// How a session stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionStatus {
    /// It ended normally; its last turn is complete.
    Ended,
    /// Its program was interrupted, between turns or during one.
    Interrupted,
}

/// The records of opened and resumed sessions.
pub(super) fn session_records(reading: &LoadedTape) -> impl Iterator<Item = &host::SessionRecord<'static>> {
    reading.records.iter().filter_map(|record| match &record.body {
        RecordBody::Host(HostRecord::Session(session) | HostRecord::Resumed(session)) => Some(session),
        _ => None,
    })
}

impl SessionSummary {
    /// The summary of the session that was opened last. Returns `None` if the tape contains no session: its program was
    /// interrupted before there was one, or fired events without one.
    #[must_use]
    pub fn from_tape(reading: &LoadedTape) -> Option<Self> {
        let opened = session_records(reading).last()?;
        let session = opened.origin.session.as_str();
        let last_ms = reading.records.last().map_or(reading.header.started_ms, |record| record.at_ms);
        let mut past = Self {
            session: session.to_owned(),
            reopen_data: opened.reopen_data.clone().into_owned(),
            agent: opened.origin.agent.clone(),
            turns: 0,
            prompts: 0,
            last_prompt: String::new(),
            began_ms: reading.header.started_ms,
            last_ms,
            state: SessionStatus::Interrupted,
            interrupted_turn: None,
        };
        let is_own = |origin: &pintle::Origin| origin.session == session && origin.run.is_empty();
        for record in &reading.records {
            match &record.body {
                RecordBody::Host(HostRecord::UserMessage(said)) if is_own(&said.origin) => {
                    if said.source == MessageSource::Prompt {
                        past.prompts += 1;
                        past.interrupted_turn = Some(said.origin.turn);
                    }
                    past.last_prompt = said.text.clone().into_owned();
                }
                RecordBody::Host(HostRecord::Turn(turn)) if is_own(&turn.origin) => {
                    past.turns = past.turns.max(turn.origin.turn);
                    past.agent.clone_from(&turn.origin.agent);
                    let goes_on = turn.phase == TurnPhase::Start && turn.origin.step.is_empty();
                    past.interrupted_turn = goes_on.then_some(turn.origin.turn);
                }
                RecordBody::Event(fired) if is_own(&fired.origin) => match &*fired.event {
                    "session.end" => past.state = SessionStatus::Ended,
                    "session.start" | "session.resume" => past.state = SessionStatus::Interrupted,
                    "agent.switch" => {
                        let kind = fired.payload.get("kind").and_then(Value::as_str);
                        let to = fired.payload.get("to").and_then(Value::as_str);
                        if let (Some("handoff" | "forced_handoff"), Some(to)) = (kind, to) {
                            to.clone_into(&mut past.agent);
                        }
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        if !reading.is_closed() {
            past.state = SessionStatus::Interrupted;
        }
        Some(past)
    }
}
