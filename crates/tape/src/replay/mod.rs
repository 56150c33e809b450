//! Replay of a tape: the engine decides every event again, without hooks, models or tools.
//!
//! Replay takes what came from outside from the tape, as inputs: the events as they were fired, the verdict of each
//! hook, effect replies, approval responses, durations, and the records of the host. The engine computes everything
//! else again: which hooks are called in which round, which version of the payload each hook sees, what is a veto, and
//! the outcome with its reasons, effects, warnings and failures. The writer encodes, numbers and chains these records,
//! and replay compares them with the tape byte for byte. So replay finds an outcome that does not follow from the
//! recorded verdicts, even if the digest chain was repaired.
//!
//! Replay does not check whether the *host* obeyed the outcomes; [`verify`](crate::verify) does.

mod comparing_journal;
mod decode;
mod difference;
mod encode;
mod input_feed;
mod recorded_dispatch;
mod redaction;
mod renumber;
mod rerun;
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
use split::ParsedLine;
use stubs::StubRegistry;

pub use decode::{decode_approval, decode_failure, decode_verdict};
pub use difference::{DifferenceKind, ReplayDifference};
pub use stop_point::{StopPoint, StopPointError};

use crate::record::RecordBody;
use crate::{TapeError, TornRecord};

/// Options of a replay.
#[derive(Debug, Clone, Default)]
pub struct ReplayOptions {
    /// The number of threads; does not affect the result. Default: one for each processor.
    pub threads: Option<NonZeroUsize>,
    /// Where to stop. Default: at the end of the tape.
    pub stop_point: Option<StopPoint>,
}

/// The result of a replay.
#[derive(Debug)]
pub struct ReplayReport {
    /// The number of records that were replayed or copied.
    pub records: usize,
    /// The number of records on the old tape; greater than `records` if the replay stopped before the end.
    pub total_records: usize,
    /// The number of dispatches that were replayed.
    pub dispatches: usize,
    /// The number of hook calls that were replayed.
    pub calls: usize,
    /// The number of session turns that started; see
    /// [`starts_session_turn`](crate::record::host::TurnRecord::starts_session_turn).
    pub turns: usize,
    /// The dispatches without an outcome: the session ended or the replay stopped within them.
    pub unfinished: Vec<UnfinishedDispatch>,
    /// The torn record at the end of the old tape, if the replay reached it.
    pub torn: Option<TornRecord>,
    /// The first record that differs; `None` if the two tapes are identical, byte for byte.
    pub difference: Option<ReplayDifference>,
    /// The bytes of the new tape.
    pub tape: Vec<u8>,
}

/// A dispatch without an outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfinishedDispatch {
    /// The number of the dispatch.
    pub dispatch: u64,
    /// The name of its event.
    pub event: String,
    /// The line of its first record, from 1.
    pub line: usize,
}

/// The reason why a tape cannot be replayed.
#[derive(Debug)]
pub enum ReplayError {
    /// The bytes are not a tape of the supported format.
    Tape(TapeError),
    /// The tape does not have the stop point; the message is one line.
    NoStopPoint(String),
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tape(error) => error.fmt(f),
            Self::NoStopPoint(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for ReplayError {}

impl From<TapeError> for ReplayError {
    fn from(error: TapeError) -> Self {
        Self::Tape(error)
    }
}

/// Replays a tape.
///
/// # Errors
/// If the bytes are not a tape of the supported format, or the tape does not have the stop point. A difference, a torn
/// record or an interrupted session is not an error.
pub fn replay(tape: &[u8], options: &ReplayOptions) -> Result<ReplayReport, ReplayError> {
    replay_with(tape, options, &|_, _| {})
}

/// Replays a tape and reports progress: the number of records replayed so far, and the total. `progress` may be called
/// from any of the threads.
///
/// # Errors
/// The same as for [`replay`].
pub fn replay_with(
    tape: &[u8],
    options: &ReplayOptions,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<ReplayReport, ReplayError> {
    let split = split::split(tape)?;
    let threads = options.threads.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
    let mut records = split.parse_lines(threads)?;
    let total_records = records.len();
    if let Some(stop_point) = &options.stop_point {
        let count = stop_point.record_count(&records).map_err(ReplayError::NoStopPoint)?;
        records.truncate(count);
    }
    let count = records.len();
    let loaded = records.iter().filter_map(|record| match &record.body {
        Some(RecordBody::Hooks(loaded)) => Some(loaded),
        _ => None,
    });
    let registry = StubRegistry::new(loaded.flat_map(|loaded| loaded.hooks.iter().map(|entry| (loaded.scope, entry))));
    let called_entries: HashSet<u64> =
        records.iter().filter_map(|record| record.body.as_ref()).flat_map(RecordBody::hook_entries).collect();
    let mut turns = 0;
    let mut dispatches = RecordedDispatches::default();
    let mut lines = Vec::with_capacity(count);
    let mut replacements: Vec<LineReplacement> = Vec::new();
    for (index, ParsedLine { line, body, corrected_tail, starts_turn, .. }) in records.into_iter().enumerate() {
        turns += usize::from(starts_turn);
        let is_different = corrected_tail.is_some();
        match body {
            Some(body) if body.dispatch().is_some() => dispatches.add_record(index, body, !is_different, &registry),
            _ => replacements.extend(corrected_tail.map(|tail| LineReplacement { index, tails: vec![tail] })),
        }
        lines.push(line);
    }
    let dispatches = dispatches.into_list();
    let unfinished = dispatches.iter().filter(|dispatch| !dispatch.is_over).filter_map(|dispatch| {
        let (start, index) = (dispatch.start.as_ref()?, dispatch.records.first()?);
        Some(UnfinishedDispatch { dispatch: dispatch.number, event: start.event.name.to_string(), line: index + 1 })
    });
    let unfinished = unfinished.collect();
    let calls = dispatches.iter().map(|dispatch| dispatch.inputs.calls.len()).sum();
    let dispatch_count = dispatches.len();
    let replayer = DispatchReplayer {
        registry: &registry,
        called_entries: &called_entries,
        lines: &lines,
        blobs: &split.blobs,
        header: &split.header,
    };
    replacements.extend(replayer.rerun(dispatches, threads, &|done| progress(done, count)));
    replacements.sort_by_key(|replacement| replacement.index);
    let renumbered = renumber::renumber(&lines, split.contexts, replacements);
    let difference = renumbered.divergence.map(|divergence| ReplayDifference::new(&lines, divergence, &split.blobs));
    Ok(ReplayReport {
        records: count,
        total_records,
        dispatches: dispatch_count,
        calls,
        turns,
        unfinished,
        torn: split.torn.filter(|_| count == total_records),
        difference,
        tape: renumbered.tape,
    })
}
