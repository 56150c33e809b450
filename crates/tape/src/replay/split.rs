//! The lines of a tape, each read on its own.

use std::borrow::Cow;
use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::thread;

use serde_json::Value;

use super::encode::RecordTail;
use super::recorded_dispatch::is_input;
use super::skip_values::without_values;
use crate::blobs::{BlobShapes, BlobStore, may_contain_reference};
use crate::line::{RecordHead, digest_hex, parse_typed};
use crate::record::{BlobRecord, HeaderRecord, Record, RecordBody};
use crate::{TapeError, TapeReader, TornRecord};

/// Fewer lines than this are not worth another thread: to hand over what was read costs more.
const WORTH_A_THREAD: usize = 16_000;

/// What places a line on a tape, and the rest of it.
#[derive(Debug)]
pub(super) struct SplitLine<'t> {
    /// The whole line, without its end.
    pub(super) text: &'t [u8],
    pub(super) seq: u64,
    pub(super) at_ms: u64,
    pub(super) prev: Option<Cow<'t, str>>,
    /// The line from its kind on; empty where the line is not spelled as the writer does it.
    pub(super) tail: &'t [u8],
    pub(super) digest: String,
    /// Of an event whose payload was not read: the tail without it.
    pub(super) tail_without_payload: Option<Vec<u8>>,
}

/// A line and what it says.
#[derive(Debug)]
pub(super) struct ParsedLine<'t> {
    pub(super) line: SplitLine<'t>,
    /// What it says, as far as it was read; `None` for a blob that was not.
    pub(super) body: Option<RecordBody<'static>>,
    /// Of an input that is not spelled as the writer spells it: what it should be.
    pub(super) corrected_tail: Option<RecordTail>,
}

/// A tape in its lines.
#[derive(Debug)]
pub(super) struct SplitTape<'t> {
    pub(super) header: HeaderRecord,
    pub(super) lines: Vec<&'t [u8]>,
    /// Whether the last line has its end.
    pub(super) ends_with_newline: bool,
}

/// How the lines of a tape are read.
#[derive(Debug)]
pub(super) enum ReadDepth<'t> {
    /// Everything that a line says.
    Full(BlobStore),
    /// Without the values that are taken over as they are: enough to find that a tape comes out the same, and not enough to say
    /// how it differs.
    WithoutValues {
        shapes: BlobShapes<'t>,
        /// The blobs, once one of them is needed; `None` where they cannot be read.
        blobs: OnceLock<Option<BlobStore>>,
    },
}

/// Takes a tape apart.
pub(super) fn split(tape: &[u8]) -> Result<SplitTape<'_>, TapeError> {
    let ends_whole = tape.last() == Some(&b'\n');
    let body = tape.strip_suffix(b"\n").unwrap_or(tape);
    let lines = match std::str::from_utf8(body) {
        Ok(text) => text.split('\n').map(str::as_bytes).collect(),
        Err(_) => body.split(|byte| *byte == b'\n').collect(),
    };
    match TapeReader::new(tape)?.next().transpose()?.map(|line| line.record.body) {
        Some(RecordBody::Header(header)) => Ok(SplitTape { header, lines, ends_with_newline: ends_whole }),
        _ => Err(TapeError::NoHeader),
    }
}

impl<'t> SplitTape<'t> {
    /// Makes ready to read everything. What was left of a record that was not written whole is taken away.
    pub(super) fn full_depth(&mut self) -> Result<(ReadDepth<'t>, Option<TornRecord>), TapeError> {
        let blobs = match load_blobs(&self.lines) {
            Ok(blobs) => blobs,
            // Only the last line can be torn.
            Err(TapeError::Line { line, .. }) if line == self.lines.len() && !self.ends_with_newline => {
                load_blobs(self.lines.get(..line - 1).unwrap_or_default())?
            }
            Err(fault) => return Err(fault),
        };
        let mut torn = None;
        if !self.ends_with_newline && self.lines.last().is_some_and(|last| Record::from_stored(last, &blobs).is_err()) {
            let rest = self.lines.pop().unwrap_or_default();
            torn = Some(TornRecord { line: self.lines.len() + 1, size_bytes: rest.len() });
        }
        Ok((ReadDepth::Full(blobs), torn))
    }

