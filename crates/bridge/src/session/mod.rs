//! Keeps a host's session across many short processes: its directory, its state and its tape.

mod changes;
mod error_text;
mod newest_items;
mod saved;
mod state;
mod store;
mod stored;
mod summary;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use pintle_host::loader::ProjectTrust;
use pintle_host::tape::Tape;
use pintle_host::tape::proof::MachineSigner;
use pintle_host::tape::session_folder;
use pintle_host::{Clock, Decision, ScriptStateStore};
use serde_json::{Map, Value, json};

use crate::fit_to_host::fit_to_host;
use crate::{HostDecision, HostDef, HostEvent, HostEventDef};
use store::SessionStore;

pub(crate) use changes::TrackedState;
pub(crate) use error_text::session_error_text;
pub use pintle_host::tape::session_folder::hosts_dir;
pub(crate) use state::HostSessionState;
pub use store::KeptSessions;
pub(crate) use store::{HostSessionError, ScriptStateCopy};
pub use stored::StoredSession;
pub use summary::{HostSessionSummary, SessionSummaryError};

/// The kind of the tape notes that record the response to a host.
pub(crate) use pintle_host::tape::decisions::HOST_NOTE;

/// The kind of the tape notes that contain the untrusted guards of a session; the last one applies.
pub(crate) const GUARDS: &str = "guards";

/// The kind of the tape notes about calls that passed because the user paused self-protection.
pub(crate) const PAUSE_NOTE: &str = "pause";
/// The kind of the tape notes about calls that passed because the user allowed them once.
pub(crate) const ALLOWANCE_NOTE: &str = "allowed_once";

/// The resolution of the list of fired events, in milliseconds.
const FIRED_STEP_MS: u64 = 10_000;

/// A session in which this process handles a call. Other calls of it may run at the same time: the session is locked only
/// when the call begins and ends, and while scripts use its state. What the call records is on a branch of the tape.
pub(crate) struct HostSession {
    store: Arc<SessionStore>,
    branch: Arc<Tape>,
    /// The state when the call began.
    pub(crate) state: HostSessionState,
}

/// What ends with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EndedWork {
    /// Only the call.
    Call,
    /// The turn, too.
    Turn,
    /// The session, too.
    Session,
}

/// The directory of a host in the state directory.
pub(crate) fn host_folder(state_directory: &Path, host: &str) -> PathBuf {
    hosts_dir(state_directory).join(host)
}

/// The state of a session as its last call left it, to be looked at; `None` if the session is not known.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn peek_state(dir: &Path, session: &str) -> io::Result<Option<HostSessionState>> {
    store::read_state(&dir.join(session_folder::folder_name(session)))
}

impl HostSession {
    /// Begins a call of a session. `project` is the session's directory if this is its first call.
    ///
    /// # Errors
    /// When the session cannot be locked in time, its directory cannot be created, its saved state cannot be read, or its
    /// tape cannot be written, was changed, or differs from the saved state: then records are missing.
    pub(crate) fn begin(
        dir: &Path,
        event: &HostEvent,
        project: &Path,
        clock: &Arc<dyn Clock>,
        time_left: Duration,
        kept_sessions: Option<Arc<KeptSessions>>,
    ) -> Result<Self, HostSessionError> {
        let (session, now_ms) = (event.context.session.as_str(), clock.unix_ms());
        let dir = dir.join(session_folder::folder_name(session));
        let store = Arc::new(SessionStore::new(dir, Arc::clone(clock), time_left, kept_sessions));
        let mut locked = store.lock()?;
        let mut has_changed = locked.open_tape(session, now_ms)?;
        has_changed |= locked.state_mut().begin_call(&event.data, project, now_ms);
        if has_changed {
            locked.save()?;
        }
        let branch = Arc::new(locked.create_branch(session, now_ms)?);
        let state = locked.state().clone();
        drop(locked);
        store.set_turn(state.turn);
        Ok(Self { store, branch, state })
    }

    /// The tape of this call.
    pub(crate) fn tape(&self) -> Arc<Tape> {
        Arc::clone(&self.branch)
    }

    /// The state of scripts, which all calls of the session use.
    pub(crate) fn script_state(&self) -> Arc<dyn ScriptStateStore> {
        Arc::clone(&self.store) as Arc<dyn ScriptStateStore>
    }

    /// Keeps the untrusted guards, at once: a call that begins now must have them too.
    ///
    /// # Errors
    /// When they cannot be saved.
    pub(crate) fn update_guards(&mut self, projects: &[ProjectTrust]) -> Result<(), HostSessionError> {
        if !self.state.update_guards(projects) {
            return Ok(());
        }
        let mut locked = self.store.lock()?;
        if locked.state_mut().update_guards(projects) {
            locked.save()?;
        }
        self.branch.record_note(GUARDS, serde_json::to_value(&self.state.session_guards).unwrap_or_default());
        Ok(())
    }

    /// Ends the call: `conclude` changes the stored state and makes the last records, then everything becomes part of the
    /// session. `finished_work` is what ends with this call. `signer` signs the checkpoints of the tape.
    ///
    /// # Errors
    /// When something cannot be recorded or saved.
    pub(crate) fn finish(
        self,
        finished_work: EndedWork,
        signer: Option<&Arc<MachineSigner>>,
        conclude: impl FnOnce(&mut HostSessionState),
    ) -> Result<(), HostSessionError> {
        let mut locked = self.store.lock()?;
        if let Some(error) = locked.take_script_error() {
            return Err(io::Error::other(error).into());
        }
        conclude(locked.state_mut());
        locked.state_mut().has_ended |= finished_work == EndedWork::Session;
        self.branch.check_file();
        if let Some(error) = self.branch.take_error() {
            return Err(error.into());
        }
        locked.merge_branch(&self.branch, finished_work, signer)?;
        drop(locked);
        self.store.keep();
        Ok(())
    }
}

/// The record of a decision on the tape. `unfired_call` is there if no event was fired: the tool call, or
/// an empty object.
pub(crate) fn decision_note(
    host: &HostDef,
    def: &HostEventDef,
    decision: &HostDecision,
    unfired_call: Option<Value>,
) -> Value {
    let mut note = json!({
        "host": host.name,
        "event": def.name,
        "decision": decision.decision,
        "reason": decision.reason,
    });
    if let Some(fields) = note.as_object_mut() {
        // A host that cannot ask its user is told something stricter.
        let told = (decision.decision == Decision::Ask).then(|| fit_to_host(decision.clone(), def.support).decision);
        let told = told.filter(|told| *told != decision.decision);
        let more = [
            ("told", told.map(|told| json!(told))),
            ("call", unfired_call),
            ("input", decision.input.clone()),
            ("output", decision.output.clone()),
            ("stop", decision.stop.clone().map(Value::from)),
            ("context", (!decision.context.is_empty()).then(|| Value::from(decision.context.clone()))),
            ("notices", (!decision.notices.is_empty()).then(|| Value::from(decision.notices.clone()))),
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
pub(crate) fn mark_fired(dir: &Path, event: &'static str, now_ms: u64, kept_sessions: Option<&KeptSessions>) {
    if let Some(kept) = kept_sessions {
        let mut fired_ms = kept.fired_ms.lock().unwrap_or_else(PoisonError::into_inner);
        let before_ms = fired_ms.entry((dir.to_owned(), event)).or_default();
        if now_ms.abs_diff(*before_ms) < FIRED_STEP_MS {
            return;
        }
        *before_ms = now_ms;
    }
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
