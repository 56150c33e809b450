//! The stored state of a session, which calls that run at the same time read and change one after the other.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pintle_host::contract::EffectError;
use pintle_host::snapshot;
use pintle_host::tape::session_folder::{self, SessionFolder, StateFile};
use pintle_host::tape::{HeaderRecord, Tape, TapeCursor, TapeError};
use pintle_host::{Clock, Layer};
use pintle_host::{LayerState, ScriptStateStore};
use serde_json::Value;

use super::state::{HostSessionState, STATE_VERSION};
use super::summary;

/// The error of a session that cannot be used.
#[derive(Debug)]
pub(crate) enum HostSessionError {
    /// Its directory or its saved state.
    State(io::Error),
    /// Its tape, or a branch of it.
    Tape(TapeError),
}

impl From<io::Error> for HostSessionError {
    fn from(error: io::Error) -> Self {
        Self::State(error)
    }
}

impl From<TapeError> for HostSessionError {
    fn from(error: TapeError) -> Self {
        Self::Tape(error)
    }
}

/// The stored session. The lock of its directory is held only while the state is read and changed.
#[derive(Debug)]
pub(super) struct SessionStore {
    dir: PathBuf,
    clock: Arc<dyn Clock>,
    /// When this call has to be answered.
    deadline: Instant,
    cache: Mutex<SessionCache>,
}

/// The state as this process knows it.
#[derive(Debug, Default)]
struct SessionCache {
    state: HostSessionState,
    /// The file that the state was read from or saved to.
    file: Option<StateFile>,
    /// Whether the runtime has the scripts' part of this state.
    is_in_runtime: bool,
    /// The turn of this call.
    turn: u32,
    /// The lock while scripts use the state.
    script_lock: Option<SessionFolder>,
    /// Why the state of scripts could not be used.
    error: Option<String>,
}

/// The session while this process has locked it.
pub(super) struct LockedSession<'a> {
    folder: SessionFolder,
    cache: MutexGuard<'a, SessionCache>,
    clock: &'a Arc<dyn Clock>,
}

impl SessionStore {
    pub(super) fn new(dir: PathBuf, clock: Arc<dyn Clock>, time_left: Duration) -> Self {
        Self { dir, clock, deadline: Instant::now() + time_left, cache: Mutex::default() }
    }

    /// Locks the session, and merges the branches of calls that were killed.
    pub(super) fn lock(&self) -> Result<LockedSession<'_>, HostSessionError> {
        let mut cache = self.lock_cache();
        let folder = self.lock_folder(&mut cache)?;
        let mut locked = LockedSession { folder, cache, clock: &self.clock };
        locked.merge_abandoned_branches()?;
        Ok(locked)
    }

    /// Sets the turn of this call. Scratch values belong to it.
    pub(super) fn set_turn(&self, turn: u32) {
        self.lock_cache().turn = turn;
    }

    fn lock_cache(&self) -> MutexGuard<'_, SessionCache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the directory, and reads the state if another process saved it.
    fn lock_folder(&self, cache: &mut SessionCache) -> io::Result<SessionFolder> {
        // An error has to be reported in time.
        let patience = self.deadline.saturating_duration_since(Instant::now()) / 2;
        let folder = SessionFolder::lock(self.dir.clone(), patience)?;
        if cache.file.as_ref().is_none_or(StateFile::is_replaced) {
            let (file, state) = match folder.load_state()? {
                Some((file, bytes)) => (Some(file), parse_state(&bytes)?),
                None if cache.file.is_some() => {
                    return Err(io::Error::other("it was deleted while this call was running"));
                }
                // A process that was killed as it began the session leaves only the tape, which contains the guards.
                None => (
                    None,
                    HostSessionState {
                        session_guards: summary::read_recorded_guards(&folder.tape_path()).unwrap_or_default(),
                        ..HostSessionState::default()
                    },
                ),
            };
            (cache.file, cache.state, cache.is_in_runtime) = (file, state, false);
        }
        Ok(folder)
    }
}

/// A copy of a session's scripts' state: what hooks change in it is gone with the call.
#[derive(Debug)]
pub(crate) struct ScriptStateCopy(Mutex<Option<BTreeMap<Layer, LayerState>>>);

