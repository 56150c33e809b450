//! The lines of a tape, each parsed independently of the others.

use std::borrow::Cow;
use std::num::NonZeroUsize;
use std::thread;

use serde_json::Value;

use super::encode::RecordTail;
use super::recorded_dispatch::is_input;
use super::skip_values::without_values;
use crate::blobs::{BlobStore, TapeText, may_contain_reference};
use crate::line::{RecordHead, digest_hex, parse_typed};
use crate::record::{HeaderRecord, Record, RecordBody};
use crate::{TapeError, TapeReader, TornRecord};

/// The number of lines per additional thread; with fewer, handing over the parsed lines costs more than it saves.
const LINES_PER_THREAD: usize = 16_000;

/// A line, divided into the fields that depend on its position on the tape and the rest.
#[derive(Debug)]
pub(super) struct SplitLine<'t> {
    /// The complete line without its newline.
    pub(super) text: &'t [u8],
    pub(super) seq: u64,
    pub(super) at_ms: u64,
    pub(super) prev: Option<Cow<'t, str>>,
    /// The line from its kind on; empty if the line does not have the writer's encoding.
    pub(super) tail: &'t [u8],
    pub(super) digest: String,
    /// The tail with a placeholder for the payload, if this is an event whose payload was not parsed.
    pub(super) tail_without_payload: Option<Vec<u8>>,
}

/// A line and its parsed record.
#[derive(Debug)]
pub(super) struct ParsedLine<'t> {
    pub(super) line: SplitLine<'t>,
    /// The record, perhaps without values; `None` for a blob that was not parsed.
    pub(super) body: Option<RecordBody<'static>>,
    /// The writer's encoding, if this is an input that is encoded differently.
    pub(super) corrected_tail: Option<RecordTail>,
}

/// A tape, divided into lines.
#[derive(Debug)]
pub(super) struct SplitTape<'t> {
    tape: &'t [u8],
    pub(super) header: HeaderRecord,
    pub(super) lines: Vec<&'t [u8]>,
    /// Whether the last line has its newline.
    pub(super) ends_with_newline: bool,
}

/// How much of each line is parsed.
#[derive(Debug)]
pub(super) enum ReadDepth<'t> {
    /// The complete record.
    Full(BlobStore<'t>),
    /// The record without the values that replay copies unchanged. This is enough to find that a replay is identical,
    /// but not enough to show a difference.
    WithoutValues(BlobStore<'t>),
}

/// Divides a tape into lines and reads its header.
pub(super) fn split(tape: &[u8]) -> Result<SplitTape<'_>, TapeError> {
    let ends_with_newline = tape.last() == Some(&b'\n');
    let body = tape.strip_suffix(b"\n").unwrap_or(tape);
    let lines = match std::str::from_utf8(body) {
        Ok(text) => text.split('\n').map(str::as_bytes).collect(),
        Err(_) => body.split(|byte| *byte == b'\n').collect(),
    };
    match TapeReader::new(tape)?.next().transpose()?.map(|line| line.record.body) {
        Some(RecordBody::Header(header)) => Ok(SplitTape { tape, header, lines, ends_with_newline }),
        _ => Err(TapeError::NoHeader),
    }
}

impl<'t> SplitTape<'t> {
    /// Prepares to parse complete records. Removes a torn record at the end, and returns it.
    pub(super) fn full_depth(&mut self) -> Result<(ReadDepth<'t>, Option<TornRecord>), TapeError> {
        let blobs = match self.load_blobs(self.lines.len()) {
            Ok((blobs, _)) => blobs,
            // Only the last line can be torn.
            Err(TapeError::Line { line, .. }) if line == self.lines.len() && !self.ends_with_newline => {
                self.load_blobs(line - 1)?.0
            }
            Err(error) => return Err(error),
        };
        let mut torn = None;
        if !self.ends_with_newline && self.lines.last().is_some_and(|last| Record::from_stored(last, &blobs).is_err()) {
            let rest = self.lines.pop().unwrap_or_default();
            torn = Some(TornRecord { line: self.lines.len() + 1, size_bytes: rest.len() });
        }
        Ok((ReadDepth::Full(blobs), torn))
    }

    /// Prepares to parse records without values; `None` if a blob does not have the writer's encoding, or if the last
    /// record may be torn.
    pub(super) fn depth_without_values(&self) -> Option<ReadDepth<'t>> {
        let (blobs, is_written) = self.load_blobs(self.lines.len()).ok()?;
        (is_written && self.ends_with_newline).then(|| ReadDepth::WithoutValues(blobs))
    }

    /// The blobs of the first lines, and whether all are written as the writer writes them.
    fn load_blobs(&self, line_count: usize) -> Result<(BlobStore<'t>, bool), TapeError> {
        let mut blobs = BlobStore::new(TapeText::Memory(self.tape));
        let (mut offset, mut are_written) = (0, true);
        for (index, line) in self.lines.iter().enumerate().take(line_count) {
            if RecordHead::parse_canonical(line).is_some_and(|(head, _)| head.kind == "blob") {
                let read = Record::from_stored(line, &blobs).and_then(|_| blobs.insert_line(line, offset));
                are_written &= read.map_err(|reason| TapeError::Line { line: index + 1, reason })?;
            }
            offset += line.len() as u64 + 1;
        }
        Ok((blobs, are_written))
    }
}

