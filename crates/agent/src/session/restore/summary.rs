//! What a tape tells of its session, for lists of sessions.

use pintle::tape::record::host::{self, HostRecord, MessageSource, TurnPhase};
use pintle::tape::{LoadedTape, RecordBody};
use serde_json::Value;

/// What a tape tells of its session.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionSummary {
    /// The session's name.
    pub session: String,
    /// What its program needs to open it again, as [`SessionBuilder::reopen_data`](crate::SessionBuilder::opened) was given
    /// it last.
    pub reopen_data: Value,
    /// The agent that spoke last.
    pub agent: String,
    /// How many turns there were, the last one included.
    pub turns: u32,
    /// How many prompts the person gave.
    pub prompts: usize,
    /// What the person said last; empty when that was nothing.
    pub last_prompt: String,
    /// When it began, milliseconds since the Unix epoch.
    pub began_ms: u64,
    /// When something was written last, milliseconds since the Unix epoch.
    pub last_ms: u64,
    /// How it stands.
    pub state: SessionStatus,
    /// The turn that was cut off and can be gone on with.
    pub interrupted_turn: Option<u32>,
}

/// How a session stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionStatus {
    /// It ended in good order; its last turn is whole.
    Ended,
    /// Its program was cut off, between turns or in one.
    Interrupted,
}

/// The records with which sessions were opened or taken up again.
pub(super) fn session_records(reading: &LoadedTape) -> impl Iterator<Item = &host::SessionRecord<'static>> {
    reading.records.iter().filter_map(|record| match &record.body {
        RecordBody::Host(HostRecord::Session(session) | HostRecord::Resumed(session)) => Some(session),
        _ => None,
    })
}

impl SessionSummary {
    /// Reads what a tape tells of the session that was opened last. `None` when it tells of none: the program that wrote it
    /// was cut off before there was one, or fired events without one.
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
