//! The summary of a session on a tape, for lists of sessions.

use std::collections::HashMap;

use pintle_host::EventKind;
use pintle_host::tape::record::host::{HostRecord, MessageSource, TurnPhase};
use pintle_host::tape::{HeaderRecord, LoadedTape, Record, RecordBody, TapeError, TapeSource};
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

/// What a tape says about its session.
#[derive(Debug, Clone, PartialEq)]
pub struct TapeOverview {
    /// The first record.
    pub header: Option<HeaderRecord>,
    /// The number of complete records.
    pub record_count: usize,
    /// When the last record was written, in milliseconds since the Unix epoch.
    pub last_ms: u64,
    /// The session that was opened last. `None` if the tape contains no session: its program was interrupted before
    /// there was one, or fired events without one.
    pub summary: Option<SessionSummary>,
}

/// The sessions of a tape up to a record.
#[derive(Debug, Default)]
struct SessionFold {
    header: Option<HeaderRecord>,
    record_count: usize,
    last_ms: u64,
    sessions: HashMap<String, SessionSummary>,
    last_opened: Option<String>,
    is_closed: bool,
}

impl TapeOverview {
    /// Reads a tape.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn from_tape(tape: &TapeSource) -> Result<Self, TapeError> {
        let mut fold = SessionFold::default();
        let reader = tape.visit(&mut |record, _| fold.add(&record))?;
        let torn = match tape {
            TapeSource::Loaded(tape) => tape.torn,
            TapeSource::File { .. } => reader.and_then(|reader| reader.torn()),
        };
        let is_closed = fold.is_closed && torn.is_none();
        let (header, record_count, last_ms) = (fold.header.clone(), fold.record_count, fold.last_ms);
        Ok(Self { header, record_count, last_ms, summary: fold.into_summary(is_closed) })
    }
}

impl SessionSummary {
    /// The summary of the session that was opened last; see [`TapeOverview::summary`].
    #[must_use]
    pub fn from_tape(tape: &LoadedTape) -> Option<Self> {
        let mut fold = SessionFold::default();
        tape.records.iter().for_each(|record| fold.add(record));
        fold.into_summary(tape.is_closed())
    }

    fn new(session: &str, began_ms: u64) -> Self {
        Self {
            session: session.to_owned(),
            reopen_data: Value::Null,
            agent: String::new(),
            turns: 0,
            prompts: 0,
            last_prompt: String::new(),
            began_ms,
            last_ms: began_ms,
            state: SessionStatus::Interrupted,
            interrupted_turn: None,
        }
    }

    /// Adds a record of the agent that talks to the user.
    fn add(&mut self, body: &RecordBody<'_>) {
        match body {
            RecordBody::Host(HostRecord::UserMessage(said)) => {
                if said.source == MessageSource::Prompt {
                    self.prompts += 1;
                    self.interrupted_turn = Some(said.origin.turn);
                }
                self.last_prompt = said.text.clone().into_owned();
            }
            RecordBody::Host(HostRecord::Turn(turn)) => {
                self.turns = self.turns.max(turn.origin.turn);
                self.agent.clone_from(&turn.origin.agent);
                let goes_on = turn.phase == TurnPhase::Start && turn.origin.step.is_empty();
                self.interrupted_turn = goes_on.then_some(turn.origin.turn);
            }
            RecordBody::Event(fired) => match EventKind::from_name(&fired.event) {
                Some(EventKind::SessionEnd) => self.state = SessionStatus::Ended,
                Some(EventKind::SessionStart | EventKind::SessionResume) => self.state = SessionStatus::Interrupted,
                Some(EventKind::AgentSwitch) => {
                    let kind = fired.payload.get("kind").and_then(Value::as_str);
                    let to = fired.payload.get("to").and_then(Value::as_str);
                    if let (Some("handoff" | "forced_handoff"), Some(to)) = (kind, to) {
                        to.clone_into(&mut self.agent);
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }
}

impl SessionFold {
    fn add(&mut self, record: &Record<'_>) {
        self.last_ms = record.at_ms;
        self.record_count += 1;
        self.is_closed = matches!(record.body, RecordBody::Closed(_));
        let origin = match &record.body {
            RecordBody::Header(header) => {
                self.header = Some(header.clone());
                return;
            }
            RecordBody::Event(fired) => &fired.origin,
            RecordBody::Host(host) => host.origin(),
            _ => return,
        };
        if !origin.run.is_empty() && !matches!(record.body, RecordBody::Host(HostRecord::Session(_))) {
            return;
        }
        let began_ms = self.header.as_ref().map_or(0, |header| header.started_ms);
        let new = || SessionSummary::new(&origin.session, began_ms);
        let summary = self.sessions.entry(origin.session.clone()).or_insert_with(new);
        if let RecordBody::Host(HostRecord::Session(opened) | HostRecord::Resumed(opened)) = &record.body {
            summary.reopen_data = opened.reopen_data.clone().into_owned();
            if summary.turns == 0 {
                summary.agent.clone_from(&origin.agent);
            }
            self.last_opened = Some(origin.session.clone());
        }
        summary.add(&record.body);
    }

    fn into_summary(mut self, is_closed: bool) -> Option<SessionSummary> {
        let mut summary = self.sessions.remove(&self.last_opened?)?;
        summary.last_ms = self.last_ms;
        if !is_closed {
            summary.state = SessionStatus::Interrupted;
        }
        Some(summary)
    }
}
