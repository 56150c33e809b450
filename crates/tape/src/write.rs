//! The writer.

use std::borrow::Cow;
use std::fmt::{self, Debug};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use pintle_contract::{CallId, Caller, Chain, Clock, Entry, Journal, Redact, Reply, Request, SeamError};
use serde_json::Value;

use crate::TapeError;
use crate::dispatches::Dispatches;
use crate::line::digest;
use crate::record::{Answered, Asked, Body, Decided, Effected, Fired, Header, Loaded, Noted, RESERVED, Record, Warned};
use crate::scrub;

/// Writes a tape. Shared by all threads of a session; records never mix.
///
/// Each record is one line, handed to the operating system whole before the call returns. When a record cannot be
/// written, the tape keeps the fault until it is asked for it ([`Tape::fault`]) and writes nothing more, so that what is
/// there stays whole.
pub struct Tape {
    path: Option<PathBuf>,
    clock: Arc<dyn Clock>,
    calls: AtomicU64,
    state: Mutex<State>,
}

struct State {
    sink: Sink,
    follower: Option<Arc<dyn Follower>>,
    scrub: Option<Arc<dyn Redact>>,
    next_seq: u64,
    prev: Option<String>,
    dispatches: Dispatches,
    fault: Option<TapeError>,
}

enum Sink {
    File(File),
    Memory(Vec<String>),
}

/// Sees every record as it is written, in the order of the tape.
///
/// It is called while the tape is locked: it must not use the tape.
pub trait Follower: Send + Sync + Debug {
    /// Sees a record and the line it was written as, without the line's end.
    fn follow(&self, record: &Record<'_>, line: &str);
}

impl Tape {
    /// Begins a tape in a new file, with the folders that lead to it. Others may not read it: payloads can hold
    /// secrets.
    ///
    /// # Errors
    /// When the file exists, cannot be made, or the header cannot be written.
    pub fn create(path: impl AsRef<Path>, header: Header, clock: Arc<dyn Clock>) -> Result<Self, TapeError> {
        let path = path.as_ref();
        let open = |source| TapeError::Open { path: path.to_owned(), source };
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder).map_err(open)?;
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists => TapeError::Exists { path: path.to_owned() },
            _ => open(source),
        })?;
        let tape = Self { path: Some(path.to_owned()), ..Self::over(Sink::File(file), header, clock) };
        match tape.fault() {
            Some(fault) => Err(fault),
            None => Ok(tape),
        }
    }

    /// Begins a tape that is kept in memory.
    #[must_use]
    pub fn in_memory(header: Header, clock: Arc<dyn Clock>) -> Self {
        Self::over(Sink::Memory(Vec::new()), header, clock)
    }

    fn over(sink: Sink, header: Header, clock: Arc<dyn Clock>) -> Self {
        let state = State {
            sink,
            follower: None,
            scrub: None,
            next_seq: 0,
            prev: None,
            dispatches: Dispatches::default(),
            fault: None,
        };
        let tape = Self { path: None, clock, calls: AtomicU64::new(0), state: Mutex::new(state) };
        tape.write(|_| Body::Header(header));
        tape
    }

    /// The file, as it was named; `None` for a tape in memory.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Lets somebody follow the tape from here on.
    pub fn follow(&self, follower: Arc<dyn Follower>) {
        self.with(|state| state.follower = Some(follower));
    }

    /// Takes the secrets out of every record from here on, before it is hashed, written and shown. The first one that
    /// is asked stays.
    pub fn scrub(&self, secrets: Arc<dyn Redact>) {
        self.with(|state| {
            state.scrub.get_or_insert(secrets);
        });
    }

    /// Records hooks that were loaded.
    pub fn hooks<'a>(&self, chains: impl IntoIterator<Item = &'a Chain>) {
        let loaded = Loaded::new(chains);
        self.write(|_| Body::Hooks(loaded));
    }

    /// Records what a hook or tool asked of the world and what it got.
    pub fn effect(&self, caller: Caller<'_>, request: &Request, reply: &Result<Reply, SeamError>) {
        self.write(|dispatches| {
            let dispatch = dispatches.of_call(caller.call.0);
            Body::Effect(Effected {
                dispatch,
                call: dispatch.map(|_| caller.call.0),
                by: Cow::Borrowed(caller.name),
                request: Cow::Borrowed(request),
                reply: reply.as_ref().ok().map(Cow::Borrowed),
                error: reply.as_ref().err().map(Cow::Borrowed),
            })
        });
    }

    /// Records a note of the host, such as `turn`, `message` or `tool`. A kind that has a meaning of its own in the format
    /// gets `note.` before it.
    pub fn note(&self, kind: &str, data: Value) {
        let kind = if RESERVED.contains(&kind) { Cow::Owned(format!("note.{kind}")) } else { Cow::Borrowed(kind) };
        self.write(|_| Body::Note(Noted { kind, data: Cow::Owned(data) }));
    }

    /// The lines so far of a tape in memory; empty for one in a file.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        self.with(|state| match &state.sink {
            Sink::Memory(lines) => lines.clone(),
            Sink::File(_) => Vec::new(),
        })
    }

    /// Takes the fault that ended the tape, if there was one. The tape stays ended.
    #[must_use]
    pub fn fault(&self) -> Option<TapeError> {
        self.with(|state| {
            let ended = |fault: &TapeError| TapeError::Write {
                seq: state.next_seq,
                source: io::Error::other(fault.to_string()),
            };
            let again = state.fault.as_ref().map(ended);
            std::mem::replace(&mut state.fault, again)
        })
    }

    fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        // The state is whole between any two statements that can panic, so a poisoned lock is as good as any.
        work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn write<'a>(&self, body: impl FnOnce(&mut Dispatches) -> Body<'a>) {
        self.with(|state| {
            let body = body(&mut state.dispatches);
            if state.fault.is_none() {
                let record = Record { seq: state.next_seq, at_ms: self.clock.unix_ms(), prev: state.prev.take(), body };
                state.fault = state.append(&record).err();
            }
        });
    }
}

