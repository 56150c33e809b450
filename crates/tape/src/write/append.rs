//! Continues an existing tape.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use pintle_contract::Clock;

use super::output::TapeSink;
use super::tape_file::{TapeFile, read_from};
use super::{Tape, TapeCursor, file};
use crate::TapeError;
use crate::read::{TapeLine, TapeReader};
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
        let mut reader = TapeReader::from_file(file.try_clone().map_err(open)?, path)?.abridged();
        let (mut end, mut links) = (TapeCursor::default(), ChainCheck::default());
        for line in &mut reader {
            let line = line?;
            check_link(&mut links, &line)?;
            end.add_record(&line.record, line.text.len() as u64 + 1);
        }
        let (torn, blobs) = (reader.torn(), reader.blobs());
        (end.next_seq, end.prev, end.blobs) = (links.next_seq, links.prev, blobs.digests().collect());
        if torn.is_none() && !reader.ends_with_newline() {
            file.write_all(b"\n").map_err(open)?;
        } else {
            file.set_len(end.size_bytes).map_err(open)?;
        }
        let tape = end.continue_tape(file, path, blobs.recent_lists(), clock);
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
