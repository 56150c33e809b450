//! Enacts dispatches again, each on its own.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use pintle_contract::{NoEffects, Payload};
use pintle_engine::{DispatchContext, dispatch};

use super::comparing_journal::{ComparingJournal, LineReplacement};
use super::recorded_dispatch::{DispatchStart, RecordedDispatch};
use super::redaction::{RedactedDispatch, RedactionMask};
use super::split::{ReadDepth, SplitLine};
use super::stubs::{StubRegistry, StubSet};
use crate::record::HeaderRecord;

/// How many dispatches a thread takes at a time.
const PORTION: usize = 64;

/// Fewer dispatches than this are not worth another thread.
const WORTH_A_THREAD: usize = 2_000;

/// What dispatches are enacted with.
#[derive(Debug, Clone, Copy)]
pub(super) struct DispatchReplayer<'a, 't> {
    pub(super) registry: &'a StubRegistry,
    pub(super) called_entries: &'a HashSet<u64>,
    pub(super) lines: &'a [SplitLine<'t>],
    pub(super) depth: &'a ReadDepth<'t>,
    /// The lines as they stand.
    pub(super) texts: &'a [&'t [u8]],
    pub(super) header: &'a HeaderRecord,
}

impl DispatchReplayer<'_, '_> {
    /// Enacts all dispatches on so many threads, and gives what differs from the tape in the tape's order. No dispatch
    /// knows of another, so the number of threads changes nothing.
    pub(super) fn rerun(
        &self,
        scenes: Vec<RecordedDispatch>,
        threads: NonZeroUsize,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Vec<LineReplacement> {
        let threads = threads.get().min(scenes.len() / WORTH_A_THREAD + 1);
        let done = AtomicUsize::new(0);
        let work = |mut portion: Vec<RecordedDispatch>| {
            let stage = self.registry.stubs_for(self.called_entries);
            let mut differ = Vec::new();
            for (count, scene) in portion.drain(..).enumerate() {
                let records = scene.records.len();
                differ.extend(self.rerun_dispatch(&stage, scene));
                let sum = done.fetch_add(records, Ordering::Relaxed) + records;
                if count % PORTION == 0 {
                    progress(sum);
                }
            }
            differ
        };
        let mut differ = if threads == 1 {
            work(scenes)
        } else {
            let mut hands: Vec<Vec<RecordedDispatch>> = (0..threads).map(|_| Vec::new()).collect();
            // Dispatches that stand beside each other are much alike, so each thread gets as much to do as the others.
            for (at, scene) in scenes.into_iter().enumerate() {
                if let Some(hand) = hands.get_mut(at / PORTION % threads) {
                    hand.push(scene);
                }
            }
            thread::scope(|scope| {
                let own = hands.pop().unwrap_or_default();
                let begun: Vec<_> = hands.into_iter().map(|hand| scope.spawn(|| work(hand))).collect();
                let mut differ = work(own);
                for other in begun {
                    differ.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
                }
                differ
            })
        };
        differ.sort_by_key(|instead| instead.index);
        differ
    }

    fn rerun_dispatch(&self, stage: &StubSet, scene: RecordedDispatch) -> Vec<LineReplacement> {
        let (differ, records) = self.rerun_with_mask(stage, scene, None);
        if differ.is_empty() || self.depth.omits_values() {
            return differ;
        }
        // A dispatch in which secrets were taken off the tape may still have been like this.
        let blobs = self.depth.blobs(self.texts);
        let veiled = blobs.and_then(|blobs| RedactedDispatch::find_redacted(self.lines, &records, blobs));
        let comes_out = veiled.is_some_and(|veiled| {
            veiled
                .candidates(self.registry)
                .any(|(scene, veil)| self.rerun_with_mask(stage, scene, Some(&veil)).0.is_empty())
        });
        if comes_out { Vec::new() } else { differ }
    }

    /// Enacts a dispatch; gives what differs, and its records.
    fn rerun_with_mask(
        &self,
        stage: &StubSet,
        scene: RecordedDispatch,
        veil: Option<&RedactionMask>,
    ) -> (Vec<LineReplacement>, Vec<usize>) {
        let RecordedDispatch { number, start: opening, inputs: cues, records, is_over, .. } = scene;
        let Some(DispatchStart { parent, cause, index: at, mut event }) = opening else {
            // Records of a dispatch that never began are nobody's work.
            return replace_with_nothing(records);
        };
        let line = self.lines.get(at).filter(|line| line.tail_without_payload.is_some());
        let unread = line.filter(|_| cues.needs_payload());
        if let Some(line) = unread {
            // What cannot be read comes out as nothing.
            let Some(payload) = self.depth.read_payload(line.text, self.texts) else {
                return replace_with_nothing(records);
            };
            event.payload = Payload::new(payload);
        }
        let is_bare = line.is_some() && unread.is_none();
        let cancel = stage.feed.load(cues);
        let sheet = ComparingJournal::new(stage, (number, parent), (self.lines, &records), is_over, veil)
            .without_payload(is_bare);
        let around = DispatchContext {
            journal: &sheet,
            clock: &*stage.feed,
            effects: &NoEffects,
            approver: &*stage.feed,
            cancel: &cancel,
            shadow: self.header.shadow,
            cause,
        };
        dispatch(&stage.set, &event, &around);
        (sheet.close(), records)
    }
}

/// A dispatch of which nothing comes out.
fn replace_with_nothing(records: Vec<usize>) -> (Vec<LineReplacement>, Vec<usize>) {
    (records.iter().map(|at| LineReplacement { index: *at, tails: Vec::new() }).collect(), records)
}
