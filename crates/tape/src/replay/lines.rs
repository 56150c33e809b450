//! The lines of a tape, each read on its own.

use std::borrow::Cow;
use std::num::NonZeroUsize;
use std::thread;

use serde_json::Value;

use crate::blobs::Blobs;
use crate::line::{Head, digest};
use crate::record::{Blob, Body, Header, Record};
use crate::{Reader, TapeError, Torn};

/// Fewer lines than this are not worth another thread.
const WORTH_A_THREAD: usize = 1_000;

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
}

/// A line and what it says.
#[derive(Debug)]
pub(super) struct Read<'t> {
    pub(super) line: Line<'t>,
    pub(super) body: Body<'static>,
}

/// A tape in its lines.
#[derive(Debug)]
pub(super) struct Split<'t> {
    pub(super) header: Header,
    pub(super) lines: Vec<&'t [u8]>,
    pub(super) blobs: Blobs,
    /// What was left of a record that was not written whole.
    pub(super) torn: Option<Torn>,
}

/// Takes a tape apart and reads what the rest needs to be read.
pub(super) fn split(tape: &[u8]) -> Result<Split<'_>, TapeError> {
    let ends_whole = tape.last() == Some(&b'\n');
    let mut lines: Vec<&[u8]> = tape.strip_suffix(b"\n").unwrap_or(tape).split(|byte| *byte == b'\n').collect();
    let header = match Reader::new(tape)?.next().transpose()?.map(|line| line.record.body) {
        Some(Body::Header(header)) => header,
        _ => return Err(TapeError::NoHeader),
    };
    let mut blobs = Blobs::default();
    for (at, line) in lines.iter().enumerate() {
        let is_blob = Head::canonical(line).is_some_and(|(head, _)| head.kind == "blob");
        if is_blob && let Err(fault) = keep(line, &mut blobs) {
            // Only the last line can be torn.
            if at + 1 == lines.len() && !ends_whole {
                break;
            }
            return Err(TapeError::Line { line: at + 1, fault });
        }
    }
    let mut torn = None;
    if !ends_whole && lines.last().is_some_and(|last| Record::from_stored(last, &blobs).is_err()) {
        let rest = lines.pop().unwrap_or_default();
        torn = Some(Torn { line: lines.len() + 1, size_bytes: rest.len() });
    }
    Ok(Split { header, lines, blobs, torn })
}

fn keep(line: &[u8], blobs: &mut Blobs) -> Result<(), String> {
    match Record::from_stored(line, blobs)?.body {
        Body::Blob(Blob { digest, value }) => blobs.keep(&digest, value.map_or(Value::Null, Cow::into_owned)),
        _ => Ok(()),
    }
}

/// Reads lines on so many threads.
pub(super) fn read<'t>(lines: &[&'t [u8]], blobs: &Blobs, threads: NonZeroUsize) -> Result<Vec<Read<'t>>, TapeError> {
    let threads = threads.get().min(lines.len() / WORTH_A_THREAD + 1);
    let portion = lines.len().div_ceil(threads).max(1);
    let some = |first: usize, lines: &[&'t [u8]]| -> Result<Vec<Read<'t>>, TapeError> {
        let numbered = lines.iter().enumerate();
        numbered
            .map(|(at, line)| one(line, blobs).map_err(|fault| TapeError::Line { line: first + at + 1, fault }))
            .collect()
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

fn one<'t>(text: &'t [u8], blobs: &Blobs) -> Result<Read<'t>, String> {
    let digest = digest(text);
    let record = Record::from_stored(text, blobs)?;
    let (prev, tail) = match Head::canonical(text) {
        Some((head, rest)) => {
            let kind = rest.len() + head.kind.len() + "\"kind\":\"\"".len();
            (head.prev.map(Cow::Borrowed), text.get(text.len().saturating_sub(kind)..).unwrap_or_default())
        }
        None => (record.prev.map(Cow::Owned), &[][..]),
    };
    let line = Line { text, seq: record.seq, at_ms: record.at_ms, prev, tail, digest };
    Ok(Read { line, body: record.body })
}
