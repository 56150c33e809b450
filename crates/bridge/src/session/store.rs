//! The stored state of a session, which calls that run at the same time read and change one after the other.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pintle_host::contract::EffectError;
use pintle_host::files::{FileState, file_state};
use pintle_host::snapshot;
use pintle_host::tape::checkpoint::{CheckpointSigner, MOST_UNSIGNED_RECORDS};
use pintle_host::tape::proof::MachineSigner;
use pintle_host::tape::session_folder::{
    self, BranchFile, IdleBranches, LockFile, SessionFolder, StateFile, StateForm,
};
use pintle_host::tape::{HeaderRecord, Tape, TapeCursor, TapeError};
use pintle_host::{Clock, Layer};
use pintle_host::{LayerState, ScriptStateStore};

use super::EndedWork;
use super::saved::{SavedParts, read_lines, write_line};
use super::state::{HostSessionState, SessionFacts};
use super::summary;

/// Most sessions that are kept.
const MOST_KEPT_SESSIONS: usize = 64;

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
    kept_sessions: Option<Arc<KeptSessions>>,
    cache: Mutex<SessionCache>,
}

/// Sessions of which no call is running, with what their next call would otherwise have to read.
#[derive(Debug, Default)]
pub struct KeptSessions {
    sessions: Mutex<HashMap<PathBuf, KnownSession>>,
    /// When this process last recorded that an event fired, by the directory of its host.
    pub(super) fired_ms: Mutex<HashMap<(PathBuf, &'static str), u64>>,
}

impl KeptSessions {
    fn take(&self, dir: &Path) -> Option<KnownSession> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).remove(dir)
    }

    fn keep(&self, dir: &Path, session: KnownSession) {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        // Each has open files.
        if sessions.len() >= MOST_KEPT_SESSIONS
            && let Some(other) = sessions.keys().next().cloned()
        {
            sessions.remove(&other);
        }
        sessions.insert(dir.to_owned(), session);
    }
}

/// A session as this process knows it. Every part is checked before it is used again.
#[derive(Debug, Default)]
struct KnownSession {
    state: HostSessionState,
    /// The file that the state was read from or saved to, and what it says.
    saved: Option<(StateFile, SavedParts)>,
    /// The open lock file, unless it is locked for a script.
    lock_file: Option<LockFile>,
    /// The tape at the end of the last call.
    tape: Option<FileState>,
    /// The file of this call's branch, or of the next one.
    branch: Option<BranchFile>,
}

/// The session in a call.
#[derive(Debug, Default)]
struct SessionCache {
    known: KnownSession,
    /// Whether this call has locked the session before.
    has_begun: bool,
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
    pub(super) fn new(
        dir: PathBuf,
        clock: Arc<dyn Clock>,
        time_left: Duration,
        kept_sessions: Option<Arc<KeptSessions>>,
    ) -> Self {
        let known = kept_sessions.as_ref().and_then(|kept| kept.take(&dir)).unwrap_or_default();
        let cache = Mutex::new(SessionCache { known, ..SessionCache::default() });
        Self { dir, clock, deadline: Instant::now() + time_left, kept_sessions, cache }
    }

    /// Locks the session. For its first call that means to merge the branches of calls that were killed.
    pub(super) fn lock(&self) -> Result<LockedSession<'_>, HostSessionError> {
        let mut cache = self.lock_cache();
        let is_first = !cache.has_begun;
        let folder = self.lock_folder(&mut cache)?;
        cache.known.lock_file = Some(folder.lock_file());
        let mut locked = LockedSession { folder, cache, clock: &self.clock };
        if is_first {
            locked.merge_abandoned_branches()?;
        }
        Ok(locked)
    }

    /// Keeps the session for its next call. Nothing is kept of one that has ended.
    pub(super) fn keep(&self) {
        let known = std::mem::take(&mut self.lock_cache().known);
        if let Some(kept) = &self.kept_sessions
            && !known.state.has_ended
        {
            kept.keep(&self.dir, known);
        }
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
        let mut folder = match cache.known.lock_file.take() {
            Some(file) => SessionFolder::lock_by(self.dir.clone(), file, patience)?,
            None => SessionFolder::lock(self.dir.clone(), patience)?,
        };
        if !cache.has_begun && cache.known.tape.as_ref().is_some_and(|tape| *tape != file_state(folder.tape_path())) {
            // Another process had a call since, or the session was deleted or moved.
            drop(folder);
            cache.known = KnownSession::default();
            folder = SessionFolder::lock(self.dir.clone(), patience)?;
        }
        let known = &mut cache.known;
        if known.saved.as_ref().is_none_or(|(file, _)| file.is_changed()) {
            (known.saved, known.state) = match folder.load_state()? {
                Some((file, text)) => {
                    let (state, parts) = read_lines(&text)?;
                    (Some((file, parts)), state)
                }
                None if cache.has_begun && known.saved.is_some() => {
                    return Err(io::Error::other("it was deleted while this call was running"));
                }
                // A process that was killed as it began the session leaves only the tape, which contains the guards.
                None => {
                    let session_guards = summary::read_recorded_guards(&folder.tape_path()).unwrap_or_default();
                    let facts = SessionFacts { session_guards, ..SessionFacts::default() };
                    (None, HostSessionState { facts, ..HostSessionState::default() })
                }
            };
            // Where the tape ends is a part of the state, and is looked at again.
            known.tape = None;
            cache.is_in_runtime = false;
        }
        cache.has_begun = true;
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
    session_folder::load_state(dir)?.map(|text| Ok(read_lines(&text)?.0)).transpose()
}

