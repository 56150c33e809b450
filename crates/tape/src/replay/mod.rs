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

mod bare;
mod cast;
mod desk;
mod difference;
mod enact;
mod heard;
mod join;
mod lines;
mod scene;
mod sheet;
mod spell;
mod until;
mod veil;

use std::collections::HashSet;
use std::fmt;
use std::num::NonZeroUsize;
use std::thread;

use cast::Cast;
use enact::Company;
use lines::{Manner, Read, Split};
use scene::Scenes;
use sheet::Instead;

pub use difference::{Difference, Why};
pub use heard::{failure, resolution, verdict};
pub use until::Until;

use crate::blobs::Blobs;
use crate::record::{Body, HostRecord};
use crate::{TapeError, Torn};

/// How a tape is enacted.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// How many threads take part. Default: as many as the machine has. The result is the same for any number.
    pub threads: Option<NonZeroUsize>,
    /// Where to stop. Default: at the end.
    pub until: Option<Until>,
}

/// A tape that was enacted again.
#[derive(Debug)]
pub struct Replayed {
    /// How many records were enacted or taken over.
    pub records: usize,
    /// How many records the old tape has, where the replay stopped before its end.
    pub of_records: usize,
    /// How many dispatches were enacted.
    pub dispatches: usize,
    /// How many calls of hooks were enacted.
    pub calls: usize,
    /// How many turns of the session began, by [`begins_one`](crate::record::host::Turn::begins_one).
    pub turns: usize,
    /// The dispatches that have no outcome: the session ended in them, or the replay stopped in them.
    pub unfinished: Vec<Unfinished>,
    /// What was left of a record that was not written whole.
    pub torn: Option<Torn>,
    /// The first record in which the new tape is another one; `None` when the two are equal byte for byte.
    pub difference: Option<Difference>,
    /// The new tape.
    pub tape: Vec<u8>,
}

/// A dispatch without an outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
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
    Until(String),
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tape(fault) => fault.fmt(f),
            Self::Until(fault) => f.write_str(fault),
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
pub fn replay(tape: &[u8], options: &Options) -> Result<Replayed, ReplayError> {
    replay_with(tape, options, &|_, _| {})
}

/// Enacts a tape again and tells how far it is: how many records are enacted, and of how many. It is told from any of the
/// threads, now and then.
///
/// # Errors
/// As [`replay`].
pub fn replay_with(
    tape: &[u8],
    options: &Options,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Replayed, ReplayError> {
    let mut split = lines::split(tape)?;
    // Nearly every tape comes out as it is, which is found without looking into every value. How one differs is not.
    if let Some(manner) = split.bare()
        && let Ok(replayed) = enact(&split, &manner, options, progress)
        && replayed.difference.is_none()
    {
        return Ok(replayed);
    }
    let (manner, torn) = split.whole()?;
    let replayed = enact(&split, &manner, options, progress)?;
    let torn = torn.filter(|_| replayed.records == replayed.of_records);
    Ok(Replayed { torn, ..replayed })
}

/// Enacts the lines of a tape, read in this manner.
fn enact<'t>(
    split: &Split<'t>,
    manner: &Manner<'t>,
    options: &Options,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Replayed, ReplayError> {
    let threads = options.threads.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
    let mut records = lines::read(&split.lines, manner, threads)?;
    let of_records = records.len();
    if let Some(until) = &options.until {
        let count = until.count(&records).map_err(ReplayError::Until)?;
        records.truncate(count);
    }
    let count = records.len();
    let loaded = records.iter().filter_map(|read| match &read.body {
        Some(Body::Hooks(loaded)) => Some(loaded),
        _ => None,
    });
    let cast = Cast::new(loaded.flat_map(|loaded| loaded.hooks.iter().map(|entry| (loaded.scope, entry))));
    let asked: HashSet<u64> = records.iter().filter_map(|read| entry(read.body.as_ref()?)).collect();
    let mut turns = 0;
    let mut scenes = Scenes::default();
    let mut lines = Vec::with_capacity(count);
    let mut differ: Vec<Instead> = Vec::new();
    for (at, Read { line, body, respelled }) in records.into_iter().enumerate() {
        turns += usize::from(matches!(&body, Some(Body::Host(HostRecord::Turn(turn))) if turn.begins_one()));
        differ.extend(respelled.map(|tail| Instead { at, tails: vec![tail] }));
        if let Some(body) = body {
            scenes.take(at, body, &cast);
        }
        lines.push(line);
    }
    let scenes = scenes.into_list();
    let unfinished = scenes.iter().filter(|scene| !scene.is_over).filter_map(|scene| {
        let (opening, at) = (scene.opening.as_ref()?, scene.records.first()?);
        Some(Unfinished { dispatch: scene.number, event: opening.event.name.to_string(), line: at + 1 })
    });
    let unfinished = unfinished.collect();
    let (dispatches, calls) = (scenes.len(), scenes.iter().map(|scene| scene.cues.calls.len()).sum());
    let header = &split.header;
    let company = Company { cast: &cast, asked: &asked, lines: &lines, manner, texts: &split.lines, header };
    differ.extend(company.enact(scenes, threads, &|done| progress(done, count)));
    differ.sort_by_key(|instead| instead.at);
    let joined = join::join(&lines, differ);
    let blobs = manner.blobs(&split.lines).filter(|_| joined.leaves.is_some());
    let difference = joined.leaves.map(|leaves| Difference::new(&lines, leaves, blobs.unwrap_or(&Blobs::default())));
    Ok(Replayed {
        records: count,
        of_records,
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
fn entry(body: &Body<'_>) -> Option<u64> {
    match body {
        Body::HookCall(asked) => Some(asked.entry),
        Body::Unmatched(passed) | Body::Unasked(passed) => Some(passed.entry),
        _ => None,
    }
}