impl ScriptStateCopy {
    pub(crate) fn new(state: &HostSessionState) -> Self {
        Self(Mutex::new(Some(state.layers.clone())))
    }
}

impl ScriptStateStore for ScriptStateCopy {
    fn acquire(&self) -> Result<Option<BTreeMap<Layer, LayerState>>, EffectError> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).take())
    }

    fn release(&self, _changed: Option<BTreeMap<Layer, LayerState>>) -> Result<(), EffectError> {
        Ok(())
    }
}

/// The state of a session as it was saved last, without its lock; `None` if the session is not known.
pub(super) fn read_state(dir: &Path) -> io::Result<Option<HostSessionState>> {
    session_folder::load_state(dir)?.map(|bytes| parse_state(&bytes)).transpose()
}

fn parse_state(bytes: &[u8]) -> io::Result<HostSessionState> {
    let unread = |error| io::Error::other(format!("its saved state cannot be read: {error}"));
    let value: Value = serde_json::from_slice(bytes).map_err(unread)?;
    if value.is_object() && value.get("version").and_then(Value::as_u64) != Some(u64::from(STATE_VERSION)) {
        return Err(io::Error::other("its saved state is of another version of Pintle"));
    }
    let state: HostSessionState = serde_json::from_value(value).map_err(unread)?;
    // The state contains past denials and the end of the tape: without it the session cannot continue.
    let error = || io::Error::other("its saved state does not say where its tape ends, so it was modified");
    if state.cursor.is_some() { Ok(state) } else { Err(error()) }
}

impl SessionCache {
    fn save(&mut self, session_folder: &SessionFolder) -> io::Result<()> {
        self.state.version = STATE_VERSION;
        self.file = Some(session_folder.save_state(&serde_json::to_vec(&self.state)?)?);
        Ok(())
    }
}

impl LockedSession<'_> {
    pub(super) fn state(&self) -> &HostSessionState {
        &self.cache.state
    }

    /// The state, to be changed and [saved](LockedSession::save).
    pub(super) fn state_mut(&mut self) -> &mut HostSessionState {
        &mut self.cache.state
    }

    pub(super) fn save(&mut self) -> io::Result<()> {
        self.cache.save(&self.folder)
    }

    /// Why scripts could not use the state, if they could not.
    pub(super) fn take_script_error(&mut self) -> Option<String> {
        self.cache.error.take()
    }

    /// Checks that the tape is as the last call left it. The first call creates it. Returns whether the state changed.
    pub(super) fn open_tape(&mut self, session: &str, now_ms: u64) -> Result<bool, TapeError> {
        let (path, clock) = (self.folder.tape_path(), Arc::clone(self.clock));
        // The tape grows with every call, so it would be part of every snapshot.
        snapshot::exclude_file(&path);
        let tape = match &self.cache.state.cursor {
            Some(cursor) => Tape::resume_at(&path, cursor, clock),
            // No call was saved yet, so the end of the tape cannot be checked.
            None => Tape::open_or_create(&path, HeaderRecord::new(session, now_ms), clock),
        }?;
        let end = tape.cursor();
        let has_changed = self.cache.state.cursor != end;
        self.cache.state.cursor = end;
        Ok(has_changed)
    }

    /// Creates the branch that this call records on.
    pub(super) fn create_branch(&self, session: &str, now_ms: u64) -> Result<Tape, TapeError> {
        let base = self.cache.state.cursor.clone().unwrap_or_default();
        let header = HeaderRecord::new(session, now_ms);
        Tape::create_branch(self.folder.new_branch_path(now_ms), &base, header, Arc::clone(self.clock))
    }

    /// Merges the branch of this call into the tape, and saves the state. If the session has ended and no other call is
    /// running, the tape is closed.
    pub(super) fn merge_branch(&mut self, branch: &Path) -> Result<(), HostSessionError> {
        let closes = self.cache.state.has_ended && !self.folder.has_other_call(branch)?;
        let tape = self.tape_at_end(Tape::resume_at)?;
        let merged = tape.merge_branch(branch, /*is_interrupted*/ false).and_then(|()| {
            if closes {
                tape.close();
            }
            tape.take_error().map_or(Ok(()), Err)
        });
        if let Err(error) = merged {
            drop(tape);
            // The next call merges the whole branch.
            let _ = self.tape_at_end(Tape::rewind_to);
            return Err(error.into());
        }
        self.save_merged(&tape, branch)
    }

    /// Merges the branches of calls that ended without doing so.
    fn merge_abandoned_branches(&mut self) -> Result<(), HostSessionError> {
        for branch in self.folder.abandoned_branches()? {
            if self.cache.state.merged_branch.is_some() && self.cache.state.merged_branch == file_name(&branch) {
                self.folder.remove_branch(&branch)?;
                continue;
            }
            // The call may have been killed while it merged the branch itself.
            let tape = self.tape_at_end(Tape::rewind_to)?;
            tape.merge_branch(&branch, /*is_interrupted*/ true).map_err(|error| {
                io::Error::other(format!(
                    "the records of an earlier call in `{}` cannot be read: {error}",
                    branch.display()
                ))
            })?;
            self.save_merged(&tape, &branch)?;
        }
        Ok(())
    }

    /// Opens the tape at its saved end.
    fn tape_at_end(
        &self,
        open: impl FnOnce(PathBuf, &TapeCursor, Arc<dyn Clock>) -> Result<Tape, TapeError>,
    ) -> Result<Tape, HostSessionError> {
        let cursor = self.cache.state.cursor.as_ref();
        let cursor = cursor.ok_or_else(|| io::Error::other("its `state.json` is missing"))?;
        Ok(open(self.folder.tape_path(), cursor, Arc::clone(self.clock))?)
    }

    /// Saves where the tape ends after a branch was merged. The branch is removed last, and the state says that it is on the
    /// tape: whenever this process is killed, the next one knows what is left to do.
    fn save_merged(&mut self, tape: &Tape, branch: &Path) -> Result<(), HostSessionError> {
        let state = self.state_mut();
        let before = std::mem::replace(&mut state.cursor, tape.cursor());
        state.merged_branch = file_name(branch);
        if let Err(error) = self.save() {
            self.state_mut().cursor = before;
            return Err(error.into());
        }
        Ok(self.folder.remove_branch(branch)?)
    }
}

