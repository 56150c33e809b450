//! Builds the new tape from the replayed records, and finds where it differs from the old one.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use pintle_contract::to_hex;
use serde::Deserialize;

use super::comparing_journal::LineReplacement;
use super::encode::RecordTail;
use super::split::{LineContext, SplitLine};
use crate::blobs::{BlobName, LineBlob, names_in, references_in};
use crate::checkpoint::{CheckpointText, SignedNote};
use crate::line::{DigestBytes, digest_bytes, is_closing, make_closing_record, parse_hex, push_position, push_shared};
use crate::record::{CheckpointRecord, RecordBody, has_origin};
use crate::tree::TreeFrontier;

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

/// The start of a checkpoint's tail.
const CHECKPOINT: &[u8] = b"\"kind\":\"checkpoint\",";
/// The start of a `closed` record's tail.
const CLOSED: &[u8] = b"\"kind\":\"closed\",";

/// Numbers and chains the records again. `contexts` are those of the lines. `replacements` are in the order of the tape, at
/// most one for each line.
pub(super) fn renumber(
    lines: &[SplitLine<'_>],
    contexts: Vec<LineContext>,
    replacements: Vec<LineReplacement>,
) -> RenumberedTape {
    let mut replacements = replacements.into_iter().peekable();
    let size = lines.iter().map(|line| line.text.len() + 1).sum();
    let mut new = RenumberedLines { tape: Vec::with_capacity(size), ..RenumberedLines::default() };
    for ((index, line), context) in lines.iter().enumerate().zip(contexts) {
        let Some(replacement) = replacements.next_if(|replacement| replacement.index == index) else {
            new.copy(index, line, context);
            continue;
        };
        if replacement.tails.is_empty() {
            new.divergence.get_or_insert(TapeDivergence { index, actual: None });
        }
        // Later lines may need what the replaced line has.
        new.add_blobs(context.into_blobs(line.text));
        for tail in &replacement.tails {
            new.add_blobs(tail.encode_blobs());
            new.push(index, line.at_ms, tail.origin.as_deref(), &tail.text);
        }
    }
    RenumberedTape { tape: new.tape, divergence: new.divergence }
}

/// The kind of a line, given from its kind on.
fn kind_of(tail: &[u8]) -> Option<&str> {
    let text = tail.strip_prefix(b"\"kind\":\"")?;
    let end = text.iter().position(|byte| *byte == b'"')?;
    std::str::from_utf8(text.get(..end)?).ok()
}

/// The fields of a checkpoint from its kind on.
#[derive(Deserialize)]
struct CheckpointFields {
    note: String,
}

/// The new tape so far.
#[derive(Debug, Default)]
struct RenumberedLines {
    tape: Vec<u8>,
    /// The digest of the last line.
    prev: Option<DigestBytes>,
    /// The digest of the first line, in hex.
    header: String,
    /// The tree over the lines.
    tree: TreeFrontier,
    /// The JSON text of the last origin.
    origin: Option<Arc<str>>,
    /// The blobs that the new tape has.
    known_blobs: HashSet<BlobName>,
    /// The blobs that it has not, each with its number in their order.
    other_blobs: HashMap<BlobName, (usize, Vec<u8>)>,
    divergence: Option<TapeDivergence>,
}

impl RenumberedLines {
    /// Copies a line. Until the first difference, its number, its `prev` digest and its origin are already those it must
    /// have.
    fn copy(&mut self, index: usize, line: &SplitLine<'_>, context: LineContext) {
        let covers_tape = match line.tail {
            tail if tail.starts_with(CLOSED) => is_closing(line.text),
            tail if tail.starts_with(CHECKPOINT) => self.renew_checkpoint(tail).is_none_or(|renewed| renewed == tail),
            _ => true,
        };
        let is_chained = line.prev.as_deref().map(parse_hex) == self.prev.map(Some);
        let has_new_origin = context.origin != self.origin;
        let is_placed = line.seq == self.tree.size() && is_chained && has_new_origin == context.has_origin;
        if self.divergence.is_none() && is_placed && context.is_written() && covers_tape {
            self.tape.extend_from_slice(line.text);
            self.tape.push(b'\n');
            self.add_digest(line.digest);
            self.origin = context.origin;
            self.known_blobs.extend(context.blob_names);
        } else {
            let origin = context.origin.clone().filter(|_| kind_of(line.tail).is_some_and(has_origin));
            self.add_blobs(context.into_blobs(line.text));
            self.push(index, line.at_ms, origin.as_deref(), line.tail);
        }
    }

    fn add_digest(&mut self, digest: DigestBytes) {
        if self.tree.size() == 0 {
            self.header = to_hex(&digest);
        }
        self.tree.push(&digest);
        self.prev = Some(digest);
    }

    /// A checkpoint of the lines so far, with the signatures of the old one. `None` if the old one has none.
    fn renew_checkpoint(&self, tail: &[u8]) -> Option<Vec<u8>> {
        let fields = [b"{", tail].concat();
        let CheckpointFields { note } = serde_json::from_slice(&fields).ok()?;
        let SignedNote { text, signatures } = SignedNote::parse(&note)?;
        let is_end = text.parse::<CheckpointText>().is_ok_and(|text| text.is_end);
        let note = format!("{}\n{signatures}", CheckpointText::new(&self.header, &self.tree).with_end(is_end));
        let checkpoint = CheckpointRecord { note: Cow::Owned(note) };
        Some(RecordTail::encode(&RecordBody::Checkpoint(checkpoint), None).text)
    }

    /// Adds blobs that a line of the new tape may need.
    fn add_blobs(&mut self, blobs: impl IntoIterator<Item = LineBlob>) {
        for LineBlob { name, text } in blobs {
            let number = self.other_blobs.len() + self.known_blobs.len();
            if !self.known_blobs.contains(&name) {
                self.other_blobs.entry(name).or_insert((number, text));
            }
        }
    }

    /// Takes the blobs that a line needs and no line before has, in their order.
    fn take_blobs(&mut self, tail: &[u8]) -> Vec<(usize, Vec<u8>)> {
        if self.other_blobs.is_empty() {
            return Vec::new();
        }
        let (mut taken, mut needed): (_, Vec<BlobName>) = (Vec::new(), references_in(tail).collect());
        while let Some(name) = needed.pop() {
            if let Some((number, text)) = self.other_blobs.remove(&name) {
                needed.extend(names_in(&text));
                self.known_blobs.insert(name);
                taken.push((number, text));
            }
        }
        taken.sort_unstable_by_key(|(number, _)| *number);
        taken
    }

    /// Writes a record with its new number and `prev` digest.
    fn push(&mut self, index: usize, at_ms: u64, origin: Option<&str>, tail: &[u8]) {
        let prev = self.prev.as_ref().map(|prev| to_hex(prev));
        // What covers the lines before it is computed again for the new tape.
        let seq = self.tree.size();
        let renewed = match tail {
            tail if tail.starts_with(CLOSED) => {
                let closed = RecordBody::Closed(make_closing_record(seq, at_ms, prev.as_deref()));
                Some(RecordTail::encode(&closed, None).text)
            }
            tail if tail.starts_with(CHECKPOINT) => self.renew_checkpoint(tail),
            _ => None,
        };
        let tail = renewed.as_deref().unwrap_or(tail);
        let blobs = self.take_blobs(tail);
        let new_origin = origin.filter(|origin| self.origin.as_deref() != Some(origin));
        let mut line = Vec::with_capacity(tail.len() + 160);
        push_position(&mut line, seq, at_ms, prev.as_deref());
        push_shared(&mut line, new_origin, &blobs, |line, (_, text)| line.extend_from_slice(text));
        line.extend_from_slice(tail);
        if let Some(origin) = new_origin {
            self.origin = Some(origin.into());
        }
        self.add_digest(digest_bytes(&line));
        self.tape.extend_from_slice(&line);
        self.tape.push(b'\n');
        self.divergence.get_or_insert(TapeDivergence { index, actual: Some(line) });
    }
}
