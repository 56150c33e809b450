//! Joins what was enacted to a new tape, and finds where it leaves the old one.

use std::borrow::Cow;
use std::io::Write as _;

use super::comparing_journal::LineReplacement;
use super::encode::RecordTail;
use super::split::SplitLine;
use crate::line::{digest_hex, is_closing, make_closing_record};
use crate::record::RecordBody;

/// A new tape, and the first record in which it is another one.
#[derive(Debug)]
pub(super) struct RenumberedTape {
    pub(super) tape: Vec<u8>,
    pub(super) divergence: Option<TapeDivergence>,
}

/// Where a new tape leaves the old one.
#[derive(Debug)]
pub(super) struct TapeDivergence {
    /// The place of the record on the old tape.
    pub(super) index: usize,
    /// What is there on the new one; `None` for nothing.
    pub(super) actual: Option<Vec<u8>>,
}

/// How the rest of a line begins that closes a tape.
const CLOSED: &[u8] = b"\"kind\":\"closed\",";

/// Numbers and chains the records anew. `differ` is in the order of the tape and names each record at most once.
pub(super) fn renumber(lines: &[SplitLine<'_>], differ: Vec<LineReplacement>) -> RenumberedTape {
    let mut differ = differ.into_iter().peekable();
    let size = lines.iter().map(|line| line.text.len() + 1).sum();
    let mut new = RenumberedLine { tape: Vec::with_capacity(size), prev: None, next_seq: 0, divergence: None };
    for (at, line) in lines.iter().enumerate() {
        let Some(instead) = differ.next_if(|instead| instead.index == at) else {
            new.copy(at, line);
            continue;
        };
        if instead.tails.is_empty() {
            new.divergence.get_or_insert(TapeDivergence { index: at, actual: None });
        }
        for RecordTail { text, blobs } in &instead.tails {
            for (digest, value) in blobs {
                if !new.has_blob(digest) {
                    new.push(at, line.at_ms, &RecordTail::encode_blob(digest, value).text);
                }
            }
            new.push(at, line.at_ms, text);
        }
    }
    RenumberedTape { tape: new.tape, divergence: new.divergence }
}

struct RenumberedLine<'t> {
    tape: Vec<u8>,
    /// The digest of the last line.
    prev: Option<Cow<'t, str>>,
    next_seq: u64,
    divergence: Option<TapeDivergence>,
}

impl<'t> RenumberedLine<'t> {
    /// Takes a line over. While nothing differed, its number and its link are those it would get.
    fn copy(&mut self, at: usize, line: &'t SplitLine<'_>) {
        let says_true = !line.tail.starts_with(CLOSED) || is_closing(line.text);
        if line.seq == self.next_seq && line.prev == self.prev && says_true {
            self.tape.extend_from_slice(line.text);
            self.tape.push(b'\n');
            self.next_seq += 1;
            self.prev = Some(Cow::Borrowed(&line.digest));
        } else {
            self.push(at, line.at_ms, line.tail);
        }
    }

    /// Whether a blob is on the new tape. Only a tape that differs is searched.
    fn has_blob(&self, digest: &str) -> bool {
        let blob = format!("\"kind\":\"blob\",\"digest\":\"{digest}\"");
        self.tape.windows(blob.len()).any(|window| window == blob.as_bytes())
    }

    /// Writes a record anew.
    fn push(&mut self, at: usize, at_ms: u64, tail: &[u8]) {
        // What closes a tape tells of the lines before it, and so of those of the new one.
        let closed = tail.starts_with(CLOSED).then(|| {
            RecordTail::encode(
                &RecordBody::Closed(make_closing_record(self.next_seq, at_ms, self.prev.as_deref())),
                None,
            )
            .text
        });
        let tail = closed.as_deref().unwrap_or(tail);
        let mut line = Vec::with_capacity(tail.len() + 160);
        // Writing to memory does not fail.
        let _ = write!(line, "{{\"seq\":{},\"at_ms\":{at_ms},\"prev\":", self.next_seq);
        match &self.prev {
            Some(prev) => drop(write!(line, "\"{prev}\",")),
            None => line.extend_from_slice(b"null,"),
        }
        line.extend_from_slice(tail);
        self.prev = Some(Cow::Owned(digest_hex(&line)));
        self.next_seq += 1;
        self.tape.extend_from_slice(&line);
        self.tape.push(b'\n');
        self.divergence.get_or_insert(TapeDivergence { index: at, actual: Some(line) });
    }
}
