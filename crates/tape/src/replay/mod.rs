//! Enacts a tape again: everything the engine decides is decided anew, with no hook, no model and no tool.
//!
//! What came from outside is an input and taken from the tape: the events as they were fired, what each hook returned, what
//! the world answered, what people approved, how long things took, and what the host wrote down. Everything else is
//! the engine's work and done again by the engine itself: who is asked and in which round, which version of the payload
//! each hook sees, what a veto is, the outcome with its reasons, effects, warnings and failures. It is spelled by the
//! writer, numbered and chained anew, and compared byte for byte. So a tape that says of an outcome what its hooks did
//! not say is found out, also when its chain was repaired.
//!
//! Whether the *host* obeyed the outcomes is for [`verify`](crate::verify) to say.

mod comparing_journal;
mod decode;
mod difference;
mod encode;
mod input_feed;
mod recorded_dispatch;
mod redaction;
mod renumber;
mod rerun;
mod skip_values;
mod split;
mod stop_point;
mod stubs;

use std::collections::HashSet;
use std::fmt;
use std::num::NonZeroUsize;
use std::thread;

use comparing_journal::LineReplacement;
use recorded_dispatch::RecordedDispatches;
use rerun::DispatchReplayer;
use split::{ParsedLine, ReadDepth, SplitTape};
use stubs::StubRegistry;

pub use decode::{decode_approval, decode_failure, decode_verdict};
pub use difference::{DifferenceKind, ReplayDifference};
pub use stop_point::StopPoint;

use crate::blobs::BlobStore;
use crate::record::{HostRecord, RecordBody};
use crate::{TapeError, TornRecord};

/// How a tape is enacted.
#[derive(Debug, Clone, Default)]
pub struct ReplayOptions {
    /// How many threads take part. Default: as many as the machine has. The result is the same for any number.
    pub threads: Option<NonZeroUsize>,
    /// Where to stop. Default: at the end.
    pub stop_point: Option<StopPoint>,
}

/// A tape that was enacted again.
#[derive(Debug)]
pub struct ReplayReport {
    /// How many records were enacted or taken over.
    pub records: usize,
    /// How many records the old tape has, where the replay stopped before its end.
    pub total_records: usize,
    /// How many dispatches were enacted.
    pub dispatches: usize,
    /// How many calls of hooks were enacted.
    pub calls: usize,
    /// How many turns of the session began, by [`starts_session_turn`](crate::record::host::Turn::begins_one).
    pub turns: usize,
    /// The dispatches that have no outcome: the session ended in them, or the replay stopped in them.
    pub unfinished: Vec<UnfinishedDispatch>,
    /// What was left of a record that was not written whole.
    pub torn: Option<TornRecord>,
    /// The first record in which the new tape is another one; `None` when the two are equal byte for byte.
    pub difference: Option<ReplayDifference>,
    /// The new tape.
    pub tape: Vec<u8>,
}

/// A dispatch without an outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfinishedDispatch {
    /// Its number.
    pub dispatch: u64,
    /// Its event.
    pub event: String,
    /// The line in which it begins, from 1.
    pub line: usize,
}

/// Why a tape cannot be enacted.
#[derive(Debug)]
pub enum ReplayError {
    /// It is no tape that this program reads.
    Tape(TapeError),
    /// It has not the place where the replay was to stop; in one line.
    NoStopPoint(String),
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tape(fault) => fault.fmt(f),
            Self::NoStopPoint(fault) => f.write_str(fault),
        }
    }
}

impl std::error::Error for ReplayError {}

impl From<TapeError> for ReplayError {
    fn from(fault: TapeError) -> Self {
        Self::Tape(fault)
    }
}

/// Enacts a tape again.
///
/// # Errors
/// When it is no tape, or has not the place to stop at. A tape that differs, is torn or was interrupted is none.
pub fn replay(tape: &[u8], options: &ReplayOptions) -> Result<ReplayReport, ReplayError> {
    replay_with(tape, options, &|_, _| {})
}

