//! Joins what was enacted to a new tape, and finds where it leaves the old one.

use std::borrow::Cow;
use std::io::Write as _;

use super::lines::Line;
use super::sheet::Instead;
use super::spell::Tail;
use crate::line::{closing, digest, is_closing};
use crate::record::Body;

/// A new tape, and the first record in which it is another one.
#[derive(Debug)]
pub(super) struct Joined {
    pub(super) tape: Vec<u8>,
    pub(super) leaves: Option<Leaves>,
}

/// Where a new tape leaves the old one.
#[derive(Debug)]
pub(super) struct Leaves {
    /// The place of the record on the old tape.
    pub(super) at: usize,
    /// What is there on the new one; `None` for nothing.
    pub(super) got: Option<Vec<u8>>,
}

/// How the rest of a line begins that closes a tape.
const CLOSED: &[u8] = b"\"kind\":\"closed\",";

/// Numbers and chains the records anew. `differ` is in the order of the tape and names each record at most once.
pub(super) fn join(lines: &[Line<'_>], differ: Vec<Instead>) -> Joined {
    let mut differ = differ.into_iter().peekable();
    let size = lines.iter().map(|line| line.text.len() + 1).sum();
    let mut new = New { tape: Vec::with_capacity(size), prev: None, next_seq: 0, leaves: None };
    for (at, line) in lines.iter().enumerate() {
        let Some(instead) = differ.next_if(|instead| instead.at == at) else {
            new.copy(at, line);
            continue;
        };
        if instead.tails.is_empty() {
            new.leaves.get_or_insert(Leaves { at, got: None });
        }
        for Tail { text, blobs } in &instead.tails {
            for (digest, value) in blobs {
                if !new.has(digest) {
                    new.push(at, line.at_ms, &Tail::of_blob(digest, value).text);
                }
            }
            new.push(at, line.at_ms, text);
        }
    }
    Joined { tape: new.tape, leaves: new.leaves }
}

struct New<'t> {
    tape: Vec<u8>,
    /// The digest of the last line.
    prev: Option<Cow<'t, str>>,
    next_seq: u64,
    leaves: Option<Leaves>,
}

impl<'t> New<'t> {
    /// Takes a line over. While nothing differed, its number and its link are those it would get.
    fn copy(&mut self, at: usize, line: &'t Line<'_>) {
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
    fn has(&self, digest: &str) -> bool {
        let blob = format!("\"kind\":\"blob\",\"digest\":\"{digest}\"");
        self.tape.windows(blob.len()).any(|window| window == blob.as_bytes())
    }

    /// Writes a record anew.
    fn push(&mut self, at: usize, at_ms: u64, tail: &[u8]) {
        // What closes a tape tells of the lines before it, and so of those of the new one.
        let closed = tail
            .starts_with(CLOSED)
            .then(|| Tail::of(&Body::Closed(closing(self.next_seq, at_ms, self.prev.as_deref())), None).text);
        let tail = closed.as_deref().unwrap_or(tail);
        let mut line = Vec::with_capacity(tail.len() + 160);
        // Writing to memory does not fail.
        let _ = write!(line, "{{\"seq\":{},\"at_ms\":{at_ms},\"prev\":", self.next_seq);
        match &self.prev {
            Some(prev) => drop(write!(line, "\"{prev}\",")),
            None => line.extend_from_slice(b"null,"),
        }
        line.extend_from_slice(tail);
        self.prev = Some(Cow::Owned(digest(&line)));
        self.next_seq += 1;
        self.tape.extend_from_slice(&line);
        self.tape.push(b'\n');
        self.leaves.get_or_insert(Leaves { at, got: Some(line) });
    }
}
