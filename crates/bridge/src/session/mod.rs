//! Keeps a host's session across many short processes: its directory, its state and its tape.

mod state;
mod stored;
mod summary;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use pintle::tape::session_folder::{self, SessionFolder};
use pintle::tape::{HeaderRecord, Tape, TapeError};
use pintle::{Clock, EventScope, LogLevel, Runtime, ScriptLogLine, event};
use serde_json::{Map, Value, json};

use crate::{HostDecision, HostDef, HostEventDef};

pub(crate) use state::HostSessionState;
pub use stored::StoredSession;
pub use summary::HostSessionSummary;

/// The kind of the tape notes that record the response to a host.
pub(crate) const NOTE: &str = "bridge";

/// The kind of the tape notes that contain the untrusted guards of a session; the last one applies.
pub(crate) const GUARDS: &str = "guards";

/// The resolution of the list of fired events, in milliseconds.
const FIRED_STEP_MS: u64 = 10_000;

/// A session that this process has locked while the value exists.
#[derive(Debug)]
pub(crate) struct HostSession {
    folder: SessionFolder,
    pub(crate) state: HostSessionState,
}

/// The directory of a host in the state directory.
pub(crate) fn host_folder(state_directory: &Path, host: &str) -> PathBuf {
    state_directory.join("bridge").join(host)
}

impl HostSession {
    /// Locks a session of a host.
    ///
    /// # Errors
    /// When another process still has the lock after `patience`, the directory cannot be created, or the saved state
    /// cannot be read.
    pub(crate) fn lock(dir: &Path, session: &str, patience: Duration) -> io::Result<Self> {
        let dir = SessionFolder::lock(dir.join(session_folder::folder_name(session)), patience)?;
        let mut state = match dir.load_state()? {
            None => HostSessionState::default(),
            // The state contains past denials and the end of the tape: without it the session cannot continue.
            Some(bytes) => serde_json::from_slice(&bytes)
                .and_then(serde_json::from_value::<HostSessionState>)
                .map_err(|error| io::Error::other(format!("its saved state cannot be read: {error}")))
                .and_then(require_cursor)?,
        };
        // A process that was killed during the first call leaves only the tape, which contains the initial guards.
        if state.cursor.is_none() {
            state.session_guards = summary::read_recorded_guards(&dir.tape_path()).unwrap_or_default();
        }
        Ok(Self { folder: dir, state })
    }

    /// Creates the session's tape, or opens it at its saved end.
    ///
    /// # Errors
    /// When it cannot be opened or written, its chain is broken, or it differs from the saved state: then records are
    /// missing.
    pub(crate) fn open_tape(&self, session: &str, clock: Arc<dyn Clock>) -> Result<Tape, TapeError> {
        let path = self.folder.tape_path();
        match &self.state.cursor {
            Some(cursor) => Tape::resume_at(&path, cursor, clock),
            // No call was saved yet, so the end of the tape cannot be checked.
            None => Tape::open_or_create(&path, HeaderRecord::new(session, clock.unix_ms()), clock),
        }
    }

    /// Restores the state of scripts.
    pub(crate) fn restore(&self, runtime: &Runtime, scope: &EventScope) {
        runtime.restore_layer_states(scope, &self.state.layers);
        for event::LogLine { level, hook, message } in &self.state.logs {
            let level = if level == "warn" { LogLevel::Warn } else { LogLevel::Info };
            scope.logs.push(ScriptLogLine { level, hook: hook.clone(), message: message.clone() });
        }
    }

    /// Saves the state of scripts, and the end of the tape.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn save(&mut self, runtime: &Runtime, scope: &EventScope) -> io::Result<()> {
        self.state.layers = runtime.layer_states(scope);
        self.state.set_logs(scope.logs.take_lines().into_iter().map(to_event_log_line).collect());
        self.state.cursor = runtime.tape().and_then(|tape| tape.cursor());
        self.folder.save_state(&serde_json::to_vec(&self.state)?)
    }
}

/// A saved state always contains the end of the tape.
fn require_cursor(state: HostSessionState) -> io::Result<HostSessionState> {
    let error = || io::Error::other("its saved state does not say where its tape ends, so it was modified");
    if state.cursor.is_some() { Ok(state) } else { Err(error()) }
}

/// A log line in the form of event payloads.
pub(crate) fn to_event_log_line(line: ScriptLogLine) -> event::LogLine {
    let level = match line.level {
        LogLevel::Info => "info",
        LogLevel::Warn => "warn",
    };
    event::LogLine { level: level.to_owned(), hook: line.hook, message: line.message }
}

/// The record of a decision on the tape.
pub(crate) fn decision_note(host: &HostDef, def: &HostEventDef, ruling: &HostDecision) -> Value {
    let mut note = json!({
        "host": host.name,
        "event": def.name,
        "decision": ruling.decision,
        "reason": ruling.reason,
    });
    if let Some(fields) = note.as_object_mut() {
        let more = [
            ("input", ruling.input.clone()),
            ("output", ruling.output.clone()),
            ("stop", ruling.stop.clone().map(Value::from)),
            ("context", (!ruling.context.is_empty()).then(|| Value::from(ruling.context.clone()))),
            ("notices", (!ruling.notices.is_empty()).then(|| Value::from(ruling.notices.clone()))),
        ];
        for (name, value) in more {
            if let Some(value) = value {
                fields.insert(String::from(name), value);
            }
        }
    }
    note
}

/// Records when a host event last fired, for `pintle doctor`. Errors are ignored, since this is only information.
pub(crate) fn mark_fired(dir: &Path, event: &str, now_ms: u64) {
    let path = dir.join("fired.json");
    let known =
        session_folder::read_if_exists(&path).ok().flatten().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let mut known: Map<String, Value> = known.unwrap_or_default();
    let before_ms = known.get(event).and_then(Value::as_u64).unwrap_or_default();
    if now_ms.abs_diff(before_ms) < FIRED_STEP_MS {
        return;
    }
    known.insert(event.to_owned(), Value::from(now_ms));
    if let Ok(bytes) = serde_json::to_vec(&known) {
        let _ = session_folder::replace_atomically(&path, &bytes);
    }
}
