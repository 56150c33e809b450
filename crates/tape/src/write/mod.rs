//! Writes tapes.

mod append;
mod branch;
pub(crate) mod checkpoints;
mod cursor;
mod durability;
mod file;
mod hook_numbers;
mod kept_records;
mod line_buffer;
pub(crate) mod line_encoder;
mod long_arrays;
mod output;
mod tape_file;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::{self, Debug};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use pintle_contract::{
    CallId, Chain, Clock, DispatchId, EffectCaller, EffectError, EffectReply, EffectRequest, Event, EventCause,
    EventKind, Hook, Journal, JournalEntry, ListPrefix, Redactor,
};
use pintle_files::sync_dir_of;
use serde_json::Value;

use crate::TapeError;
use crate::checkpoint::CheckpointSigner;
use crate::dispatch_tracker::DispatchTracker;
use crate::journal_records::{self, PassingDispatch};
use crate::record::{
    ApprovalRecord, EffectRecord, EventRecord, HeaderRecord, HookScope, HostRecord, NoteRecord, RecordBody, is_reserved,
};
use hook_numbers::HookNumbering;
pub(crate) use line_encoder::EncodedFields;
use line_encoder::LineEncoder;
use output::{TapeOutput, TapeSink};
use tape_file::TapeFile;

pub use cursor::TapeCursor;
pub use durability::{Durability, UnknownDurabilityError};
pub use file::is_being_written;
pub use output::RecordObserver;

/// Writes a tape. Shared by all threads of a session; records never mix.
///
/// Each record is one line, passed to the operating system as a whole before the call returns. If a record cannot be
/// written, or the file no longer matches what was written, the tape keeps the error ([`Tape::error_text`],
/// [`Tape::take_error`]) and writes nothing more, so that its records stay complete. A runtime then denies every
/// guarded event.
pub struct Tape {
    path: Option<PathBuf>,
    clock: Arc<dyn Clock>,
    calls: AtomicU64,
    requests: AtomicU64,
    /// Why the tape stopped, if it did.
    error_text: Arc<OnceLock<String>>,
    state: Mutex<TapeState>,
}

struct TapeState {
    dispatches: DispatchTracker,
    /// The dispatch that is not written yet, because so far only built-in hooks passed.
    passing: Option<PassingDispatch>,
    hooks: HookNumbering,
    output: TapeOutput,
    /// The open sessions.
    sessions: BTreeSet<String>,
}

impl Tape {
    /// Creates a tape in a new file, with its parent directories. Only the user may read it, because payloads can
    /// contain secrets.
    ///
    /// # Errors
    /// When the file exists, cannot be created, or the header cannot be written.
    pub fn create(path: impl AsRef<Path>, header: HeaderRecord, clock: Arc<dyn Clock>) -> Result<Self, TapeError> {
        let path = path.as_ref();
        let file = TapeFile::new(file::create(path)?, path, 0);
        let tape = Self { path: Some(path.to_owned()), ..Self::from_sink(TapeSink::File(file), header, clock) };
        match tape.take_error() {
            None => Ok(tape),
            Some(error) => {
                // An empty file would be a tape without a complete record.
                let _ = std::fs::remove_file(path);
                Err(error)
            }
        }
    }

    /// Creates a tape in memory.
    #[must_use]
    pub fn in_memory(header: HeaderRecord, clock: Arc<dyn Clock>) -> Self {
        Self::from_sink(TapeSink::Memory(Vec::new()), header, clock)
    }

    /// Sets what the tape survives. Default: [`Durability::None`]. Existing records are synced at once if the level
    /// requires it.
    #[must_use]
    pub fn with_durability(self, level: Durability) -> Self {
        self.with_state(|state| {
            state.output.durability = level;
            if level != Durability::None {
                state.output.sync();
            }
        });
        if level != Durability::None {
            // What cannot be synced here is synced by the system on its own.
            let _ = self.path.as_deref().map(sync_dir_of);
        }
        self
    }

    /// Has checkpoints signed from here on: at the end of each turn, before the tape is closed, and at the latest some
    /// hundred records after the last one.
    #[must_use]
    pub fn with_checkpoints(self, signer: Arc<dyn CheckpointSigner>) -> Self {
        self.with_state(|state| state.output.checkpoints.signer = Some(signer));
        self
    }

