//! Where a tape stands, for the next process that goes on with it.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pintle_contract::Clock;
use serde::{Deserialize, Serialize};

use super::lines::Lines;
use super::numbers::{Numbers, Standing};
use super::output::{Output, Sink};
use super::{State, Tape, file};
use crate::TapeError;
use crate::dispatches::Dispatches;
use crate::line::digest;
use crate::record::FORMATS;

/// Where a tape stands: what a process that goes on with it needs to know, so that it need not read it.
///
/// It is kept beside the tape by whoever writes it in many short processes. One that does not fit the file any more, as
/// after a process that was killed, is found out, and the tape is read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cursor {
    /// The format that the tape's header names; the tape stays one of it.
    format: u32,
    size_bytes: u64,
    last_line_bytes: u64,
    next_seq: u64,
    prev: Option<String>,
    dispatch: u64,
    call: u64,
    request: u64,
    next_entry: u64,
    next_chain: u64,
    /// The hooks that were recorded last.
    #[serde(skip_serializing_if = "Option::is_none")]
    standing: Option<Standing>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    blobs: Vec<String>,
}

impl Tape {
    /// Where the tape stands. `None` for one in memory, and after a fault.
    #[must_use]
    pub fn cursor(&self) -> Option<Cursor> {
        self.with(|state| {
            let Sink::File(file) = &mut state.output.sink else { return None };
            let size_bytes = file.stream_position().ok().filter(|_| state.output.fault.is_none())?;
            let lines = &state.output.lines;
            let (next_entry, next_chain) = state.hooks.next();
            Some(Cursor {
                format: state.dispatches.format(),
                size_bytes,
                last_line_bytes: lines.last_line_bytes(),
                next_seq: lines.next_seq(),
                prev: lines.prev().map(str::to_owned),
                dispatch: state.dispatches.last(),
                call: self.calls.load(Ordering::Relaxed),
                request: self.requests.load(Ordering::Relaxed),
                next_entry,
                next_chain,
                standing: state.hooks.standing().cloned(),
                blobs: lines.known(),
            })
        })
    }

    /// Goes on with a tape in a file where an earlier process left it, without reading more than its last line. Hooks that
    /// are the same as those recorded last are not recorded again.
    ///
    /// A cursor that does not fit the file is of no use; then this is [`Tape::append_to`].
    ///
    /// # Errors
    /// As [`Tape::append_to`].
    pub fn go_on(path: impl AsRef<Path>, cursor: &Cursor, clock: Arc<dyn Clock>) -> Result<Self, TapeError> {
        let path = path.as_ref();
        let mut file = file::reopen(path)?;
        if !fits(&mut file, cursor) {
            drop(file);
            return Self::append_to(path, clock);
        }
        let blobs = cursor.blobs.iter().cloned().collect();
        let lines = Lines::after(cursor.next_seq, cursor.prev.clone(), blobs).whose_last_has(cursor.last_line_bytes);
        let state = State {
            dispatches: Dispatches::after(cursor.dispatch, cursor.format),
            hooks: Numbers::after(cursor.next_entry, cursor.next_chain).behind(cursor.standing.clone()),
            output: Output::new(lines, Sink::File(file)),
        };
        Ok(Self {
            calls: AtomicU64::new(cursor.call),
            requests: AtomicU64::new(cursor.request),
            ..Self::new(Some(path.to_owned()), clock, state)
        })
    }
}

/// Whether the file ends with the line that the cursor stands behind, and leaves the file standing there.
fn fits(file: &mut File, cursor: &Cursor) -> bool {
    let size_bytes = file.metadata().map_or(0, |known| known.len());
    if !FORMATS.contains(&cursor.format) {
        return false;
    }
    let Some(begin) = cursor.size_bytes.checked_sub(cursor.last_line_bytes) else { return false };
    if size_bytes != cursor.size_bytes || file.seek(SeekFrom::Start(begin)).is_err() {
        return false;
    }
    let mut last = Vec::new();
    if file.read_to_end(&mut last).is_err() {
        return false;
    }
    match last.strip_suffix(b"\n") {
        Some(line) => Some(digest(line)) == cursor.prev,
        None => false,
    }
}
