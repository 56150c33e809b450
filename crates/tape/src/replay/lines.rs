//! The lines of a tape, each read on its own.

use std::borrow::Cow;
use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::thread;

use serde_json::Value;

use super::bare::without_values;
use super::scene::is_input;
use super::spell::Tail;
use crate::blobs::{Blobs, Shapes, may_refer};
use crate::line::{Head, digest, typed};
use crate::record::{Blob, Body, Header, Record};
use crate::{Reader, TapeError, Torn};

/// Fewer lines than this are not worth another thread: to hand over what was read costs more.
const WORTH_A_THREAD: usize = 16_000;

/// What places a line on a tape, and the rest of it.
#[derive(Debug)]
pub(super) struct Line<'t> {
    /// The whole line, without its end.
    pub(super) text: &'t [u8],
    pub(super) seq: u64,
    pub(super) at_ms: u64,
    pub(super) prev: Option<Cow<'t, str>>,
    /// The line from its kind on; empty where the line is not spelled as the writer does it.
    pub(super) tail: &'t [u8],
    pub(super) digest: String,
    /// Of an event whose payload was not read: the tail without it.
    pub(super) bare: Option<Vec<u8>>,
}

/// A line and what it says.
#[derive(Debug)]
pub(super) struct Read<'t> {
    pub(super) line: Line<'t>,
    /// What it says, as far as it was read; `None` for a blob that was not.
    pub(super) body: Option<Body<'static>>,
    /// Of an input that is not spelled as the writer spells it: what it should be.
    pub(super) respelled: Option<Tail>,
}

/// A tape in its lines.
#[derive(Debug)]
pub(super) struct Split<'t> {
    pub(super) header: Header,
    pub(super) lines: Vec<&'t [u8]>,
    /// Whether the last line has its end.
    pub(super) ends_whole: bool,
}

/// How the lines of a tape are read.
#[derive(Debug)]
pub(super) enum Manner<'t> {
    /// Everything that a line says.
    Whole(Blobs),
    /// Without the values that are taken over as they are: enough to find that a tape comes out the same, and not enough to say
    /// how it differs.
    Bare {
        shapes: Shapes<'t>,
        /// The blobs, once one of them is needed; `None` where they cannot be read.
        blobs: OnceLock<Option<Blobs>>,
    },
}

/// Takes a tape apart.
pub(super) fn split(tape: &[u8]) -> Result<Split<'_>, TapeError> {
    let ends_whole = tape.last() == Some(&b'\n');
    let body = tape.strip_suffix(b"\n").unwrap_or(tape);
    let lines = match std::str::from_utf8(body) {
        Ok(text) => text.split('\n').map(str::as_bytes).collect(),
        Err(_) => body.split(|byte| *byte == b'\n').collect(),
    };
    match Reader::new(tape)?.next().transpose()?.map(|line| line.record.body) {
        Some(Body::Header(header)) => Ok(Split { header, lines, ends_whole }),
        _ => Err(TapeError::NoHeader),
    }
}

impl<'t> Split<'t> {
    /// Makes ready to read everything. What was left of a record that was not written whole is taken away.
    pub(super) fn whole(&mut self) -> Result<(Manner<'t>, Option<Torn>), TapeError> {
        let blobs = match blobs(&self.lines) {
            Ok(blobs) => blobs,
            // Only the last line can be torn.
            Err(TapeError::Line { line, .. }) if line == self.lines.len() && !self.ends_whole => {
                blobs(self.lines.get(..line - 1).unwrap_or_default())?
            }
            Err(fault) => return Err(fault),
        };
        let mut torn = None;
        if !self.ends_whole && self.lines.last().is_some_and(|last| Record::from_stored(last, &blobs).is_err()) {
            let rest = self.lines.pop().unwrap_or_default();
            torn = Some(Torn { line: self.lines.len() + 1, size_bytes: rest.len() });
        }
        Ok((Manner::Whole(blobs), torn))
    }

    /// Makes ready to read without the values; `None` where a blob does not stand as the writer writes it, or the tape may
    /// be torn.
    pub(super) fn bare(&self) -> Option<Manner<'t>> {
        let mut shapes = Shapes::default();
        for line in self.lines.iter().filter(|line| is_written_blob(line)) {
            let (_, rest) = Head::canonical(line)?;
            shapes.keep(std::str::from_utf8(rest).ok()?)?;
        }
        self.ends_whole.then(|| Manner::Bare { shapes, blobs: OnceLock::new() })
    }
}