    /// Writes a checkpoint if `record_count` records or more have none, and there is a signer.
    pub fn record_checkpoint(&self, record_count: u64) {
        self.with_state(|state| {
            state.write_passing();
            state.output.put_checkpoint(record_count.max(1), false);
        });
    }

    fn from_sink(sink: TapeSink, header: HeaderRecord, clock: Arc<dyn Clock>) -> Self {
        let state = TapeState {
            dispatches: DispatchTracker::resume_after(0),
            passing: None,
            hooks: HookNumbering::default(),
            output: TapeOutput::new(LineEncoder::default(), sink),
            sessions: BTreeSet::new(),
        };
        let tape = Self::new(None, clock, state);
        tape.put(|_| RecordBody::Header(header));
        tape
    }

    fn new(path: Option<PathBuf>, clock: Arc<dyn Clock>, state: TapeState) -> Self {
        Self {
            path,
            clock,
            calls: AtomicU64::new(0),
            requests: AtomicU64::new(0),
            error_text: Arc::clone(&state.output.error_text),
            state: Mutex::new(state),
        }
    }

    /// The file, as it was given; `None` for a tape in memory.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Adds an observer from here on.
    pub fn observe(&self, follower: Arc<dyn RecordObserver>) {
        self.with_state(|state| state.output.observer = Some(follower));
    }

    /// Redacts secrets in every record from here on, before it is hashed, written and shown to observers. The first
    /// redactor stays.
    pub fn set_redactor(&self, secrets: Arc<dyn Redactor>) {
        self.with_state(|state| {
            if state.output.redactor.is_none() {
                state.output.lines.recent_lists.forget_values();
                state.output.redactor = Some(secrets);
            }
        });
    }

