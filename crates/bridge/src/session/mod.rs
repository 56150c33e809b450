//! A host's session over many short processes: its folder, its state and its tape.

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
use serde_json::{Map, Value};

pub(crate) use state::HostSessionState;
pub use stored::StoredSession;
pub use summary::HostSessionSummary;

/// The kind of the notes that tell on a tape what a host was answered.
pub(crate) const NOTE: &str = "bridge";

/// The kind of the notes that hold the guards of a session that nobody agreed to; the last one counts.
pub(crate) const GUARDS: &str = "guards";

/// How long an entry of the list of events that fired stays as it is, in milliseconds.
const FIRED_STEP_MS: u64 = 10_000;

/// A session that this process has for as long as the value lives.
#[derive(Debug)]
pub(crate) struct HostSession {
    folder: SessionFolder,
    pub(crate) state: HostSessionState,
}

/// The folder of a host in the state directory.
pub(crate) fn host_folder(state_directory: &Path, host: &str) -> PathBuf {
    state_directory.join("bridge").join(host)
}

impl HostSession {
    /// Claims a session of a host.
    ///
    /// # Errors
    /// When another process still has it after `patience`, or its folder cannot be made, or what was kept of it cannot be read.
    pub(crate) fn lock(folder: &Path, session: &str, patience: Duration) -> io::Result<Self> {
        let folder = SessionFolder::lock(folder.join(session_folder::folder_name(session)), patience)?;
        let mut state = match folder.load_state()? {
            None => HostSessionState::default(),
            // What was refused in it, and where its tape ends, stands there: without it nothing goes on.
            Some(bytes) => serde_json::from_slice(&bytes)
                .and_then(serde_json::from_value::<HostSessionState>)
                .map_err(|fault| io::Error::other(format!("its saved state cannot be read: {fault}")))
                .and_then(require_cursor)?,
        };
        // A process that was ended in the first call has left nothing but the tape, and there stands what it began with.
        if state.cursor.is_none() {
            state.session_guards = summary::read_recorded_guards(&folder.tape_path()).unwrap_or_default();
        }
        Ok(Self { folder, state })
    }

    /// Begins the session's tape, or goes on with it where it was left.
    ///
    /// # Errors
    /// When it cannot be opened or written, its chain is broken, or it is not as it was left: then records are missing.
    pub(crate) fn open_tape(&self, session: &str, clock: Arc<dyn Clock>) -> Result<Tape, TapeError> {
        let path = self.folder.tape_path();
        match &self.state.cursor {
            Some(cursor) => Tape::resume_at(&path, cursor, clock),
            // No call of it was kept yet, so that there is nothing that it must have.
            None => Tape::open_or_create(&path, HeaderRecord::new(session, clock.unix_ms()), clock),
        }
    }

    /// Gives scripts back what they keep.
    pub(crate) fn restore(&self, runtime: &Runtime, scope: &EventScope) {
        runtime.restore_layer_states(scope, &self.state.layers);
        for event::LogLine { level, hook, message } in &self.state.logs {
            let level = if level == "warn" { LogLevel::Warn } else { LogLevel::Info };
            scope.logs.push(ScriptLogLine { level, hook: hook.clone(), message: message.clone() });
        }
    }

    /// Keeps what scripts keep, and where the tape stands.
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

/// What is kept always says where the tape ends.
fn require_cursor(state: HostSessionState) -> io::Result<HostSessionState> {
    let fault = || io::Error::other("its saved state does not say where its tape ends, so it was modified");
    if state.cursor.is_some() { Ok(state) } else { Err(fault()) }
}

/// A log line as events tell it.
pub(crate) fn to_event_log_line(line: ScriptLogLine) -> event::LogLine {
    let level = match line.level {
        LogLevel::Info => "info",
        LogLevel::Warn => "warn",
    };
    event::LogLine { level: level.to_owned(), hook: line.hook, message: line.message }
}

/// Writes down when an event of a host fired last, for `pintle doctor`. It only tells, so a fault is none.
pub(crate) fn mark_fired(folder: &Path, event: &str, now_ms: u64) {
    let path = folder.join("fired.json");
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
