//! Branches of a tape: the records of one of several processes that run at the same time. The process that ends its
//! branch merges it into the tape, in one piece.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pintle_contract::Clock;

use super::append::check_link;
use super::cursor::TapeCursor;
use super::hook_numbers::HookNumbering;
use super::kept_records::{KeptRecords, MergedRecord};
use super::line_encoder::LineEncoder;
use super::output::{TapeOutput, TapeSink};
use super::tape_file::TapeFile;
use super::{Tape, TapeState, file};
use crate::TapeError;
use crate::blobs::BlobStore;
use crate::dispatch_tracker::DispatchTracker;
use crate::read::{TapeLine, TapeReader};
use crate::record::{HeaderRecord, Record, RecordBody, RecordNumbers, RepairedRecord};
use crate::session_folder::BranchFile;
use crate::verify::chain::ChainCheck;

impl Tape {
    /// Creates a branch of a tape in an empty file, or a new one: a tape of its own, whose hooks have the numbers that they
    /// have on the tape at `base`. Its directory exists.
    ///
    /// # Errors
    /// As [`Tape::create`].
    pub fn create_branch(
        branch: impl Into<BranchFile>,
        base: &TapeCursor,
        header: HeaderRecord,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, TapeError> {
        let BranchFile { path, file } = branch.into();
        let file = TapeFile::new(file.map_or_else(|| file::create_or_reuse(&path), Ok)?, &path, 0);
        let lines = LineEncoder { kept: Some(KeptRecords::default()), ..LineEncoder::default() };
        let state = TapeState {
            dispatches: DispatchTracker::resume_after(base.dispatch),
            hooks: HookNumbering::resume_after(base.next_entry, base.next_chain)
                .with_first_hooks(base.first_hooks.clone()),
            output: TapeOutput::new(lines, TapeSink::File(file)),
            passing: None,
            sessions: BTreeSet::new(),
        };
        let calls = AtomicU64::new(base.call);
        let branch = Self { calls, ..Self::new(Some(path), clock, state) };
        branch.put(|_| RecordBody::Header(header));
        branch.take_error().map_or(Ok(branch), Err)
    }

    /// The file of a branch that was merged, which stays locked while it is open.
    ///
    /// # Errors
    /// When this is not a file, or there are too many open ones.
    pub fn keep_file(&self) -> io::Result<File> {
        self.with_state(|state| match &state.output.sink {
            TapeSink::File(file) => file.keep(),
            TapeSink::Memory(_) => Err(io::ErrorKind::Unsupported.into()),
        })
    }

    /// Appends the records of a branch, numbered and chained again, and not earlier than the last record. If its process
    /// died, a `repaired` record follows, because what was open on the branch does not end.
    ///
    /// # Errors
    /// When the branch cannot be read, its chain of digests is broken, or the tape cannot be written.
    pub fn merge_branch(&self, branch: impl Into<BranchFile>, is_interrupted: bool) -> Result<(), TapeError> {
        self.put_batch(|| self.put_branch(branch.into(), is_interrupted))
    }

    /// Appends the records of a branch that this process has written, as [`Tape::merge_branch`] does. They are not read
    /// again if they are still in memory.
    ///
    /// # Errors
    /// As [`Tape::merge_branch`], and when the branch has no file.
    pub fn merge_own_branch(&self, branch: &Self) -> Result<(), TapeError> {
        let kept = branch.with_state(|state| {
            state.write_passing();
            state.output.lines.kept.take()
        });
        let Some(records) = kept else {
            let path = branch.path.clone().ok_or(TapeError::Empty)?;
            let file = branch.keep_file().map_err(|source| TapeError::Open { path: path.clone(), source })?;
            return self.merge_branch(BranchFile { path, file: Some(file) }, /*is_interrupted*/ false);
        };
        self.put_batch(|| {
            let mut numbers = BranchNumbers::default();
            let keeps_references = self.with_state(|state| state.output.can_put_stored());
            let put = records.visit(keeps_references, |record, blobs| self.put_merged(record, &mut numbers, blobs));
            put.map_err(|(line, reason)| TapeError::Line { line, reason })
        })
    }

    /// Appends records in one piece.
    fn put_batch(&self, put: impl FnOnce() -> Result<(), TapeError>) -> Result<(), TapeError> {
        // A process that finds a part of it on the tape begins again, so parts are of no use.
        self.with_state(|state| state.output.sink.begin_batch());
        put()?;
        self.with_state(|state| state.output.end_batch());
        self.take_error().map_or(Ok(()), Err)
    }

    /// Writes a record of a branch. Returns whether the tape has everything to which later records of the branch refer.
    fn put_merged(
        &self,
        record: MergedRecord,
        numbers: &mut BranchNumbers,
        blobs: &BlobStore<'_>,
    ) -> Result<bool, String> {
        let MergedRecord { at_ms, body, has_references, new_values } = record;
        self.with_state(|state| match numbers.renumber(state, &self.calls, body) {
            Some(body) if has_references => {
                state.write_passing();
                state.output.put_stored(at_ms, body, new_values, blobs).map(|()| true)
            }
            Some(body) => {
                state.put(at_ms, body);
                Ok(true)
            }
            None => Ok(!has_references || new_values.is_some_and(|values| values.is_empty())),
        })
    }

    fn put_branch(&self, branch: BranchFile, is_interrupted: bool) -> Result<(), TapeError> {
        let BranchFile { path, file } = branch;
        // To open a file that was cut, and to close it, makes the system write it to the disk.
        let opened = file.map_or_else(|| TapeReader::open(&path), |file| TapeReader::from_file(file, &path));
        let mut reader = match opened {
            Err(TapeError::Empty) if is_interrupted => return Ok(()),
            reader => reader?,
        };
        let (mut links, mut numbers) = (ChainCheck::default(), BranchNumbers::default());
        reader.keep_references(self.with_state(|state| state.output.can_put_stored()));
        while let Some(line) = reader.next() {
            let line = match line {
                // The process died before it had written the header.
                Err(TapeError::Torn { .. }) if is_interrupted => return Ok(()),
                line => line?,
            };
            check_link(&mut links, &line)?;
            let TapeLine { record: Record { at_ms, body, .. }, stored_blobs, number, .. } = line;
            let blobs = reader.blobs();
            let (has_references, stored_blobs) = (stored_blobs.is_some(), stored_blobs.unwrap_or_default());
            let new_values = stored_blobs.iter().map(|blob| blobs.extract_value(blob)).collect();
            let record = MergedRecord { at_ms, body, has_references, new_values };
            let put = self.put_merged(record, &mut numbers, blobs);
            if !put.map_err(|reason| TapeError::Line { line: number, reason })? {
                reader.keep_references(false);
            }
        }
        if is_interrupted {
            let size_bytes = reader.torn().map_or(0, |torn| torn.size_bytes as u64);
            self.put(|state| {
                RecordBody::Repaired(RepairedRecord { line: state.output.lines.next_seq.saturating_add(1), size_bytes })
            });
        }
        Ok(())
    }
}

/// The numbers on the tape of what is numbered on a branch.
#[derive(Debug, Default)]
struct BranchNumbers {
    dispatches: HashMap<u64, u64>,
    calls: HashMap<u64, u64>,
    /// Only those of hooks that the branch recorded. All others have the numbers of the tape.
    entries: HashMap<u64, u64>,
}

impl BranchNumbers {
    /// Numbers a record of a branch again. `None` if the tape has it already or writes it itself.
    fn renumber(
        &mut self,
        state: &mut TapeState,
        calls: &AtomicU64,
        mut body: RecordBody<'static>,
    ) -> Option<RecordBody<'static>> {
        match &mut body {
            RecordBody::Header(_) | RecordBody::Checkpoint(_) | RecordBody::Closed(_) => return None,
            RecordBody::Hooks(loaded) => {
                return state.hooks.renumber(loaded, &mut self.entries).then_some(body);
            }
            RecordBody::Event(fired) => {
                self.dispatches.insert(fired.dispatch, state.dispatches.reserve());
            }
            RecordBody::HookCall(call) => {
                self.calls.insert(call.call, calls.fetch_add(1, Ordering::Relaxed) + 1);
            }
            _ => {}
        }
        let RecordNumbers { dispatch, parent, call, cause, entry } = body.numbers_mut();
        replace(dispatch.into_iter().chain(parent), &self.dispatches);
        replace(call.into_iter().chain(cause), &self.calls);
        replace(entry, &self.entries);
        if let RecordBody::Event(fired) = &mut body {
            for passed in &mut fired.passed {
                passed.call = calls.fetch_add(1, Ordering::Relaxed) + 1;
                replace([&mut passed.entry], &self.entries);
            }
        }
        Some(body)
    }
}

/// Replaces the numbers that have a new one.
fn replace<'n>(numbers: impl IntoIterator<Item = &'n mut u64>, new_numbers: &HashMap<u64, u64>) {
    numbers.into_iter().for_each(|number| *number = new_numbers.get(number).copied().unwrap_or(*number));
}