    /// Records loaded hooks that apply to every agent. Hooks that a continued tape already ends with are not recorded
    /// again.
    pub fn record_hooks<'a>(&self, chains: impl IntoIterator<Item = &'a Chain, IntoIter: Clone>) {
        let chains = chains.into_iter();
        self.with_state(|state| {
            if let Some(loaded) = state.hooks.number_runtime_hooks(chains) {
                state.put(self.clock.unix_ms(), RecordBody::Hooks(loaded));
            }
        });
    }

    /// Records loaded hooks of one agent and its child agents.
    pub fn record_agent_hooks<'a>(&self, chains: impl IntoIterator<Item = &'a Chain>) {
        self.put(|state| RecordBody::Hooks(state.hooks.number_hooks(HookScope::Agent, chains)));
    }

    /// Records an effect request of a hook or tool, and its reply.
    pub fn record_effect(
        &self,
        caller: EffectCaller<'_>,
        request: &EffectRequest,
        reply: &Result<EffectReply, EffectError>,
    ) {
        self.put(|state| {
            let dispatch = state.dispatches.dispatch_of_call(caller.dispatch, caller.call);
            RecordBody::Effect(EffectRecord {
                dispatch,
                call: dispatch.map(|_| caller.call.0),
                caller: Cow::Borrowed(caller.name),
                layer: caller.layer,
                request: Cow::Borrowed(request),
                reply: reply.as_ref().ok().map(Cow::Borrowed),
                error: reply.as_ref().err().map(Cow::Borrowed),
            })
        });
    }

    /// Records what the host does, before it does it or as soon as it is known.
    pub fn record_host(&self, record: HostRecord<'_>) {
        self.put(|state| {
            if let HostRecord::Session(opened) | HostRecord::Resumed(opened) = &record {
                state.sessions.insert(opened.origin.session.clone());
            }
            RecordBody::Host(record)
        });
    }

    /// Records how an approval request of the host itself was answered ([`ApprovalRecord::for_host`]).
    pub fn record_approval(&self, record: ApprovalRecord<'_>) {
        self.put(|_| RecordBody::Approval(record));
    }

    /// Records a note of the host, such as `remark`. A kind with a meaning in the format gets the prefix `note.`.
    pub fn record_note(&self, kind: &str, data: Value) {
        let kind = if is_reserved(kind) { Cow::Owned(format!("note.{kind}")) } else { Cow::Borrowed(kind) };
        self.put(|_| RecordBody::Note(NoteRecord { kind, data: Cow::Owned(data) }));
    }

    /// The number of the next model request, unique and increasing on the tape.
    pub fn next_request(&self) -> u64 {
        self.requests.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Syncs the written records to disk, whatever the level. An error is kept as for a record.
    pub fn sync(&self) {
        self.with_state(|state| state.output.sync());
    }

    /// Closes the file until the next record, so that an idle session has no open file. Another program may lock the tape
    /// meanwhile. If that program changes it, this tape stops as for any other change.
    pub fn release_file(&self) {
        self.with_state(|state| {
            let TapeSink::File(file) = &mut state.output.sink else { return };
            file.close();
            (state.output.lines.line, state.output.lines.recent_texts) = <_>::default();
        });
    }

    /// The lines so far of a tape in memory; empty for one in a file.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        self.with_state(|state| match &state.output.sink {
            TapeSink::Memory(lines) => lines.clone(),
            TapeSink::File(_) => Vec::new(),
        })
    }

    /// Closes the tape with a record that counts and covers all earlier ones, and returns the digest of that record's
    /// line. A copy of the digest identifies this tape. Does nothing if the tape is closed, and returns `None` if a
    /// session or an event is still open or the tape has stopped. Later records are appended after it.
    pub fn close(&self) -> Option<String> {
        self.with_state(|state| {
            if !state.sessions.is_empty() || state.dispatches.has_open_dispatch() {
                return None;
            }
            state.output.close(self.clock.unix_ms());
            if state.output.durability != Durability::None {
                state.output.sync();
            }
            state.output.lines.prev.clone().filter(|_| state.output.error.is_none())
        })
    }

    /// Why the tape stopped, in one line, if it did. Cheap, and it stays.
    #[must_use]
    pub fn error_text(&self) -> Option<&str> {
        self.error_text.get().map(String::as_str)
    }

    /// Checks that the file is still the one that was written: not deleted, replaced, truncated or written by another
    /// program. If not, the tape stops, as after a record that could not be written. Returns why it stopped.
    pub fn check_file(&self) -> Option<&str> {
        if self.error_text().is_none() {
            self.with_state(|state| state.output.check());
        }
        self.error_text()
    }

    /// Takes the error that stopped the tape, if there was one. The tape stays stopped.
    #[must_use]
    pub fn take_error(&self) -> Option<TapeError> {
        self.with_state(|state| {
            let seq = state.output.lines.next_seq;
            let ended = |error: &TapeError| TapeError::Write { seq, source: std::io::Error::other(error.to_string()) };
            let again = state.output.error.as_ref().map(ended);
            std::mem::replace(&mut state.output.error, again)
        })
    }

    fn with_state<T>(&self, work: impl FnOnce(&mut TapeState) -> T) -> T {
        // The state is consistent between any two statements that can panic, so a poisoned lock is usable.
        work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn put<'a>(&self, body: impl FnOnce(&mut TapeState) -> RecordBody<'a>) {
        self.with_state(|state| {
            let body = body(state);
            state.put(self.clock.unix_ms(), body);
        });
    }
}

impl TapeState {
    /// Writes a record, and before it what is not written yet.
    fn put(&mut self, at_ms: u64, body: RecordBody<'_>) {
        self.write_passing();
        self.output.put(at_ms, body);
    }

    /// Writes the records of the dispatch that is not written yet, each on its own.
    fn write_passing(&mut self) {
        if let Some(passing) = self.passing.take() {
            self.output.list_prefix = ListPrefix::find_in(&passing.event().payload);
            passing.write_to(|at_ms, body| self.output.put(at_ms, body));
        }
    }

    /// Adds a step to the dispatch that is not written yet. Returns whether that is all.
    fn add_passing(&mut self, at_ms: u64, dispatch: DispatchId, entry: &JournalEntry<'_>) -> bool {
        let Self { passing: Some(passing), hooks, output, .. } = self else { return false };
        if passing.number() != dispatch.0 {
            return false;
        }
        match entry {
            JournalEntry::Outcome { event, outcome } => {
                let Some(record) = passing.as_single_record(outcome) else { return false };
                output.list_prefix = ListPrefix::find_in(&event.payload);
                output.put(passing.at_ms(), RecordBody::Event(record));
                self.passing = None;
                true
            }
            // What a program does must not happen before the tape has its call.
            JournalEntry::Call { hook, .. } if !is_built_in(hook) => false,
            entry => passing.add(at_ms, entry, |hook| hooks.number_of(hook)),
        }
    }

