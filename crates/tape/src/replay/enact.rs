//! Enacts dispatches again, each on its own.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use pintle_contract::{NoEffects, Payload};
use pintle_engine::{DispatchContext, dispatch};

use super::cast::{Cast, Stage};
use super::lines::{Line, Manner};
use super::scene::{Opening, Scene};
use super::sheet::{Instead, Sheet};
use super::veil::{Veil, Veiled};
use crate::record::Header;

/// How many dispatches a thread takes at a time.
const PORTION: usize = 64;

/// Fewer dispatches than this are not worth another thread.
const WORTH_A_THREAD: usize = 2_000;

/// What dispatches are enacted with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Company<'a, 't> {
    pub(super) cast: &'a Cast,
    pub(super) asked: &'a HashSet<u64>,
    pub(super) lines: &'a [Line<'t>],
    pub(super) manner: &'a Manner<'t>,
    /// The lines as they stand.
    pub(super) texts: &'a [&'t [u8]],
    pub(super) header: &'a Header,
}

impl Company<'_, '_> {
    /// Enacts all dispatches on so many threads, and gives what differs from the tape in the tape's order. No dispatch
    /// knows of another, so the number of threads changes nothing.
    pub(super) fn enact(
        &self,
        scenes: Vec<Scene>,
        threads: NonZeroUsize,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Vec<Instead> {
        let threads = threads.get().min(scenes.len() / WORTH_A_THREAD + 1);
        let done = AtomicUsize::new(0);
        let work = |mut portion: Vec<Scene>| {
            let stage = self.cast.stage(self.asked);
            let mut differ = Vec::new();
            for (count, scene) in portion.drain(..).enumerate() {
                let records = scene.records.len();
                differ.extend(self.one(&stage, scene));
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
            let mut hands: Vec<Vec<Scene>> = (0..threads).map(|_| Vec::new()).collect();
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
        differ.sort_by_key(|instead| instead.at);
        differ
    }

    fn one(&self, stage: &Stage, scene: Scene) -> Vec<Instead> {
        let (differ, records) = self.play(stage, scene, None);
        if differ.is_empty() || self.manner.is_bare() {
            return differ;
        }
        // A dispatch in which secrets were taken off the tape may still have been like this.
        let blobs = self.manner.blobs(self.texts);
        let veiled = blobs.and_then(|blobs| Veiled::find(self.lines, &records, blobs));
        let comes_out = veiled.is_some_and(|veiled| {
            veiled.ways(self.cast).any(|(scene, veil)| self.play(stage, scene, Some(&veil)).0.is_empty())
        });
        if comes_out { Vec::new() } else { differ }
    }

    /// Enacts a dispatch; gives what differs, and its records.
    fn play(&self, stage: &Stage, scene: Scene, veil: Option<&Veil>) -> (Vec<Instead>, Vec<usize>) {
        let Scene { number, opening, cues, records, is_over, .. } = scene;
        let Some(Opening { parent, cause, at, mut event }) = opening else {
            // Records of a dispatch that never began are nobody's work.
            return nothing(records);
        };
        let line = self.lines.get(at).filter(|line| line.bare.is_some());
        let unread = line.filter(|_| cues.need_payload());
        if let Some(line) = unread {
            // What cannot be read comes out as nothing.
            let Some(payload) = self.manner.payload(line.text, self.texts) else { return nothing(records) };
            event.payload = Payload::new(payload);
        }
        let is_bare = line.is_some() && unread.is_none();
        let cancel = stage.desk.open(cues);
        let number = (number, parent, self.header.format);
        let sheet = Sheet::new(stage, number, (self.lines, &records), is_over, veil).bare(is_bare);
        let around = DispatchContext {
            journal: &sheet,
            clock: &*stage.desk,
            effects: &NoEffects,
            approver: &*stage.desk,
            cancel: &cancel,
            shadow: self.header.shadow,
            cause,
        };
        dispatch(&stage.set, &event, &around);
        (sheet.close(), records)
    }
}

/// A dispatch of which nothing comes out.
fn nothing(records: Vec<usize>) -> (Vec<Instead>, Vec<usize>) {
    (records.iter().map(|at| Instead { at: *at, tails: Vec::new() }).collect(), records)
}
