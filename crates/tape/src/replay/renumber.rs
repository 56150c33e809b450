//! Builds the new tape from the replayed records, and finds where it differs from the old one.

use super::comparing_journal::LineReplacement;
use super::encode::RecordTail;
use super::split::SplitLine;
use crate::line::{DigestBytes, digest_bytes, hex_digits, is_closing, make_closing_record, push_position, to_hex};
use crate::record::RecordBody;

/// A new tape, and its first difference from the old one.
#[derive(Debug)]
pub(super) struct RenumberedTape {
    pub(super) tape: Vec<u8>,
    pub(super) divergence: Option<TapeDivergence>,
}

/// The first difference between two tapes.
#[derive(Debug)]
pub(super) struct TapeDivergence {
    /// The index of the line on the old tape.
    pub(super) index: usize,
    /// The line on the new tape; `None` if the new tape has no such record.
    pub(super) actual: Option<Vec<u8>>,
}

/// The start of a `closed` record's tail.
const CLOSED: &[u8] = b"\"kind\":\"closed\",";

/// Numbers and chains the records again. `replacements` are in the order of the tape, at most one for each line.
pub(super) fn renumber(lines: &[SplitLine<'_>], replacements: Vec<LineReplacement>) -> RenumberedTape {
    let mut replacements = replacements.into_iter().peekable();
    let size = lines.iter().map(|line| line.text.len() + 1).sum();
    let mut new = RenumberedLine { tape: Vec::with_capacity(size), prev: None, next_seq: 0, divergence: None };
    for (index, line) in lines.iter().enumerate() {
        let Some(replacement) = replacements.next_if(|replacement| replacement.index == index) else {
            new.copy(index, line);
            continue;
        };
        if replacement.tails.is_empty() {
            new.divergence.get_or_insert(TapeDivergence { index, actual: None });
        }
        for RecordTail { text, blobs } in &replacement.tails {
            for blob in blobs {
                if !new.has_blob(&blob.digest) {
                    new.push(index, line.at_ms, &RecordTail::encode_blob(blob).text);
                }
            }
            new.push(index, line.at_ms, text);
        }
    }
    RenumberedTape { tape: new.tape, divergence: new.divergence }
}

struct RenumberedLine {
    tape: Vec<u8>,
    /// The digest of the last line.
    prev: Option<DigestBytes>,
    next_seq: u64,
    divergence: Option<TapeDivergence>,
}

impl RenumberedLine {
    /// Copies a line. Until the first difference, its number and its `prev` digest are already those it must have.
    fn copy(&mut self, index: usize, line: &SplitLine<'_>) {
        let has_valid_digest = !line.tail.starts_with(CLOSED) || is_closing(line.text);
        let prev = self.prev.as_ref().map(hex_digits);
        let is_chained = line.prev.as_deref().map(str::as_bytes) == prev.as_ref().map(<[u8; 64]>::as_slice);
        if line.seq == self.next_seq && is_chained && has_valid_digest {
            self.tape.extend_from_slice(line.text);
            self.tape.push(b'\n');
            self.next_seq += 1;
            self.prev = Some(line.digest);
        } else {
            self.push(index, line.at_ms, line.tail);
        }
    }

    /// Whether a blob is on the new tape. The search is slow, but only tapes that differ need it.
    fn has_blob(&self, digest: &str) -> bool {
        let blob = format!("\"kind\":\"blob\",\"digest\":\"{digest}\"");
        self.tape.windows(blob.len()).any(|window| window == blob.as_bytes())
    }

    /// Writes a record with its new number and `prev` digest.
    fn push(&mut self, index: usize, at_ms: u64, tail: &[u8]) {
        let prev = self.prev.as_ref().map(to_hex);
        // A `closed` record covers the lines before it, so it is computed again for the new tape.
        let closed = tail.starts_with(CLOSED).then(|| {
            RecordTail::encode(&RecordBody::Closed(make_closing_record(self.next_seq, at_ms, prev.as_deref())), None)
                .text
        });
        let tail = closed.as_deref().unwrap_or(tail);
        let mut line = Vec::with_capacity(tail.len() + 160);
        push_position(&mut line, self.next_seq, at_ms, prev.as_deref());
        line.extend_from_slice(tail);
        self.prev = Some(digest_bytes(&line));
        self.next_seq += 1;
        self.tape.extend_from_slice(&line);
        self.tape.push(b'\n');
        self.divergence.get_or_insert(TapeDivergence { index, actual: Some(line) });
    }
}
