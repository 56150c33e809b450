//! The tool calls of recorded sessions, without what was decided about them.

use std::io::BufRead;

use pintle_clients::ClientDef;
use pintle_lifecycle::CallStage;
use pintle_tape::{RecordBody, TapeReader};
use serde_json::Value;

use super::recorded_things::{RecordedSubject, RecordedThing, ThingCollector};
use super::session_file::read_session_calls;
use super::session_state::TapeEvent;

/// A tool call of a recorded session.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionCall {
    /// The payload of its event, in the words of the agent that made it.
    pub payload: Value,
    /// The working directory; empty if the recording does not say.
    pub cwd: String,
}

impl SessionCall {
    fn from_event(event: &TapeEvent) -> Self {
        Self { cwd: event.origin.cwd.clone(), payload: event.payload.value().clone() }
    }
}

/// The tool calls of a tape, as far as it can be read, and why it could not be read to its end.
#[must_use]
pub fn calls_of_tape(reader: TapeReader<'_>) -> (Vec<SessionCall>, Option<String>) {
    let mut reader = reader.abridged();
    let mut collector = ThingCollector::default();
    let mut calls = Vec::new();
    let error = loop {
        let line = match reader.next() {
            None => break None,
            Some(Err(error)) => break Some(error.to_string()),
            Some(Ok(line)) => line,
        };
        let is_event = matches!(line.record.body, RecordBody::Event(_));
        let whole = if line.is_abridged && is_event { reader.read_payload(&line.text) } else { None };
        collector.add(&line.record, whole);
        calls.extend(collector.take_ready().into_iter().filter_map(call_of));
    };
    collector.end();
    calls.extend(collector.take_ready().into_iter().filter_map(call_of));
    (calls, error)
}

/// The call of a thing, as it was first made.
fn call_of(thing: RecordedThing) -> Option<SessionCall> {
    let RecordedSubject::Call(call) = thing.subject else { return None };
    let event = call.event_of(CallStage::Pre).or_else(|| call.first().map(|(_, event)| event))?;
    Some(SessionCall::from_event(event))
}

/// The tool calls in an agent's own file of a session, and why it could not be read to its end.
pub fn calls_of_session_file(lines: impl BufRead, client: &'static ClientDef) -> (Vec<SessionCall>, Option<String>) {
    let mut calls = Vec::new();
    let read = read_session_calls(lines, client, |_| None, |_, event| calls.push(SessionCall::from_event(&event)));
    (calls, read.error.map(|error| error.to_string()))
}
