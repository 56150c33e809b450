//! The position at the end of a tape, for the next process that continues it.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pintle_contract::{Clock, to_hex};
use serde::{Deserialize, Serialize};

use super::checkpoints::UNSIGNED;
use super::hook_numbers::{FirstHooks, HookNumbering};
use super::line_encoder::LineEncoder;
use super::output::{TapeOutput, TapeSink};
use super::tape_file::TapeFile;
use super::{Tape, TapeState, file};
use crate::TapeError;
use crate::blobs::RecentLists;
use crate::dispatch_tracker::DispatchTracker;
use crate::line::{digest_hex, parse_hex};
use crate::record::{FORMAT, HostRecord, Record, RecordBody};
use crate::tree::TreeFrontier;

/// The position at the end of a tape: what a process needs to continue the tape without reading it.
///
/// Hosts that write a tape in many short processes store it beside the tape. If it does not match the file, for example
/// after a process was killed, this is detected and the tape is read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TapeCursor {
    /// The format of the tape.
    format: u32,
    pub(super) size_bytes: u64,
    last_line_bytes: u64,
    pub(super) next_seq: u64,
    last_ms: u64,
    pub(super) prev: Option<String>,
    /// The digest of the first line, in hex.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) header: Option<String>,
    /// The frontier of the tree over the lines, in hex.
    pub(super) tree: Vec<String>,
    /// The number of records up to the last checkpoint.
    covered: u64,
    /// Whether the tape says why it has no checkpoints.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_unsigned: bool,
    pub(super) dispatch: u64,
    pub(super) call: u64,
    request: u64,
    pub(super) next_entry: u64,
    pub(super) next_chain: u64,
    /// The hooks that were recorded last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) first_hooks: Option<FirstHooks>,
    /// The last origin, as JSON text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) origin: Option<String>,
    /// The digests of the blobs, in hex.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) blobs: Vec<String>,
}

impl Tape {
    /// The position at the end of the tape. `None` for a tape in memory, and after an error.
    #[must_use]
    pub fn cursor(&self) -> Option<TapeCursor> {
        self.with_state(|state| {
            state.write_passing();
            let TapeSink::File(file) = &state.output.sink else { return None };
            let size_bytes = Some(file.size_bytes()).filter(|_| state.output.error.is_none())?;
            let lines = &state.output.lines;
            let (next_entry, next_chain) = state.hooks.next_numbers();
            Some(TapeCursor {
                format: FORMAT,
                size_bytes,
                last_line_bytes: lines.last_line_bytes,
                next_seq: lines.next_seq,
                last_ms: state.output.last_ms,
                prev: lines.prev.clone(),
                header: lines.header.clone(),
                tree: lines.tree.to_hex(),
                covered: state.output.checkpoints.covered,
                is_unsigned: state.output.checkpoints.is_unsigned,
                dispatch: state.dispatches.last(),
                call: self.calls.load(Ordering::Relaxed),
                request: self.requests.load(Ordering::Relaxed),
                next_entry,
                next_chain,
                first_hooks: state.hooks.first_hooks().cloned(),
                origin: lines.origin.clone(),
                blobs: lines.known_blobs.iter().map(|digest| to_hex(digest)).collect(),
            })
        })
    }

    /// Continues a tape where an earlier process left it, without reading more than its last line. Hooks that are the
    /// same as those recorded last are not recorded again.
    ///
    /// If the tape has more records after the cursor, because the earlier process ended before it stored the cursor,
    /// this is [`Tape::append_to`].
    ///
    /// # Errors
    /// As [`Tape::append_to`]; and [`TapeError::CursorLost`] if the line before the cursor is not on the tape: then
    /// records are missing.
    pub fn resume_at(path: impl AsRef<Path>, cursor: &TapeCursor, clock: Arc<dyn Clock>) -> Result<Self, TapeError> {
        Self::resume(path.as_ref(), cursor, clock, RecordsAfterCursor::Keep)
    }

    /// Continues a tape as [`Tape::resume_at`], after removing the records behind the cursor: the part of a branch that a
    /// process had merged when it died, and that will be merged again.
    ///
    /// # Errors
    /// As [`Tape::resume_at`], also if something else than records is behind the cursor.
    pub fn rewind_to(path: impl AsRef<Path>, cursor: &TapeCursor, clock: Arc<dyn Clock>) -> Result<Self, TapeError> {
        Self::resume(path.as_ref(), cursor, clock, RecordsAfterCursor::Remove)
    }

    fn resume(
        path: &Path,
        cursor: &TapeCursor,
        clock: Arc<dyn Clock>,
        after: RecordsAfterCursor,
    ) -> Result<Self, TapeError> {
        let mut file = match file::reopen(path) {
            Err(TapeError::Open { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                return Err(cursor.lost_error(path, "it was deleted"));
            }
            file => file?,
        };
        match cursor.find_in(&mut file) {
            CursorPosition::End => {}
            CursorPosition::Inside if after == RecordsAfterCursor::Remove => {
                drop(file);
                // Only records are removed, and nothing that another program wrote.
                drop(Self::append_to(path, Arc::clone(&clock))?);
                file = file::reopen(path)?;
                file.set_len(cursor.size_bytes).map_err(|source| TapeError::Open { path: path.to_owned(), source })?;
            }
            CursorPosition::Inside => {
                drop(file);
                return Self::append_to(path, clock);
            }
            CursorPosition::NotFound(what) => return Err(cursor.lost_error(path, what)),
        }
        Ok(cursor.clone().continue_tape(file, path, RecentLists::default(), clock))
    }
}

/// What happens to records behind a cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RecordsAfterCursor {
    Keep,
    Remove,
}