    /// Makes ready to read without the values; `None` where a blob does not stand as the writer writes it, or the tape may
    /// be torn.
    pub(super) fn depth_without_values(&self) -> Option<ReadDepth<'t>> {
        let mut shapes = BlobShapes::default();
        for line in self.lines.iter().filter(|line| is_written_blob(line)) {
            let (_, rest) = RecordHead::parse_canonical(line)?;
            shapes.insert(std::str::from_utf8(rest).ok()?)?;
        }
        self.ends_with_newline.then(|| ReadDepth::WithoutValues { shapes, blobs: OnceLock::new() })
    }
}

/// The blobs of a tape.
fn load_blobs(lines: &[&[u8]]) -> Result<BlobStore, TapeError> {
    let mut blobs = BlobStore::default();
    for (at, line) in lines.iter().enumerate() {
        if RecordHead::parse_canonical(line).is_some_and(|(head, _)| head.kind == "blob") {
            add_blob(line, &mut blobs).map_err(|fault| TapeError::Line { line: at + 1, reason: fault })?;
        }
    }
    Ok(blobs)
}

/// Whether a line that the writer wrote is of a blob, by what stands behind its digest.
fn is_written_blob(line: &[u8]) -> bool {
    const BEFORE: usize = "{\"seq\":,\"at_ms\":,\"prev\":\"".len() + 64;
    const KIND: &[u8] = b"\",\"kind\":\"blob\"";
    // The two numbers have at most 40 digits together.
    let head = line.iter().skip(BEFORE).take(41);
    let end = head.take_while(|byte| **byte != b'"').count();
    line.get(BEFORE + end..).is_some_and(|rest| rest.starts_with(KIND))
}

fn add_blob(line: &[u8], blobs: &mut BlobStore) -> Result<(), String> {
    match Record::from_stored(line, blobs)?.body {
        RecordBody::Blob(BlobRecord { digest, value }) => {
            blobs.insert(&digest, value.map_or(Value::Null, Cow::into_owned))
        }
        _ => Ok(()),
    }
}

/// Reads lines on so many threads.
pub(super) fn parse_lines<'t>(
    lines: &[&'t [u8]],
    manner: &ReadDepth<'_>,
    threads: NonZeroUsize,
) -> Result<Vec<ParsedLine<'t>>, TapeError> {
    let threads = threads.get().min(lines.len() / WORTH_A_THREAD + 1);
    let portion = lines.len().div_ceil(threads).max(1);
    let some = |first: usize, some: &[&'t [u8]]| -> Result<Vec<ParsedLine<'t>>, TapeError> {
        let mut read = Vec::with_capacity(if first == 0 { lines.len() } else { some.len() });
        for (at, line) in some.iter().enumerate() {
            read.push(
                manner
                    .parse_line(line, lines)
                    .map_err(|fault| TapeError::Line { line: first + at + 1, reason: fault })?,
            );
        }
        Ok(read)
    };
    thread::scope(|scope| {
        let mut portions = lines.chunks(portion).enumerate();
        let own = portions.next();
        let begun: Vec<_> = portions.map(|(at, lines)| scope.spawn(move || some(at * portion, lines))).collect();
        let mut read = own.map_or(Ok(Vec::new()), |(_, lines)| some(0, lines))?;
        for other in begun {
            read.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
        }
        Ok(read)
    })
}

