//! One session, as lists tell of it.

use std::fs;
use std::io;
use std::path::PathBuf;

use pintle::tape::show::single_line;
use pintle::tape::{is_being_written, read};
use pintle_agent::{SessionSummary, SessionStatus};
use pintle_bridge::StoredSession;
use serde_json::{Value, json};

use crate::fault::Fault;
use crate::options::SessionTape;
use crate::render::{age, size};

/// Characters of an ID that are shown. Those of other agents are as long as a UUID.
pub(super) const ID_CUT: usize = 40;
/// Characters of another name that are shown.
const CUT: usize = 30;
/// Characters of what the person said last that are shown.
const WORDS_CUT: usize = 48;

/// What stands of a session under `ID`, `WHEN`, `AGENT`, `TURNS`, `STATE`, `SIZE` and `LAST WORDS`.
pub(super) type Cells = [String; 7];

/// One session, as lists tell of it.
pub(super) struct Listed {
    pub(super) id: String,
    pub(super) tape: PathBuf,
    pub(super) size_bytes: u64,
    pub(super) state: State,
    /// When something was written last, milliseconds since the Unix epoch.
    pub(super) last_ms: Option<u64>,
    /// Why its tape cannot be read.
    pub(super) fault: Option<String>,
    told: Option<Told>,
    /// What another agent had is kept as such.
    kept: Option<StoredSession>,
}

/// How a session stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Somebody writes its tape.
    Running,
    /// It came to its end.
    Ended,
    /// Its program did not come to an end.
    Interrupted,
    /// The other agent has not told its end.
    Open,
    /// Its tape cannot be read.
    Unreadable,
}

/// What a tape tells.
struct Told {
    agent: String,
    turns: u32,
    began_ms: u64,
    last_words: String,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Ended => "ended",
            Self::Interrupted => "interrupted",
            Self::Open => "open",
            Self::Unreadable => "unreadable",
        }
    }
}

impl Listed {
    /// A session that was run here.
    pub(super) fn of_tape(SessionTape { id, path: tape }: SessionTape) -> Self {
        let size_bytes = fs::metadata(&tape).map_or(0, |file| file.len());
        let reading = read(&tape);
        let past = reading.as_ref().ok().and_then(SessionSummary::from_tape);
        let state = match &past {
            _ if is_being_written(&tape).unwrap_or(false) => State::Running,
            _ if reading.is_err() => State::Unreadable,
            Some(past) if past.state == SessionStatus::Ended => State::Ended,
            // Without a session on its tape it was cut off before there was one.
            _ => State::Interrupted,
        };
        let last_ms = reading.as_ref().ok().and_then(|reading| reading.records.last()).map(|record| record.at_ms);
        let told = past.map(|past| Told {
            agent: past.agent,
            turns: past.turns,
            began_ms: past.began_ms,
            last_words: past.last_prompt,
        });
        let fault = reading.err().map(|fault| fault.to_string());
        Self { id, tape, size_bytes, state, last_ms, fault, told, kept: None }
    }

    /// A session that another agent had.
    pub(super) fn of_kept(kept: StoredSession) -> Self {
        let story = kept.summary.as_ref().ok();
        let state = match story {
            _ if kept.is_in_use => State::Running,
            None => State::Unreadable,
            Some(story) if story.has_ended => State::Ended,
            Some(_) => State::Open,
        };
        let told = story.map(|story| Told {
            agent: story.agent.clone(),
            turns: story.turns,
            began_ms: story.began_ms,
            last_words: story.last_prompt.clone(),
        });
        Self {
            id: kept.session.clone(),
            tape: kept.tape_path(),
            size_bytes: kept.size_bytes,
            state,
            last_ms: story.map(|story| story.last_ms),
            fault: kept.summary.as_ref().err().cloned(),
            told,
            kept: Some(kept),
        }
    }

    /// One of which nothing else is known.
    #[cfg(test)]
    pub(super) fn bare(id: &str, state: State, last_ms: Option<u64>) -> Self {
        let (id, tape) = (id.to_owned(), PathBuf::from(id));
        Self { id, tape, size_bytes: 0, state, last_ms, fault: None, told: None, kept: None }
    }

    /// Deletes it: its tape, or all that is kept of another agent's.
    pub(super) fn delete(&self) -> Result<(), Fault> {
        let deleted = match &self.kept {
            Some(kept) => kept.delete(),
            None => fs::remove_file(&self.tape),
        };
        deleted.map_err(|fault| match fault.kind() {
            io::ErrorKind::TimedOut => self.at_work(),
            _ => Fault::failed(format!("cannot delete `{}`: {fault}", self.tape.display())),
        })
    }

    /// Why it cannot be deleted.
    pub(super) fn at_work(&self) -> Fault {
        let fault = Fault::failed(format!("session `{}` is at work", single_line(&self.id, ID_CUT)));
        fault.help("end it first, then delete it")
    }

    pub(super) fn cells(&self, now_ms: u64) -> Cells {
        let told = self.told.as_ref();
        let words = |told: &Told| told.last_words.split_whitespace().collect::<Vec<_>>().join(" ");
        [
            single_line(&self.id, ID_CUT),
            self.last_ms.map(|last_ms| age(now_ms.saturating_sub(last_ms))).unwrap_or_default(),
            told.map(|told| single_line(&told.agent, CUT)).unwrap_or_default(),
            told.map(|told| told.turns.to_string()).unwrap_or_default(),
            self.state.word().to_owned(),
            size(self.size_bytes),
            told.map(|told| single_line(&words(told), WORDS_CUT)).unwrap_or_default(),
        ]
    }

    /// The word for the agent that had it; empty for one that was run here.
    pub(super) fn host(&self) -> String {
        self.kept.as_ref().map(|kept| kept.host.name.to_owned()).unwrap_or_default()
    }

    /// The last part of the path of the project that another agent worked in.
    pub(super) fn project(&self) -> String {
        let project = self.kept.as_ref().and_then(|kept| kept.project.as_deref());
        let name = project.map(|project| project.file_name().unwrap_or(project.as_os_str()).to_string_lossy());
        name.map(|name| single_line(&name, CUT)).unwrap_or_default()
    }

    pub(super) fn described(&self) -> Value {
        let told = self.told.as_ref();
        let mut value = json!({
            "id": self.id,
            "tape": self.tape,
            "began_ms": told.map(|told| told.began_ms),
            "last_ms": self.last_ms,
            "agent": told.map(|told| &told.agent),
            "turns": told.map(|told| told.turns),
            "last_words": told.map(|told| &told.last_words),
            "state": self.state.word(),
            "size_bytes": self.size_bytes,
            "fault": self.fault,
        });
        if let (Some(fields), Some(kept)) = (value.as_object_mut(), &self.kept) {
            fields.insert(String::from("host"), Value::from(kept.host.name));
            fields.insert(String::from("project"), json!(kept.project));
        }
        value
    }
}