    /// The number of a hook, which is recorded first if needed.
    fn number_hook(&mut self, at_ms: u64, hook: &Hook) -> u64 {
        if let Some(number) = self.hooks.number_of(hook) {
            return number;
        }
        let loaded = self.hooks.number_unknown(hook);
        let number = loaded.hooks.first().map_or(0, |entry| entry.entry);
        self.put(at_ms, RecordBody::Hooks(loaded));
        number
    }

    fn end_dispatch(&mut self, dispatch: DispatchId, event: &Event) {
        self.dispatches.end(dispatch);
        if event.name.kind() == EventKind::SessionEnd && event.origin.depth == 0 {
            self.sessions.remove(&event.origin.session);
        }
    }
}

/// Whether a hook is a built-in that starts no program and waits for nothing outside this process.
fn is_built_in(hook: &Hook) -> bool {
    hook.handler.kind() == "builtin" && !hook.handler.may_wait()
}

impl Journal for Tape {
    fn begin_dispatch(&self, event: &JournalEntry<'_>) -> DispatchId {
        self.with_state(|state| {
            let JournalEntry::Event { event: fired, cause } = event else { return DispatchId::default() };
            state.write_passing();
            let open = state.dispatches.begin(fired, *cause);
            state.passing = Some(PassingDispatch::new(open, fired, self.clock.unix_ms()));
            DispatchId(open.number)
        })
    }

    fn record(&self, dispatch: DispatchId, entry: &JournalEntry<'_>) {
        self.with_state(|state| {
            let at_ms = self.clock.unix_ms();
            let is_added = state.add_passing(at_ms, dispatch, entry);
            if !is_added {
                state.write_passing();
            }
            let number = match entry {
                _ if is_added => 0,
                JournalEntry::Call { hook, .. }
                | JournalEntry::MatcherFailed { hook, .. }
                | JournalEntry::NotCalled { hook, .. } => state.number_hook(at_ms, hook),
                _ => 0,
            };
            let TapeState { dispatches, output, .. } = state;
            let open = dispatches.dispatch(dispatch);
            if !is_added {
                journal_records::records_of_entry(entry, open, |_| number, |body| output.put(at_ms, body));
            }
            match entry {
                JournalEntry::Call { id, .. } => open.begin_call(*id),
                JournalEntry::Return { id, .. } => open.end_call(*id),
                JournalEntry::Outcome { event, .. } => state.end_dispatch(dispatch, event),
                _ => {}
            }
        });
    }

    fn record_without_hooks(&self, event: &Event, cause: EventCause) -> DispatchId {
        self.with_state(|state| {
            let open = state.dispatches.begin(event, cause);
            let dispatch = DispatchId(open.number);
            let fired = EventRecord::new(open.number, open.parent, event, open.cause).with_no_hooks(true);
            state.write_passing();
            state.output.list_prefix = ListPrefix::find_in(&event.payload);
            state.output.put(self.clock.unix_ms(), RecordBody::Event(fired));
            state.end_dispatch(dispatch, event);
            dispatch
        })
    }

    fn next_call(&self) -> CallId {
        CallId(self.calls.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

impl Debug for Tape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tape").finish_non_exhaustive()
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Debug)]
    struct WriteStopped;

    impl Clock for WriteStopped {
        fn unix_ms(&self) -> u64 {
            0
        }

        fn monotonic_us(&self) -> u64 {
            0
        }
    }

    #[test]
    fn a_full_disk_ends_the_tape_and_is_told_when_asked() {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let file = TapeFile::new(full, Path::new("/dev/full"), 0);
        let tape = Tape::from_sink(TapeSink::File(file), HeaderRecord::new("s", 0), Arc::new(WriteStopped));
        tape.record_note("remark", json!(1));
        assert!(tape.error_text().is_some_and(|reason| reason.contains("No space left")));
        let error = tape.take_error().unwrap().to_string();
        assert!(error.starts_with("cannot write record 0 of the tape: No space left"), "{error}");
        assert!(tape.take_error().is_some(), "a tape that stopped stays stopped");
    }
}