/// The blobs of a tape.
fn blobs(lines: &[&[u8]]) -> Result<Blobs, TapeError> {
    let mut blobs = Blobs::default();
    for (at, line) in lines.iter().enumerate() {
        if Head::canonical(line).is_some_and(|(head, _)| head.kind == "blob") {
            keep(line, &mut blobs).map_err(|fault| TapeError::Line { line: at + 1, fault })?;
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

fn keep(line: &[u8], blobs: &mut Blobs) -> Result<(), String> {
    match Record::from_stored(line, blobs)?.body {
        Body::Blob(Blob { digest, value }) => blobs.keep(&digest, value.map_or(Value::Null, Cow::into_owned)),
        _ => Ok(()),
    }
}

/// Reads lines on so many threads.
pub(super) fn read<'t>(
    lines: &[&'t [u8]],
    manner: &Manner<'_>,
    threads: NonZeroUsize,
) -> Result<Vec<Read<'t>>, TapeError> {
    let threads = threads.get().min(lines.len() / WORTH_A_THREAD + 1);
    let portion = lines.len().div_ceil(threads).max(1);
    let some = |first: usize, some: &[&'t [u8]]| -> Result<Vec<Read<'t>>, TapeError> {
        let mut read = Vec::with_capacity(if first == 0 { lines.len() } else { some.len() });
        for (at, line) in some.iter().enumerate() {
            read.push(manner.read(line, lines).map_err(|fault| TapeError::Line { line: first + at + 1, fault })?);
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

impl Manner<'_> {
    /// Whether values were left out.
    pub(super) fn is_bare(&self) -> bool {
        matches!(self, Self::Bare { .. })
    }

    /// The blobs of a tape with these lines; `None` where they cannot be read.
    pub(super) fn blobs(&self, lines: &[&[u8]]) -> Option<&Blobs> {
        match self {
            Self::Whole(blobs) => Some(blobs),
            Self::Bare { blobs, .. } => blobs.get_or_init(|| self::blobs(lines).ok()).as_ref(),
        }
    }

    /// What an event's line says of its payload.
    pub(super) fn payload(&self, line: &[u8], lines: &[&[u8]]) -> Option<Value> {
        let plain = Head::canonical(line).filter(|(_, rest)| !may_refer(rest));
        let body = match plain.and_then(|(head, rest)| typed(head.kind, rest)) {
            Some(body) => body,
            None => Record::from_stored(line, self.blobs(lines)?).ok()?.body,
        };
        match body {
            Body::Event(fired) => Some(fired.payload.into_owned()),
            _ => None,
        }
    }

    fn read<'t>(&self, text: &'t [u8], lines: &[&[u8]]) -> Result<Read<'t>, String> {
        if let Self::Bare { shapes, .. } = self
            && let Some(read) = bare(text, shapes)
        {
            return Ok(read);
        }
        if !may_refer(text) {
            return whole(text, &Blobs::default());
        }
        let blobs = self.blobs(lines).ok_or_else(|| String::from("a blob cannot be read"))?;
        whole(text, blobs)
    }
}

/// Reads everything that a line says.
fn whole<'t>(text: &'t [u8], blobs: &Blobs) -> Result<Read<'t>, String> {
    let record = Record::from_stored(text, blobs)?;
    let (prev, tail) = match Head::canonical(text) {
        Some((head, rest)) => (head.prev.map(Cow::Borrowed), tail(text, head.kind, rest)),
        None => (record.prev.map(Cow::Owned), &[][..]),
    };
    let respelled = is_input(&record.body).then(|| Tail::other(&record.body, tail)).flatten();
    let (seq, at_ms, digest) = (record.seq, record.at_ms, digest(text));
    let line = Line { text, seq, at_ms, prev, tail, digest, bare: None };
    Ok(Read { line, body: Some(record.body), respelled })
}

/// Reads a line without the values that need not be read; `None` where it has to be read whole.
fn bare<'t>(text: &'t [u8], shapes: &Shapes<'_>) -> Option<Read<'t>> {
    let (head, rest) = Head::canonical(text)?;
    let tail = tail(text, head.kind, rest);
    let line = |bare| {
        let (seq, at_ms, prev) = (head.seq, head.at_ms, head.prev.map(Cow::Borrowed));
        Line { text, seq, at_ms, prev, tail, digest: digest(text), bare }
    };
    if head.kind == "blob" {
        // One that stands behind no line was not looked at.
        head.prev?;
        return Some(Read { line: line(None), body: None, respelled: None });
    }
    let without = without_values(head.kind, std::str::from_utf8(rest).ok()?, shapes);
    let fields = without.as_ref().map_or(rest, |bare| bare.as_bytes());
    if may_refer(fields) {
        return None;
    }
    let body = typed(head.kind, fields)?;
    let spelled = || without.as_ref().map_or_else(|| tail.to_vec(), |bare| Tail::text(head.kind, bare.as_bytes()));
    let event = matches!(body, Body::Event(_)).then(spelled);
    if is_input(&body) && Tail::other(&body, &spelled()).is_some() {
        return None;
    }
    Some(Read { line: line(event), body: Some(body), respelled: None })
}

/// A line from its kind on.
fn tail<'t>(text: &'t [u8], kind: &str, rest: &[u8]) -> &'t [u8] {
    let size = rest.len() + kind.len() + "\"kind\":\"\"".len();
    text.get(text.len().saturating_sub(size)..).unwrap_or_default()
}
