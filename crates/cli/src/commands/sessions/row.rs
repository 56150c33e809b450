//! A session as a row of the list.

use std::fs;
use std::io;
use std::path::PathBuf;

use pintle_agent::{SessionStatus, TapeOverview};
use pintle_bridge::StoredSession;
use pintle_host::tape::show::single_line;
use pintle_host::tape::{TapeSource, is_being_written};
use serde_json::{Value, json};

use crate::error::CliError;
use crate::options::SessionTape;
use crate::render::{age_text, size_text};

/// Most characters of an ID. IDs of host agents are as long as a UUID.
pub(super) const ID_CUT: usize = 40;
/// Most characters of another name.
const CUT: usize = 30;
/// Most characters of the last prompt.
const WORDS_CUT: usize = 48;

/// The cells of a session: `ID`, `WHEN`, `AGENT`, `TURNS`, `STATE`, `SIZE` and `LAST PROMPT`.
pub(super) type SessionCells = [String; 7];

/// A session as a row of the list.
pub(super) struct SessionRow {
    pub(super) id: String,
    pub(super) tape: PathBuf,
    pub(super) size_bytes: u64,
    pub(super) state: SessionRowState,
    /// The time of the last record, in milliseconds since the Unix epoch.
    pub(super) last_ms: Option<u64>,
    /// Why its tape cannot be read.
    pub(super) error: Option<String>,
    facts: Option<TapeFacts>,
    /// The stored session, if it is one of a host agent.
    stored_session: Option<StoredSession>,
}

/// The state of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SessionRowState {
    /// Its tape is being written.
    Running,
    /// It has ended.
    Ended,
    /// Its program stopped before the session ended.
    Interrupted,
    /// The host agent has not reported its end.
    Open,
    /// Its tape cannot be read.
    Unreadable,
}

/// What a tape says about its session.
struct TapeFacts {
    agent: String,
    turns: u32,
    started_ms: u64,
    last_prompt: String,
}

impl SessionRowState {
    fn label(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Ended => "ended",
            Self::Interrupted => "interrupted",
            Self::Open => "open",
            Self::Unreadable => "unreadable",
        }
    }
}

impl SessionRow {
    /// A session that was run here.
    pub(super) fn from_tape(SessionTape { id, path: tape }: SessionTape) -> Self {
        let size_bytes = fs::metadata(&tape).map_or(0, |file| file.len());
        let reading = TapeOverview::from_tape(&TapeSource::from(tape.clone()));
        let (past, last_ms, error) = match reading {
            Ok(TapeOverview { summary, last_ms, .. }) => (summary, Some(last_ms), None),
            Err(error) => (None, None, Some(error.to_string())),
        };
        let state = match &past {
            _ if is_being_written(&tape).unwrap_or(false) => SessionRowState::Running,
            _ if error.is_some() => SessionRowState::Unreadable,
            Some(past) if past.state == SessionStatus::Ended => SessionRowState::Ended,
            // Without a session on its tape it was interrupted before there was one.
            _ => SessionRowState::Interrupted,
        };
        let told = past.map(|past| TapeFacts {
            agent: past.agent,
            turns: past.turns,
            started_ms: past.began_ms,
            last_prompt: past.last_prompt,
        });
        Self { id, tape, size_bytes, state, last_ms, error, facts: told, stored_session: None }
    }

    /// A session of a host agent.
    pub(super) fn from_stored(session: StoredSession) -> Self {
        let story = session.summary.as_ref().ok();
        let state = match story {
            _ if session.is_in_use => SessionRowState::Running,
            None => SessionRowState::Unreadable,
            Some(story) if story.has_ended => SessionRowState::Ended,
            Some(_) => SessionRowState::Open,
        };
        let told = story.map(|story| TapeFacts {
            agent: story.agent.clone(),
            turns: story.turns,
            started_ms: story.began_ms,
            last_prompt: story.last_prompt.clone(),
        });
        Self {
            id: session.session.clone(),
            tape: session.tape_path(),
            size_bytes: session.size_bytes,
            state,
            last_ms: story.map(|story| story.last_ms),
            error: session.summary.as_ref().err().map(ToString::to_string),
            facts: told,
            stored_session: Some(session),
        }
    }

    /// A session without a tape.
    #[cfg(test)]
    pub(super) fn without_tape(id: &str, state: SessionRowState, last_ms: Option<u64>) -> Self {
        let (id, tape) = (id.to_owned(), PathBuf::from(id));
        Self { id, tape, size_bytes: 0, state, last_ms, error: None, facts: None, stored_session: None }
    }

    /// Deletes its tape, or everything that is stored of a host agent's session.
    pub(super) fn delete(&self) -> Result<(), CliError> {
        let deleted = match &self.stored_session {
            Some(kept) => kept.delete(),
            None => fs::remove_file(&self.tape),
        };
        deleted.map_err(|error| match error.kind() {
            io::ErrorKind::TimedOut => self.in_use_error(),
            _ => CliError::failure(format!("cannot delete `{}`: {error}", self.tape.display())),
        })
    }

    /// Returns the error for deleting a session that is in use.
    pub(super) fn in_use_error(&self) -> CliError {
        let error = CliError::failure(format!("session `{}` is in use", single_line(&self.id, ID_CUT)));
        error.help("end it first, then delete it")
    }

    pub(super) fn to_cells(&self, now_ms: u64) -> SessionCells {
        let told = self.facts.as_ref();
        let words = |told: &TapeFacts| told.last_prompt.split_whitespace().collect::<Vec<_>>().join(" ");
        [
            single_line(&self.id, ID_CUT),
            self.last_ms.map(|last_ms| age_text(now_ms.saturating_sub(last_ms))).unwrap_or_default(),
            told.map(|told| single_line(&told.agent, CUT)).unwrap_or_default(),
            told.map(|told| told.turns.to_string()).unwrap_or_default(),
            self.state.label().to_owned(),
            size_text(self.size_bytes),
            told.map(|told| single_line(&words(told), WORDS_CUT)).unwrap_or_default(),
        ]
    }

    /// The name of the host agent; empty for a session that was run here.
    pub(super) fn host_name(&self) -> String {
        self.stored_session.as_ref().map(|kept| kept.host.name.to_owned()).unwrap_or_default()
    }

    /// The directory name of the project that a host agent worked in.
    pub(super) fn project_name(&self) -> String {
        let project = self.stored_session.as_ref().and_then(|kept| kept.project.as_deref());
        let name = project.map(|project| project.file_name().unwrap_or(project.as_os_str()).to_string_lossy());
        name.map(|name| single_line(&name, CUT)).unwrap_or_default()
    }

    pub(super) fn to_json(&self) -> Value {
        let told = self.facts.as_ref();
        let mut value = json!({
            "id": self.id,
            "tape": self.tape,
            "started_ms": told.map(|told| told.started_ms),
            "last_ms": self.last_ms,
            "agent": told.map(|told| &told.agent),
            "turns": told.map(|told| told.turns),
            "last_prompt": told.map(|told| &told.last_prompt),
            "state": self.state.label(),
            "size_bytes": self.size_bytes,
            "error": self.error,
        });
        if let (Some(fields), Some(kept)) = (value.as_object_mut(), &self.stored_session) {
            fields.insert(String::from("host"), Value::from(kept.host.name));
            fields.insert(String::from("project"), json!(kept.project));
        }
        value
    }
}