impl ReadDepth<'_> {
    /// Whether values were left out.
    pub(super) fn omits_values(&self) -> bool {
        matches!(self, Self::WithoutValues { .. })
    }

    /// The blobs of a tape with these lines; `None` where they cannot be read.
    pub(super) fn blobs(&self, lines: &[&[u8]]) -> Option<&BlobStore> {
        match self {
            Self::Full(blobs) => Some(blobs),
            Self::WithoutValues { blobs, .. } => blobs.get_or_init(|| self::load_blobs(lines).ok()).as_ref(),
        }
    }

    /// What an event's line says of its payload.
    pub(super) fn read_payload(&self, line: &[u8], lines: &[&[u8]]) -> Option<Value> {
        let plain = RecordHead::parse_canonical(line).filter(|(_, rest)| !may_contain_reference(rest));
        let body = match plain.and_then(|(head, rest)| parse_typed(head.kind, rest)) {
            Some(body) => body,
            None => Record::from_stored(line, self.blobs(lines)?).ok()?.body,
        };
        match body {
            RecordBody::Event(fired) => Some(fired.payload.into_owned()),
            _ => None,
        }
    }

    fn parse_line<'t>(&self, text: &'t [u8], lines: &[&[u8]]) -> Result<ParsedLine<'t>, String> {
        if let Self::WithoutValues { shapes, .. } = self
            && let Some(read) = parse_without_values(text, shapes)
        {
            return Ok(read);
        }
        if !may_contain_reference(text) {
            return parse_full(text, &BlobStore::default());
        }
        let blobs = self.blobs(lines).ok_or_else(|| String::from("a blob cannot be read"))?;
        parse_full(text, blobs)
    }
}

/// Reads everything that a line says.
fn parse_full<'t>(text: &'t [u8], blobs: &BlobStore) -> Result<ParsedLine<'t>, String> {
    let record = Record::from_stored(text, blobs)?;
    let (prev, tail) = match RecordHead::parse_canonical(text) {
        Some((head, rest)) => (head.prev.map(Cow::Borrowed), tail_from_kind(text, head.kind, rest)),
        None => (record.prev.map(Cow::Owned), &[][..]),
    };
    let respelled = is_input(&record.body).then(|| RecordTail::reencode_if_different(&record.body, tail)).flatten();
    let (seq, at_ms, digest) = (record.seq, record.at_ms, digest_hex(text));
    let line = SplitLine { text, seq, at_ms, prev, tail, digest, tail_without_payload: None };
    Ok(ParsedLine { line, body: Some(record.body), corrected_tail: respelled })
}

/// Reads a line without the values that need not be read; `None` where it has to be read whole.
fn parse_without_values<'t>(text: &'t [u8], shapes: &BlobShapes<'_>) -> Option<ParsedLine<'t>> {
    let (head, rest) = RecordHead::parse_canonical(text)?;
    let tail = tail_from_kind(text, head.kind, rest);
    let line = |bare| {
        let (seq, at_ms, prev) = (head.seq, head.at_ms, head.prev.map(Cow::Borrowed));
        SplitLine { text, seq, at_ms, prev, tail, digest: digest_hex(text), tail_without_payload: bare }
    };
    if head.kind == "blob" {
        // One that stands behind no line was not looked at.
        head.prev?;
        return Some(ParsedLine { line: line(None), body: None, corrected_tail: None });
    }
    let without = without_values(head.kind, std::str::from_utf8(rest).ok()?, shapes);
    let fields = without.as_ref().map_or(rest, |bare| bare.as_bytes());
    if may_contain_reference(fields) {
        return None;
    }
    let body = parse_typed(head.kind, fields)?;
    let spelled =
        || without.as_ref().map_or_else(|| tail.to_vec(), |bare| RecordTail::encode_text(head.kind, bare.as_bytes()));
    let event = matches!(body, RecordBody::Event(_)).then(spelled);
    if is_input(&body) && RecordTail::reencode_if_different(&body, &spelled()).is_some() {
        return None;
    }
    Some(ParsedLine { line: line(event), body: Some(body), corrected_tail: None })
}

/// A line from its kind on.
fn tail_from_kind<'t>(text: &'t [u8], kind: &str, rest: &[u8]) -> &'t [u8] {
    let size = rest.len() + kind.len() + "\"kind\":\"\"".len();
    text.get(text.len().saturating_sub(size)..).unwrap_or_default()
}