impl KnownSession {
    fn save(&mut self, session_folder: &SessionFolder) -> io::Result<()> {
        let (file, known) = self.saved.take().unzip();
        let mut parts = None;
        let file = session_folder.save_state(file, |form| {
            let before = known.as_ref().filter(|_| form == StateForm::Change);
            let (line, written) = write_line(&self.state, before)?;
            parts = Some(written);
            Ok(line)
        })?;
        self.saved = parts.map(|parts| (file, parts));
        Ok(())
    }
}

impl LockedSession<'_> {
    pub(super) fn state(&self) -> &HostSessionState {
        &self.cache.known.state
    }

    /// The state, to be changed and [saved](LockedSession::save).
    pub(super) fn state_mut(&mut self) -> &mut HostSessionState {
        &mut self.cache.known.state
    }

    pub(super) fn save(&mut self) -> io::Result<()> {
        self.cache.known.save(&self.folder)
    }

    /// Why scripts could not use the state, if they could not.
    pub(super) fn take_script_error(&mut self) -> Option<String> {
        self.cache.error.take()
    }

    /// Checks that the tape is as the last call left it. The first call creates it. Returns whether the state changed.
    pub(super) fn open_tape(&mut self, session: &str, now_ms: u64) -> Result<bool, TapeError> {
        let known = &mut self.cache.known;
        if known.tape.is_some() {
            return Ok(false);
        }
        let (path, clock) = (self.folder.tape_path(), Arc::clone(self.clock));
        // The tape grows with every call, so it would be part of every snapshot.
        snapshot::exclude_file(&path);
        let tape = match &known.state.cursor {
            Some(cursor) => Tape::resume_at(&path, cursor, clock),
            // No call was saved yet, so the end of the tape cannot be checked.
            None => Tape::open_or_create(&path, HeaderRecord::new(session, now_ms), clock),
        }?;
        let before = std::mem::replace(&mut known.state.cursor, tape.cursor());
        Ok(before != known.state.cursor)
    }

    /// Creates the branch that this call records on.
    pub(super) fn create_branch(&mut self, session: &str, now_ms: u64) -> Result<Tape, TapeError> {
        let known = &mut self.cache.known;
        let base = known.state.cursor.clone().unwrap_or_default();
        let header = HeaderRecord::new(session, now_ms);
        let branch = self.folder.begin_branch(now_ms, known.branch.take());
        Tape::create_branch(branch, &base, header, Arc::clone(self.clock))
    }

    /// Merges the branch of this call into the tape, and saves the state. If the session has ended and no other call is
    /// running, the tape is closed.
    pub(super) fn merge_branch(
        &mut self,
        branch: &Tape,
        finished_work: EndedWork,
        signer: Option<&Arc<MachineSigner>>,
    ) -> Result<(), HostSessionError> {
        let Some(path) = branch.path() else { return Ok(()) };
        let closes = self.cache.known.state.has_ended && !self.folder.has_other_call(path)?;
        let signer =
            signer.map(|signer| Arc::new(HoldingSigner { signer: Arc::clone(signer), held: Mutex::default() }));
        let tape = self.tape_at_end(Tape::resume_at)?;
        let tape = match &signer {
            Some(signer) => tape.with_checkpoints(Arc::clone(signer) as Arc<dyn CheckpointSigner>),
            None => tape,
        };
        let file = branch.keep_file()?;
        let merged = tape.merge_own_branch(branch).and_then(|()| {
            if closes {
                tape.close();
            } else {
                tape.record_checkpoint(if finished_work == EndedWork::Call { MOST_UNSIGNED_RECORDS } else { 1 });
            }
            tape.take_error().map_or(Ok(()), Err)
        });
        if let Err(error) = merged {
            drop(tape);
            // The next call merges the whole branch.
            let _ = self.tape_at_end(Tape::rewind_to);
            return Err(error.into());
        }
        self.save_merged(&tape, path)?;
        // A witness must not have a checkpoint of records that the next process removes and merges again.
        signer.iter().for_each(|signer| signer.publish_held());
        if closes {
            let spare = self.folder.idle_branches(Some(path))?.spare;
            return Ok(spare
                .iter()
                .map(PathBuf::as_path)
                .chain([path])
                .try_for_each(|branch| self.folder.remove_branch(branch))?);
        }
        // A later call uses the file again.
        self.folder.empty_branch(path, &file)?;
        drop(tape);
        self.cache.known.tape = Some(file_state(self.folder.tape_path()));
        self.cache.known.branch = Some(BranchFile { path: path.to_owned(), file: Some(file) });
        Ok(())
    }

    /// Merges the branches of calls that ended without doing so.
    fn merge_abandoned_branches(&mut self) -> Result<(), HostSessionError> {
        let own = self.cache.known.branch.as_ref().map(|branch| branch.path.as_path());
        let IdleBranches { abandoned, mut spare } = self.folder.idle_branches(own)?;
        let known = &mut self.cache.known;
        known.branch = known.branch.take().or_else(|| spare.pop().map(BranchFile::from));
        for branch in abandoned {
            if self.cache.known.state.merged_branch.is_some()
                && self.cache.known.state.merged_branch == file_name(&branch)
            {
                self.folder.remove_branch(&branch)?;
                continue;
            }
            self.cache.known.tape = None;
            // The call may have been killed while it merged the branch itself.
            let tape = self.tape_at_end(Tape::rewind_to)?;
            tape.merge_branch(branch.clone(), /*is_interrupted*/ true).map_err(|error| {
                io::Error::other(format!(
                    "the records of an earlier call in `{}` cannot be read: {error}",
                    branch.display()
                ))
            })?;
            self.save_merged(&tape, &branch)?;
            self.folder.remove_branch(&branch)?;
        }
        Ok(())
    }

    /// Opens the tape at its saved end.
    fn tape_at_end(
        &self,
        open: impl FnOnce(PathBuf, &TapeCursor, Arc<dyn Clock>) -> Result<Tape, TapeError>,
    ) -> Result<Tape, HostSessionError> {
        let cursor = self.cache.known.state.cursor.as_ref();
        let cursor = cursor.ok_or_else(|| io::Error::other("its `state.json` is missing"))?;
        Ok(open(self.folder.tape_path(), cursor, Arc::clone(self.clock))?)
    }

    /// Saves where the tape ends after a branch was merged. The branch is removed or emptied last, and the state says that
    /// it is on the tape: whenever this process is killed, the next one knows what is left to do.
    fn save_merged(&mut self, tape: &Tape, branch: &Path) -> Result<(), HostSessionError> {
        let state = self.state_mut();
        let before = std::mem::replace(&mut state.cursor, tape.cursor());
        state.merged_branch = file_name(branch);
        if let Err(error) = self.save() {
            self.state_mut().cursor = before;
            return Err(error.into());
        }
        Ok(())
    }
}

