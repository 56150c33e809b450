//! Summarises the tape of a host's session.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use pintle_host::EventKind;
use pintle_host::loader::TrustGrant;
use pintle_host::tape::{RecordBody, TapeError, TapeReader};
use serde_json::Value;

use crate::HostDef;

/// The summary of a host session's tape.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostSessionSummary {
    /// The host's ID of the session; empty if it has none.
    pub session: String,
    /// The agent that the user talked to last.
    pub agent: String,
    /// The number of turns, including the last one.
    pub turns: u32,
    /// The user's last prompt; empty if there is none.
    pub last_prompt: String,
    /// The start time, in milliseconds since 1970.
    pub began_ms: u64,
    /// The time of the last record, in milliseconds since 1970.
    pub last_ms: u64,
    /// Whether the host reported the end of the session, and nothing since. Not every host reports it.
    pub has_ended: bool,
}

/// The reason why a session's tape has no summary.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionSummaryError {
    /// The tape does not exist.
    #[error("`{path}` does not exist")]
    Missing {
        /// The tape.
        path: PathBuf,
    },
    /// The tape cannot be opened.
    #[error("cannot open `{path}`: {source}")]
    Open {
        /// The tape.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The file is not a tape, or not a valid one.
    #[error(transparent)]
    Tape(#[from] TapeError),
}

/// The guards on a session's tape, by project directory. `None` without a tape, or without guards on it.
pub(super) fn read_recorded_guards(tape: &Path) -> Option<BTreeMap<PathBuf, TrustGrant>> {
    // The complete records of a torn tape are used; whether it may be continued is checked elsewhere.
    let records = TapeReader::open(tape).ok()?.abridged().map_while(Result::ok);
    let notes = records.filter_map(|line| match line.record.body {
        RecordBody::Note(note) if note.kind == super::GUARDS => Some(note.data.into_owned()),
        _ => None,
    });
    serde_json::from_value(notes.last()?).ok()
}

impl HostSessionSummary {
    /// Reads a tape.
    pub(super) fn read(tape: &Path, host: &'static HostDef) -> Result<Self, SessionSummaryError> {
        let reader = TapeReader::open(tape).map_err(|error| match error {
            TapeError::Open { source, path } if source.kind() == ErrorKind::NotFound => {
                SessionSummaryError::Missing { path }
            }
            TapeError::Open { source, path } => SessionSummaryError::Open { path, source },
            error => SessionSummaryError::Tape(error),
        })?;
        Ok(Self::from_tape(reader, host)?)
    }

    fn from_tape(tape: TapeReader<'_>, host: &'static HostDef) -> Result<Self, TapeError> {
        let mut story = Self::default();
        for line in tape.abridged() {
            let record = line?.record;
            story.last_ms = record.at_ms;
            match &record.body {
                RecordBody::Header(header) => {
                    header.session.clone_into(&mut story.session);
                    story.began_ms = header.started_ms;
                }
                RecordBody::Event(fired) if fired.parent.is_none() && fired.origin.run.is_empty() => {
                    fired.origin.agent.clone_into(&mut story.agent);
                    let prompt = fired.payload.get("prompt").and_then(Value::as_str);
                    // A prompt that does not start a turn is not the user's but the reason with which hooks made the
                    // agent continue.
                    if fired.event == EventKind::PromptSubmit.name() && fired.origin.turn > story.turns {
                        prompt.unwrap_or_default().clone_into(&mut story.last_prompt);
                    }
                    story.turns = story.turns.max(fired.origin.turn);
                }
                RecordBody::Note(note) if note.kind == super::HOST_NOTE => {
                    let def = note.data.get("event").and_then(Value::as_str).and_then(|event| host.find_event(event));
                    story.has_ended = def.is_some_and(|def| def.fires.contains(&EventKind::SessionEnd));
                }
                // Calls that ended after the session were already running.
                RecordBody::Closed(_) => story.has_ended = true,
                _ => {}
            }
        }
        Ok(story)
    }
}
