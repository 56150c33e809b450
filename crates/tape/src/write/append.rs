//! Continues an existing tape.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use pintle_contract::{Clock, to_hex};

use super::output::TapeSink;
use super::tape_file::{TapeFile, read_from};
use super::{Tape, TapeCursor, file};
use crate::TapeError;
use crate::blobs::RecentLists;
use crate::read::{TapeLine, TapeReader, TornRecord};
use crate::record::{HeaderRecord, RecordBody, RepairedRecord};
use crate::verify::chain::ChainCheck;

impl Tape {
    /// Opens an existing tape to continue it. Everything up to the last complete record is verified. A torn record is
    /// removed, and a `repaired` record says so. Hooks are recorded again when they are loaded.
    ///
    /// # Errors
    /// When the file cannot be opened or is not a tape, when its chain of digests is broken, or when another writer
    /// uses it.
    pub fn append_to(path: impl AsRef<Path>, clock: Arc<dyn Clock>) -> Result<Self, TapeError> {
        let path = path.as_ref();
        let open = |source| TapeError::Open { path: path.to_owned(), source };
        let mut file = file::reopen(path)?;
        let (mut end, torn) = TapeEnd::read(&file, path)?;
        if torn.is_some() {
            // Nothing that only the torn record has may be taken for something on the tape.
            file.set_len(end.cursor.size_bytes).map_err(open)?;
            end = TapeEnd::read(&file, path)?.0;
        } else if !end.has_newline {
            file.write_all(b"\n").map_err(open)?;
        }
        let tape = end.cursor.continue_tape(file, path, end.recent_lists, clock);
        if let Some(torn) = torn {
            tape.put(|_| {
                RecordBody::Repaired(RepairedRecord { line: torn.line as u64, size_bytes: torn.size_bytes as u64 })
            });
        }
        tape.take_error().map_or(Ok(tape), Err)
    }

    /// Opens a tape to continue it, or creates it if it does not exist. A file without a complete header, as a full
    /// disk leaves it, gets a header followed by a `repaired` record.
    ///
    /// # Errors
    /// As [`Tape::append_to`] and [`Tape::create`].
    pub fn open_or_create(
        path: impl AsRef<Path>,
        header: HeaderRecord,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, TapeError> {
        let path = path.as_ref();
        let size_bytes = match Self::append_to(path, Arc::clone(&clock)) {
            Err(TapeError::Open { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                return Self::create(path, header, clock);
            }
            Err(TapeError::Empty) => 0,
            Err(TapeError::Torn { size_bytes }) => size_bytes,
            opened => return opened,
        };
        let open = |source| TapeError::Open { path: path.to_owned(), source };
        let mut file = file::reopen(path)?;
        // Another process may have begun it meanwhile.
        let begun = read_from(&mut file, 0).map_err(open)?;
        if begun.contains(&b'\n') {
            drop(file);
            return Self::append_to(path, clock);
        }
        file.set_len(0).map_err(open)?;
        let sink = TapeSink::File(TapeFile::new(file, path, 0));
        let tape = Self { path: Some(path.to_owned()), ..Self::from_sink(sink, header, clock) };
        tape.put(|_| RecordBody::Repaired(RepairedRecord { line: 1, size_bytes: size_bytes as u64 }));
        tape.take_error().map_or(Ok(tape), Err)
    }
}

/// The end of a tape that was read.
struct TapeEnd {
    cursor: TapeCursor,
    recent_lists: RecentLists,
    /// Whether the last complete record has its line end.
    has_newline: bool,
}

impl TapeEnd {
    /// Reads a tape up to its last complete record, and verifies the chain of digests.
    fn read(file: &File, path: &Path) -> Result<(Self, Option<TornRecord>), TapeError> {
        let copy = file.try_clone().map_err(|source| TapeError::Open { path: path.to_owned(), source })?;
        let mut reader = TapeReader::from_file(copy, path)?.abridged();
        let (mut cursor, mut links) = (TapeCursor::default(), ChainCheck::default());
        for line in &mut reader {
            let line = line?;
            check_link(&mut links, &line)?;
            cursor.add_record(&line.record, line.text.len() as u64 + 1);
        }
        let blobs = reader.blobs();
        (cursor.next_seq, cursor.prev) = (links.next_seq, links.prev);
        (cursor.header, cursor.tree) = (links.header, links.tree.to_hex());
        cursor.origin = reader.origin().map(str::to_owned);
        cursor.blobs = blobs.digests().map(|digest| to_hex(&digest)).collect();
        let (recent_lists, has_newline) = (blobs.recent_lists(), reader.ends_with_newline());
        Ok((Self { cursor, recent_lists, has_newline }, reader.torn()))
    }
}

/// Checks that a line follows from the one before.
pub(super) fn check_link(links: &mut ChainCheck, line: &TapeLine) -> Result<(), TapeError> {
    match links.check_record(&line.record, &line.text).first() {
        None => Ok(()),
        Some((found, expected)) => {
            let reason = format!("{found}; expected {expected}");
            Err(TapeError::Line { line: line.number, reason })
        }
    }
}
