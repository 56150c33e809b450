//! Reading the whole lines of a tape.

use std::path::Path;

use pintle_tape::{HeaderRecord, RecordBody, TapeError, TapeLine, TapeReader};

use crate::protocol::{StoredEnd, hex_digest};

/// The whole lines of a tape from its start, as long as the part that was sent is as it was.
pub(crate) struct WholeLines {
    /// The first record.
    pub(crate) header: HeaderRecord,
    /// The digest of the first line, which names the tape.
    pub(crate) digest: String,
    reader: TapeReader<'static>,
    first: Option<TapeLine>,
    seq: u64,
    /// How far the tape was sent.
    sent: StoredEnd,
    /// What was sent of it, in words.
    sent_word: &'static str,
}

/// A line with its end.
pub(crate) struct WholeLine {
    /// The number of its record.
    pub(crate) seq: u64,
    /// The line and its record.
    pub(crate) line: TapeLine,
    /// Whether it was sent before.
    pub(crate) is_sent: bool,
}

/// A tape whose first line was read.
pub(crate) enum OpenedTape {
    /// It has whole lines.
    Lines(Box<WholeLines>),
    /// It has none yet.
    NothingYet,
    /// It cannot be read.
    Unusable(String),
}

impl OpenedTape {
    /// Opens a tape of which a number of lines were sent.
    pub(crate) fn open(path: &Path, sent_lines: u64, sent_word: &'static str) -> Self {
        let unreadable =
            |error: &TapeError| match (matches!(error, TapeError::Empty | TapeError::Torn { .. }), sent_lines) {
                (true, 0) => Self::NothingYet,
                (true, count) => Self::Unusable(format!("it has no whole line, and {count} were {sent_word}")),
                (false, _) => Self::Unusable(error.to_string()),
            };
        let mut reader = match TapeReader::open(path) {
            Ok(reader) => reader.abridged(),
            Err(error) => return unreadable(&error),
        };
        let first = match reader.next() {
            // The line may still be written.
            Some(Ok(line)) if reader.ends_with_newline() => line,
            Some(Err(error)) => return unreadable(&error),
            Some(Ok(_)) | None => return Self::NothingYet,
        };
        let RecordBody::Header(header) = &first.record.body else { return Self::NothingYet };
        let (header, digest) = (header.clone(), hex_digest(&first.text));
        let sent = StoredEnd { next: 0, digest: None };
        Self::Lines(Box::new(WholeLines { header, digest, reader, first: Some(first), seq: 0, sent, sent_word }))
    }
}

impl WholeLines {
    /// Sets how far the tape was sent.
    pub(crate) fn set_sent(&mut self, sent: StoredEnd) {
        self.sent = sent;
    }

    /// The next whole line.
    ///
    /// # Errors
    /// When the rest cannot be read, or what was sent is not as it was. Lines before it can be sent.
    pub(crate) fn next_line(&mut self) -> Result<Option<WholeLine>, String> {
        let read = match self.first.take() {
            Some(first) => Some(Ok(first)),
            None => self.reader.next(),
        };
        let (next, seq, word) = (self.sent.next, self.seq, self.sent_word);
        let line = match read {
            Some(Ok(line)) if self.reader.ends_with_newline() => line,
            _ if seq < next => return Err(format!("it has {seq} whole lines, and {next} were {word}")),
            Some(Err(error)) => return Err(format!("{error}; the lines before it are {word}")),
            Some(Ok(_)) | None => return Ok(None),
        };
        self.seq += 1;
        if self.seq == next && self.sent.digest.as_deref() != Some(&hex_digest(&line.text)) {
            return Err(format!("line {} is not the one that was {word}", line.number));
        }
        Ok(Some(WholeLine { seq, line, is_sent: seq < next }))
    }
}
