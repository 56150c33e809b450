//! Replays dispatches, each independently of the others.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use pintle_contract::{NoEffects, Payload};
use pintle_engine::{DispatchContext, dispatch};

use super::comparing_journal::{ComparingJournal, LineReplacement};
use super::recorded_dispatch::{DispatchStart, RecordedDispatch};
use super::redaction::{RedactionMask, WholeDispatch};
use super::split::SplitLine;
use super::stubs::{StubRegistry, StubSet};
use crate::blobs::BlobStore;
use crate::record::HeaderRecord;

/// The number of consecutive dispatches that go to the same thread.
const BATCH_SIZE: usize = 64;

/// The number of dispatches per additional thread; with fewer, starting the thread costs more than it saves.
const DISPATCHES_PER_THREAD: usize = 2_000;

/// What all dispatches of a tape are replayed with.
#[derive(Debug, Clone, Copy)]
pub(super) struct DispatchReplayer<'a, 't> {
    pub(super) registry: &'a StubRegistry,
    pub(super) called_entries: &'a HashSet<u64>,
    pub(super) lines: &'a [SplitLine<'t>],
    pub(super) blobs: &'a BlobStore<'t>,
    pub(super) header: &'a HeaderRecord,
}

impl DispatchReplayer<'_, '_> {
    /// Replays all dispatches on up to `threads` threads and returns the differences in the order of the tape.
    /// Dispatches are independent of each other, so the number of threads does not affect the result.
    pub(super) fn rerun(
        &self,
        dispatches: Vec<RecordedDispatch>,
        threads: NonZeroUsize,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Vec<LineReplacement> {
        let threads = threads.get().min(dispatches.len() / DISPATCHES_PER_THREAD + 1);
        let done = AtomicUsize::new(0);
        let work = |mut share: Vec<RecordedDispatch>| {
            let stubs = self.registry.stubs_for(self.called_entries);
            let mut replacements = Vec::new();
            for (count, recorded) in share.drain(..).enumerate() {
                let records = recorded.records.len();
                replacements.extend(self.rerun_dispatch(&stubs, recorded));
                let sum = done.fetch_add(records, Ordering::Relaxed) + records;
                if count % BATCH_SIZE == 0 {
                    progress(sum);
                }
            }
            replacements
        };
        let mut replacements = if threads == 1 {
            work(dispatches)
        } else {
            let mut shares: Vec<Vec<RecordedDispatch>> = (0..threads).map(|_| Vec::new()).collect();
            // Neighboring dispatches cost about the same, so batches in turn give each thread about the same work.
            for (index, recorded) in dispatches.into_iter().enumerate() {
                if let Some(share) = shares.get_mut(index / BATCH_SIZE % threads) {
                    share.push(recorded);
                }
            }
            thread::scope(|scope| {
                let own = shares.pop().unwrap_or_default();
                let handles: Vec<_> = shares.into_iter().map(|share| scope.spawn(|| work(share))).collect();
                let mut replacements = work(own);
                for handle in handles {
                    replacements.extend(handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
                }
                replacements
            })
        };
        replacements.sort_by_key(|replacement| replacement.index);
        replacements
    }

    fn rerun_dispatch(&self, stubs: &StubSet, recorded: RecordedDispatch) -> Vec<LineReplacement> {
        let (replacements, records) = self.rerun_with_mask(stubs, recorded, None);
        if replacements.is_empty() {
            return replacements;
        }
        // Only a difference needs all values. If secrets were redacted, the original dispatch may still lead to these
        // records.
        let Some(whole) = WholeDispatch::read(self.lines, &records, self.blobs) else { return replacements };
        let Some(recorded) = whole.as_recorded(self.registry) else { return replacements };
        let (replacements, _) = self.rerun_with_mask(stubs, recorded, None);
        let is_reproduced = replacements.is_empty()
            || whole
                .originals(self.registry)
                .any(|(original, mask)| self.rerun_with_mask(stubs, original, Some(&mask)).0.is_empty());
        if is_reproduced { Vec::new() } else { replacements }
    }

    /// Replays a dispatch. Returns its differences and the indices of its lines.
    fn rerun_with_mask(
        &self,
        stubs: &StubSet,
        recorded: RecordedDispatch,
        mask: Option<&RedactionMask>,
    ) -> (Vec<LineReplacement>, Vec<usize>) {
        let RecordedDispatch { number, start, inputs, records, is_over, single_record, is_whole, .. } = recorded;
        let Some(DispatchStart { cause, index, is_written, mut event }) = start else {
            // Without its first record, the engine cannot produce the other records of a dispatch.
            return replace_with_nothing(records);
        };
        let line = self.lines.get(index).filter(|_| !is_whole && inputs.needs_payload());
        if let Some(line) = line {
            // A payload that cannot be read cannot be fired.
            let Some(payload) = line.read_payload(self.blobs) else {
                return replace_with_nothing(records);
            };
            event.payload = Payload::new(payload);
        }
        let cancel = stubs.feed.load(inputs);
        let journal = ComparingJournal::new(stubs, number, (self.lines, &records), is_over, mask)
            .with_written_event(is_written)
            .with_single_record(single_record);
        let context = DispatchContext {
            journal: &journal,
            clock: &*stubs.feed,
            effects: &NoEffects,
            approver: &*stubs.feed,
            cancel: &cancel,
            shadow: self.header.shadow,
            cause,
            // What a repeated call did is on the tape.
            memory: None,
        };
        dispatch(&stubs.set, &event, &context);
        (journal.close(), records)
    }
}

/// The differences of a dispatch that the engine cannot replay: the new tape has none of its lines.
fn replace_with_nothing(records: Vec<usize>) -> (Vec<LineReplacement>, Vec<usize>) {
    (records.iter().map(|index| LineReplacement { index: *index, tails: Vec::new() }).collect(), records)
}