fn file_name(path: &Path) -> Option<String> {
    Some(path.file_name()?.to_string_lossy().into_owned())
}

impl ScriptStateStore for SessionStore {
    fn acquire(&self) -> Result<Option<BTreeMap<Layer, LayerState>>, EffectError> {
        let mut cache = self.lock_cache();
        let locked = self.lock_folder(&mut cache).and_then(|folder| match cache.state.cursor {
            Some(_) => Ok(folder),
            None => Err(io::Error::other("its `state.json` is missing")),
        });
        match locked {
            Ok(folder) => cache.script_lock = Some(folder),
            Err(error) => {
                cache.error.get_or_insert_with(|| error.to_string());
                return Err(EffectError(format!("cannot use the state of the session: {error}")));
            }
        }
        if std::mem::replace(&mut cache.is_in_runtime, true) {
            return Ok(None);
        }
        let mut layers = cache.state.layers.clone();
        if cache.state.turn != cache.turn {
            layers.values_mut().for_each(|layer| layer.scratch.clear());
        }
        Ok(Some(layers))
    }

    fn release(&self, changed: Option<BTreeMap<Layer, LayerState>>) -> Result<(), EffectError> {
        let mut cache = self.lock_cache();
        let Some(folder) = cache.script_lock.take() else { return Ok(()) };
        let Some(mut layers) = changed else { return Ok(()) };
        if cache.state.turn != cache.turn {
            // The turn of this call is over, and its scratch values with it.
            layers.values_mut().for_each(|layer| layer.scratch.clear());
            for (layer, stored) in &cache.state.layers {
                layers.entry(*layer).or_default().scratch.clone_from(&stored.scratch);
            }
        }
        cache.state.layers = layers;
        cache.save(&folder).map_err(|error| {
            cache.error.get_or_insert_with(|| error.to_string());
            EffectError(format!("cannot save the state of the session: {error}"))
        })
    }
}