/// Parses lines on up to `threads` threads.
pub(super) fn parse_lines<'t>(
    lines: &[&'t [u8]],
    depth: &ReadDepth<'_>,
    threads: NonZeroUsize,
) -> Result<Vec<ParsedLine<'t>>, TapeError> {
    let threads = threads.get().min(lines.len() / LINES_PER_THREAD + 1);
    let chunk_size = lines.len().div_ceil(threads).max(1);
    let parse_chunk = |first: usize, chunk: &[&'t [u8]]| -> Result<Vec<ParsedLine<'t>>, TapeError> {
        let mut parsed = Vec::with_capacity(if first == 0 { lines.len() } else { chunk.len() });
        for (index, line) in chunk.iter().enumerate() {
            parsed.push(depth.parse_line(line).map_err(|reason| TapeError::Line { line: first + index + 1, reason })?);
        }
        Ok(parsed)
    };
    thread::scope(|scope| {
        let mut chunks = lines.chunks(chunk_size).enumerate();
        let own = chunks.next();
        let handles: Vec<_> =
            chunks.map(|(index, chunk)| scope.spawn(move || parse_chunk(index * chunk_size, chunk))).collect();
        let mut parsed = own.map_or(Ok(Vec::new()), |(_, chunk)| parse_chunk(0, chunk))?;
        for handle in handles {
            parsed.extend(handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
        }
        Ok(parsed)
    })
}

impl ReadDepth<'_> {
    /// Whether records are parsed without values.
    pub(super) fn omits_values(&self) -> bool {
        matches!(self, Self::WithoutValues(_))
    }

    /// The blobs of the tape.
    pub(super) fn blobs(&self) -> &BlobStore<'_> {
        match self {
            Self::Full(blobs) | Self::WithoutValues(blobs) => blobs,
        }
    }

    /// Parses the payload of an event's line.
    pub(super) fn read_payload(&self, line: &[u8]) -> Option<Value> {
        let plain = RecordHead::parse_canonical(line).filter(|(_, rest)| !may_contain_reference(rest));
        let body = match plain.and_then(|(head, rest)| parse_typed(head.kind, rest)) {
            Some(body) => body,
            None => Record::from_stored(line, self.blobs()).ok()?.body,
        };
        match body {
            RecordBody::Event(fired) => Some(fired.payload.into_owned()),
            _ => None,
        }
    }

    fn parse_line<'t>(&self, text: &'t [u8]) -> Result<ParsedLine<'t>, String> {
        if let Self::WithoutValues(blobs) = self
            && let Some(parsed) = parse_without_values(text, blobs)
        {
            return Ok(parsed);
        }
        parse_full(text, self.blobs())
    }
}

/// Parses the complete record of a line.
fn parse_full<'t>(text: &'t [u8], blobs: &BlobStore<'_>) -> Result<ParsedLine<'t>, String> {
    let record = Record::from_stored(text, blobs)?;
    let (prev, tail) = match RecordHead::parse_canonical(text) {
        Some((head, rest)) => (head.prev.map(Cow::Borrowed), tail_from_kind(text, head.kind, rest)),
        None => (record.prev.map(Cow::Owned), &[][..]),
    };
    let corrected_tail =
        is_input(&record.body).then(|| RecordTail::reencode_if_different(&record.body, tail)).flatten();
    let (seq, at_ms, digest) = (record.seq, record.at_ms, digest_hex(text));
    let line = SplitLine { text, seq, at_ms, prev, tail, digest, tail_without_payload: None };
    Ok(ParsedLine { line, body: Some(record.body), corrected_tail })
}

/// Parses the record of a line without values; `None` if it must be parsed completely.
fn parse_without_values<'t>(text: &'t [u8], blobs: &BlobStore<'_>) -> Option<ParsedLine<'t>> {
    let (head, rest) = RecordHead::parse_canonical(text)?;
    let tail = tail_from_kind(text, head.kind, rest);
    let line = |tail_without_payload| {
        let (seq, at_ms, prev) = (head.seq, head.at_ms, head.prev.map(Cow::Borrowed));
        SplitLine { text, seq, at_ms, prev, tail, digest: digest_hex(text), tail_without_payload }
    };
    if head.kind == "blob" {
        // A blob without a previous line is not among the scanned blobs.
        head.prev?;
        return Some(ParsedLine { line: line(None), body: None, corrected_tail: None });
    }
    let short = without_values(head.kind, std::str::from_utf8(rest).ok()?, blobs);
    let fields = short.as_ref().map_or(rest, |short| short.as_bytes());
    if may_contain_reference(fields) {
        return None;
    }
    let body = parse_typed(head.kind, fields)?;
    let short_tail =
        || short.as_ref().map_or_else(|| tail.to_vec(), |short| RecordTail::encode_text(head.kind, short.as_bytes()));
    let event_tail = matches!(body, RecordBody::Event(_)).then(short_tail);
    if is_input(&body) && RecordTail::reencode_if_different(&body, &short_tail()).is_some() {
        return None;
    }
    Some(ParsedLine { line: line(event_tail), body: Some(body), corrected_tail: None })
}

/// A line from its kind on.
fn tail_from_kind<'t>(text: &'t [u8], kind: &str, rest: &[u8]) -> &'t [u8] {
    let size = rest.len() + kind.len() + "\"kind\":\"\"".len();
    text.get(text.len().saturating_sub(size)..).unwrap_or_default()
}