impl State {
    fn append(&mut self, record: &Record<'_>) -> Result<(), TapeError> {
        let fault = |source| TapeError::Write { seq: record.seq, source };
        let mut line = record.to_line().map_err(|source| fault(io::Error::other(source)))?;
        let clean = self.scrub.as_ref().and_then(|secrets| scrub::line(&**secrets, &line));
        if let Some((clean, _)) = &clean {
            line.clone_from(clean);
        }
        self.prev = Some(digest(line.as_bytes()));
        self.next_seq += 1;
        if let Some(follower) = &self.follower {
            follower.follow(clean.as_ref().map_or(record, |(_, record)| record), &line);
        }
        match &mut self.sink {
            Sink::Memory(lines) => lines.push(line),
            Sink::File(file) => {
                line.push('\n');
                file.write_all(line.as_bytes()).map_err(fault)?;
            }
        }
        Ok(())
    }
}

impl Journal for Tape {
    fn record(&self, entry: &Entry<'_>) {
        let thread = thread::current().id();
        match entry {
            Entry::Event { event } => self.write(|dispatches| {
                let (dispatch, parent) = dispatches.begin(thread, &event.payload);
                Body::Event(Fired {
                    dispatch,
                    parent,
                    event: Cow::Borrowed(event.name.as_str()),
                    origin: Cow::Borrowed(&event.origin),
                    payload: Cow::Borrowed(event.payload.value()),
                })
            }),
            Entry::Call { id, hook, round, event } => self.write(|dispatches| {
                let dispatch = dispatches.current(thread).unwrap_or_default();
                dispatches.call(id.0, dispatch);
                let version = dispatches.version(thread, &event.payload);
                Body::Call(Asked {
                    dispatch,
                    call: id.0,
                    hook: Cow::Borrowed(hook.id.as_str()),
                    round: *round,
                    payload: version.number,
                    value: version.first_seen.then(|| Cow::Borrowed(event.payload.value())),
                })
            }),
            Entry::Return { id, hook, verdict, duration_us } => self.write(|dispatches| {
                Body::Return(Answered {
                    dispatch: dispatches.of_call(id.0).unwrap_or_default(),
                    call: id.0,
                    hook: Cow::Borrowed(hook.id.as_str()),
                    duration_us: *duration_us,
                    said: (*verdict).into(),
                })
            }),
            Entry::Warning { warning } => self.write(|dispatches| {
                Body::Warning(Warned {
                    dispatch: dispatches.current(thread),
                    hook: Cow::Borrowed(warning.hook.as_str()),
                    message: Cow::Borrowed(&warning.message),
                })
            }),
            Entry::Outcome { event, outcome } => self.write(|dispatches| {
                let dispatch = dispatches.current(thread).unwrap_or_default();
                let version = dispatches.version(thread, &outcome.payload);
                dispatches.end(thread);
                let name = event.name.as_str();
                Body::Outcome(Decided::new(dispatch, name, outcome, version.number, version.first_seen))
            }),
        }
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
    struct Stopped;

    impl Clock for Stopped {
        fn unix_ms(&self) -> u64 {
            0
        }

        fn monotonic_us(&self) -> u64 {
            0
        }
    }

    #[test]
    fn a_full_disk_ends_the_tape_and_is_told_when_asked() {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let tape = Tape::over(Sink::File(full), Header::new("s", 0), Arc::new(Stopped));
        tape.note("turn", json!(1));
        let fault = tape.fault().unwrap().to_string();
        assert!(fault.starts_with("cannot write record 0 of the tape: No space left"), "{fault}");
        assert!(tape.fault().is_some(), "a tape that ended stays ended");
    }
}