/// The position of a cursor in a file.
enum CursorPosition {
    /// After the last line.
    End,
    /// After one of the lines, with more after it.
    Inside,
    /// The cursor does not match the file; the text says why.
    NotFound(&'static str),
}

impl TapeCursor {
    /// Moves behind the next record of a tape, whose line has this size. Its number, its digest and its blobs are known
    /// elsewhere.
    pub(super) fn add_record(&mut self, record: &Record<'_>, line_bytes: u64) {
        let body = &record.body;
        self.size_bytes += line_bytes;
        self.last_line_bytes = line_bytes;
        self.last_ms = self.last_ms.max(record.at_ms);
        self.dispatch = self.dispatch.max(body.dispatch().unwrap_or_default());
        match body {
            RecordBody::HookCall(asked) => self.call = self.call.max(asked.call),
            RecordBody::Event(fired) => {
                self.call = fired.passed.iter().map(|passed| passed.call).fold(self.call, u64::max);
            }
            RecordBody::Host(HostRecord::ModelRequest(request)) => self.request = self.request.max(request.request),
            RecordBody::Hooks(loaded) => {
                for entry in &loaded.hooks {
                    self.next_entry = self.next_entry.max(entry.entry.saturating_add(1));
                    self.next_chain = self.next_chain.max(entry.chain.saturating_add(1));
                }
            }
            RecordBody::Checkpoint(_) => self.covered = record.seq.saturating_add(1),
            RecordBody::Note(note) if note.kind == UNSIGNED => self.is_unsigned = true,
            _ => {}
        }
    }

    /// Continues a tape at its end.
    pub(super) fn continue_tape(
        self,
        file: File,
        path: &Path,
        recent_lists: RecentLists,
        clock: Arc<dyn Clock>,
    ) -> Tape {
        let lines = LineEncoder {
            next_seq: self.next_seq,
            prev: self.prev,
            header: self.header,
            tree: TreeFrontier::from_hex(self.next_seq, &self.tree).unwrap_or_default(),
            last_line_bytes: self.last_line_bytes,
            known_blobs: self.blobs.iter().filter_map(|digest| parse_hex(digest)).collect(),
            origin: self.origin,
            recent_lists,
            ..LineEncoder::default()
        };
        let sink = TapeSink::File(TapeFile::new(file, path, self.size_bytes));
        let mut output = TapeOutput::resume_after(lines, sink, self.last_ms);
        (output.checkpoints.covered, output.checkpoints.is_unsigned) = (self.covered, self.is_unsigned);
        let state = TapeState {
            dispatches: DispatchTracker::resume_after(self.dispatch),
            hooks: HookNumbering::resume_after(self.next_entry, self.next_chain).with_first_hooks(self.first_hooks),
            output,
            passing: None,
            sessions: BTreeSet::new(),
        };
        Tape {
            calls: AtomicU64::new(self.call),
            requests: AtomicU64::new(self.request),
            ..Tape::new(Some(path.to_owned()), clock, state)
        }
    }

    /// The number of records before it.
    #[must_use]
    pub fn record_count(&self) -> u64 {
        self.next_seq
    }

    /// Whether it is after a line of this tape, or at its end.
    #[must_use]
    pub fn is_within(&self, tape: impl AsRef<Path>) -> bool {
        let position = pintle_files::open(tape).map(|mut file| self.find_in(&mut file));
        matches!(position, Ok(CursorPosition::End | CursorPosition::Inside))
    }

    /// The digest of the last line before it.
    #[must_use]
    pub fn digest(&self) -> Option<&str> {
        self.prev.as_deref()
    }

    fn is_readable(&self) -> bool {
        self.format == FORMAT && TreeFrontier::from_hex(self.next_seq, &self.tree).is_some()
    }

    fn find_in(&self, file: &mut File) -> CursorPosition {
        let found = file.metadata().map_or(0, |known| known.len());
        let Some(begin) = self.size_bytes.checked_sub(self.last_line_bytes).filter(|_| self.is_readable()) else {
            return CursorPosition::NotFound("its stored position is invalid");
        };
        if found < self.size_bytes {
            return CursorPosition::NotFound("it is shorter now");
        }
        let mut line = vec![0; usize::try_from(self.last_line_bytes).unwrap_or_default()];
        if file.seek(SeekFrom::Start(begin)).and_then(|_| file.read_exact(&mut line)).is_err() {
            return CursorPosition::NotFound("its end cannot be read");
        }
        if line.strip_suffix(b"\n").is_none_or(|line| Some(digest_hex(line)) != self.prev) {
            return CursorPosition::NotFound("the last of them is missing");
        }
        if found == self.size_bytes { CursorPosition::End } else { CursorPosition::Inside }
    }

    fn lost_error(&self, path: &Path, action: &'static str) -> TapeError {
        TapeError::CursorLost {
            path: path.to_owned(),
            actual: format!("it had {} records, and {action}", self.next_seq),
        }
    }
}