/// Holds checkpoints back until the state says that they are on the tape.
#[derive(Debug)]
struct HoldingSigner {
    signer: Arc<MachineSigner>,
    held: Mutex<Vec<String>>,
}

impl HoldingSigner {
    fn publish_held(&self) {
        let held = std::mem::take(&mut *self.held.lock().unwrap_or_else(PoisonError::into_inner));
        held.iter().for_each(|note| self.signer.publish(note));
    }
}

impl CheckpointSigner for HoldingSigner {
    fn sign(&self, text: &str) -> Result<String, String> {
        self.signer.sign(text)
    }

    fn publish(&self, note: &str) {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).push(note.to_owned());
    }
}

fn file_name(path: &Path) -> Option<String> {
    Some(path.file_name()?.to_string_lossy().into_owned())
}

impl ScriptStateStore for SessionStore {
    fn acquire(&self) -> Result<Option<BTreeMap<Layer, LayerState>>, EffectError> {
        let mut cache = self.lock_cache();
        let locked = self.lock_folder(&mut cache).and_then(|folder| match cache.known.state.cursor {
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
        let mut layers = cache.known.state.layers.clone();
        if cache.known.state.turn != cache.turn {
            layers.values_mut().for_each(|layer| layer.scratch.clear());
        }
        Ok(Some(layers))
    }

    fn release(&self, changed: Option<BTreeMap<Layer, LayerState>>) -> Result<(), EffectError> {
        let mut cache = self.lock_cache();
        let Some(folder) = cache.script_lock.take() else { return Ok(()) };
        cache.known.lock_file = Some(folder.lock_file());
        let Some(mut layers) = changed else { return Ok(()) };
        if cache.known.state.turn != cache.turn {
            // The turn of this call is over, and its scratch values with it.
            layers.values_mut().for_each(|layer| layer.scratch.clear());
            for (layer, stored) in &cache.known.state.layers {
                layers.entry(*layer).or_default().scratch.clone_from(&stored.scratch);
            }
        }
        cache.known.state.layers = layers;
        cache.known.save(&folder).map_err(|error| {
            cache.error.get_or_insert_with(|| error.to_string());
            EffectError(format!("cannot save the state of the session: {error}"))
        })
    }
}