/// Enacts a tape again and tells how far it is: how many records are enacted, and of how many. It is told from any of the
/// threads, now and then.
///
/// # Errors
/// As [`replay`].
pub fn replay_with(
    tape: &[u8],
    options: &ReplayOptions,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<ReplayReport, ReplayError> {
    let mut split = split::split(tape)?;
    // Nearly every tape comes out as it is, which is found without looking into every value. How one differs is not.
    if let Some(manner) = split.depth_without_values()
        && let Ok(replayed) = rerun(&split, &manner, options, progress)
        && replayed.difference.is_none()
    {
        return Ok(replayed);
    }
    let (manner, torn) = split.full_depth()?;
    let replayed = rerun(&split, &manner, options, progress)?;
    let torn = torn.filter(|_| replayed.records == replayed.total_records);
    Ok(ReplayReport { torn, ..replayed })
}

/// Enacts the lines of a tape, read in this manner.
fn rerun<'t>(
    split: &SplitTape<'t>,
    manner: &ReadDepth<'t>,
    options: &ReplayOptions,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<ReplayReport, ReplayError> {
    let threads = options.threads.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
    let mut records = split::parse_lines(&split.lines, manner, threads)?;
    let of_records = records.len();
    if let Some(until) = &options.stop_point {
        let count = until.record_count(&records).map_err(ReplayError::NoStopPoint)?;
        records.truncate(count);
    }
    let count = records.len();
    let loaded = records.iter().filter_map(|read| match &read.body {
        Some(RecordBody::Hooks(loaded)) => Some(loaded),
        _ => None,
    });
    let cast = StubRegistry::new(loaded.flat_map(|loaded| loaded.hooks.iter().map(|entry| (loaded.scope, entry))));
    let asked: HashSet<u64> = records.iter().filter_map(|read| hook_entry_of(read.body.as_ref()?)).collect();
    let mut turns = 0;
    let mut scenes = RecordedDispatches::default();
    let mut lines = Vec::with_capacity(count);
    let mut differ: Vec<LineReplacement> = Vec::new();
    for (at, ParsedLine { line, body, corrected_tail: respelled }) in records.into_iter().enumerate() {
        turns +=
            usize::from(matches!(&body, Some(RecordBody::Host(HostRecord::Turn(turn))) if turn.starts_session_turn()));
        differ.extend(respelled.map(|tail| LineReplacement { index: at, tails: vec![tail] }));
        if let Some(body) = body {
            scenes.add_record(at, body, &cast);
        }
        lines.push(line);
    }
    let scenes = scenes.into_list();
    let unfinished = scenes.iter().filter(|scene| !scene.is_over).filter_map(|scene| {
        let (opening, at) = (scene.start.as_ref()?, scene.records.first()?);
        Some(UnfinishedDispatch { dispatch: scene.number, event: opening.event.name.to_string(), line: at + 1 })
    });
    let unfinished = unfinished.collect();
    let (dispatches, calls) = (scenes.len(), scenes.iter().map(|scene| scene.inputs.calls.len()).sum());
    let header = &split.header;
    let company = DispatchReplayer {
        registry: &cast,
        called_entries: &asked,
        lines: &lines,
        depth: manner,
        texts: &split.lines,
        header,
    };
    differ.extend(company.rerun(scenes, threads, &|done| progress(done, count)));
    differ.sort_by_key(|instead| instead.index);
    let joined = renumber::renumber(&lines, differ);
    let blobs = manner.blobs(&split.lines).filter(|_| joined.divergence.is_some());
    let difference =
        joined.divergence.map(|leaves| ReplayDifference::new(&lines, leaves, blobs.unwrap_or(&BlobStore::default())));
    Ok(ReplayReport {
        records: count,
        total_records: of_records,
        dispatches,
        calls,
        turns,
        unfinished,
        torn: None,
        difference,
        tape: joined.tape,
    })
}

/// The hook that a record is about.
fn hook_entry_of(body: &RecordBody<'_>) -> Option<u64> {
    match body {
        RecordBody::HookCall(asked) => Some(asked.entry),
        RecordBody::MatcherFailed(passed) | RecordBody::NotCalled(passed) => Some(passed.entry),
        _ => None,
    }
}
