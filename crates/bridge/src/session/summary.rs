//! What the tape of a host's session tells of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pintle::loader::TrustGrant;
use pintle::tape::{RecordBody, TapeError, TapeReader, session_folder};
use serde_json::Value;

use crate::HostDef;

/// What the tape of a host's session tells of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostSessionSummary {
    /// The session as the host names it; empty where it has no name.
    pub session: String,
    /// The agent that the person talked to last.
    pub agent: String,
    /// How many turns there were, the last one included.
    pub turns: u32,
    /// What the person said last; empty when that was nothing.
    pub last_prompt: String,
    /// When it began, in milliseconds since 1970.
    pub began_ms: u64,
    /// When something was written last, in milliseconds since 1970.
    pub last_ms: u64,
    /// Whether the host told its end, and nothing since. Not every host tells it.
    pub has_ended: bool,
}

/// The guards that stand on a session's tape, by the folders of their projects. Nothing where there is no tape, or none of
/// them was written.
pub(super) fn read_recorded_guards(tape: &Path) -> Option<BTreeMap<PathBuf, TrustGrant>> {
    let bytes = session_folder::read_if_exists(tape).ok()??;
    // Of a tape that is torn what stands before counts; whether it may be gone on with is asked elsewhere.
    let records = TapeReader::new(&bytes).ok()?.map_while(Result::ok);
    let notes = records.filter_map(|line| match line.record.body {
        RecordBody::Note(note) if note.kind == super::GUARDS => Some(note.data.into_owned()),
        _ => None,
    });
    serde_json::from_value(notes.last()?).ok()
}

impl HostSessionSummary {
    /// Reads a tape.
    pub(super) fn read(tape: &Path, host: &'static HostDef) -> Result<Self, String> {
        let bytes = session_folder::read_if_exists(tape)
            .map_err(|fault| format!("cannot open `{}`: {fault}", tape.display()))?;
        let bytes = bytes.ok_or_else(|| format!("`{}` does not exist", tape.display()))?;
        Self::from_tape(&bytes, host).map_err(|fault| fault.to_string())
    }

    fn from_tape(tape: &[u8], host: &'static HostDef) -> Result<Self, TapeError> {
        let mut story = Self::default();
        for line in TapeReader::new(tape)? {
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
                    // A prompt that begins no turn is no person's but the reason that hooks sent the agent on with.
                    if fired.event == "prompt.submit" && fired.origin.turn > story.turns {
                        prompt.unwrap_or_default().clone_into(&mut story.last_prompt);
                    }
                    story.turns = story.turns.max(fired.origin.turn);
                }
                RecordBody::Note(note) if note.kind == super::NOTE => {
                    let row = note.data.get("event").and_then(Value::as_str).and_then(|event| host.find_event(event));
                    story.has_ended = row.is_some_and(|row| row.fires.contains(&"session.end"));
                }
                _ => {}
            }
        }
        Ok(story)
    }
}
