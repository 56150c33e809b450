//! The hooks of one event, by subject.

use std::sync::Arc;

use pintle_contract::{Chain, Event, Hook, Layer, Profile, SubjectFilter};
use rustc_hash::FxHashMap;

use super::is_duplicate;

/// The hooks of one event over all chains, numbered in the order in which they are called.
#[derive(Debug, Clone, Default)]
pub(crate) struct EventIndex {
    slots: Vec<IndexSlot>,
    /// Every hook, for events without a subject: their matchers must all be called, because they may fail.
    all: Vec<IndexEntry>,
    /// Hooks that may match any subject.
    any: Vec<IndexEntry>,
    /// The other hooks, by each subject that they may match. The keys come from hook files, and events never add keys, so
    /// an event cannot make the table slow.
    by_subject: FxHashMap<Box<str>, Vec<IndexEntry>>,
}

#[derive(Debug, Clone)]
struct IndexSlot {
    hook: Arc<Hook>,
    layer: Layer,
    dialect: &'static str,
    profile: Profile,
    /// The ordinals of earlier hooks that are duplicates except for their matcher.
    duplicates: Vec<u32>,
    /// The ordinal after the last hook of the same chain.
    chain_end: u32,
}

/// A hook that the index does not rule out.
#[derive(Debug, Clone, Copy)]
struct IndexEntry {
    ordinal: u32,
    /// Whether the matcher must be called.
    needs_check: bool,
}

/// The next hook to match and call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NextHook<'s> {
    /// The ordinal of the hook among the hooks of its event.
    pub(crate) ordinal: u32,
    /// The hook.
    pub(crate) hook: &'s Hook,
    /// The configuration layer of its chain.
    pub(crate) layer: Layer,
    /// The profile of its chain.
    pub(crate) profile: Profile,
    /// The ordinal after the last hook of its chain.
    pub(crate) chain_end: u32,
    /// Whether the matcher must be called.
    pub(crate) needs_check: bool,
    /// The ordinals of earlier duplicates; if one of them matches, this hook is not called.
    pub(crate) duplicates: &'s [u32],
}

impl EventIndex {
    /// Adds the hooks of one chain, in declared order.
    pub(super) fn push<'h>(&mut self, chain: &Chain, hooks: impl Iterator<Item = &'h Arc<Hook>>) {
        let start = self.slots.len();
        let (layer, profile) = (chain.layer, chain.profile);
        for hook in hooks {
            let ordinal = u32::try_from(self.slots.len()).unwrap_or(u32::MAX);
            let twins = self.find_duplicates(chain, hook);
            let dialect = chain.dialect;
            self.slots.push(IndexSlot {
                hook: Arc::clone(hook),
                layer,
                dialect,
                profile,
                duplicates: twins,
                chain_end: 0,
            });
            let check = hook.matcher.is_some();
            self.all.push(IndexEntry { ordinal, needs_check: check });
            match hook.matcher.as_ref().map_or(SubjectFilter::Any, |matcher| matcher.subjects()) {
                SubjectFilter::Any => self.any.push(IndexEntry { ordinal, needs_check: check }),
                SubjectFilter::Only { certain, possible } => {
                    let names = certain.into_iter().map(|name| (name, false));
                    let mut names: Vec<(String, bool)> =
                        names.chain(possible.into_iter().map(|name| (name, true))).collect();
                    // A name in both lists is certain.
                    names.sort();
                    names.dedup_by(|later, first| later.0 == first.0);
                    for (name, needs_check) in names {
                        let known = self.by_subject.entry(name.into_boxed_str()).or_default();
                        known.push(IndexEntry { ordinal, needs_check });
                    }
                }
            }
        }
        let chain_end = u32::try_from(self.slots.len()).unwrap_or(u32::MAX);
        for slot in self.slots.iter_mut().skip(start) {
            slot.chain_end = chain_end;
        }
    }

    /// The ordinals of earlier duplicates of a hook. The hook stays in the index in any case, because its own matcher
    /// may fail closed and deny.
    fn find_duplicates(&self, chain: &Chain, hook: &Hook) -> Vec<u32> {
        if hook.definition.is_none() {
            return Vec::new();
        }
        let earlier = (0_u32..).zip(&self.slots);
        earlier
            .filter(|(_, slot)| {
                is_duplicate((slot.dialect, slot.profile, &slot.hook), (chain.dialect, chain.profile, hook))
            })
            .map(|(ordinal, _)| ordinal)
            .collect()
    }

    /// The hook with an ordinal.
    pub(crate) fn hook(&self, ordinal: u32) -> Option<&Arc<Hook>> {
        self.slots.get(usize::try_from(ordinal).ok()?).map(|slot| &slot.hook)
    }

    /// The configuration layer of the hook with an ordinal.
    pub(crate) fn layer(&self, ordinal: u32) -> Layer {
        let slot = usize::try_from(ordinal).ok().and_then(|index| self.slots.get(index));
        slot.map_or(Layer::Runtime, |slot| slot.layer)
    }

    /// The hooks that may match the event's subject, in order, starting at an ordinal.
    #[inline]
    pub(crate) fn candidates_from(&self, event: &Event, from: u32) -> CandidateIter<'_> {
        // If every hook may match any subject, the subject is not needed.
        let subject = if self.any.len() == self.all.len() { None } else { event.subject() };
        let (shared, own): (&[IndexEntry], &[IndexEntry]) = match subject {
            None => (&self.all, &[]),
            Some(subject) => (&self.any, self.by_subject.get(subject).map_or(&[], Vec::as_slice)),
        };
        CandidateIter { index: self, shared: skip_before(shared, from), own: skip_before(own, from) }
    }
}

#[inline]
fn skip_before(candidates: &[IndexEntry], from: u32) -> &[IndexEntry] {
    if from == 0 {
        return candidates;
    }
    let index = candidates.partition_point(|candidate| candidate.ordinal < from);
    candidates.get(index..).unwrap_or_default()
}

/// Two sorted lists of candidates, merged while they are read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CandidateIter<'s> {
    index: &'s EventIndex,
    shared: &'s [IndexEntry],
    own: &'s [IndexEntry],
}

impl<'s> CandidateIter<'s> {
    /// The next candidate, without advancing.
    #[inline]
    pub(crate) fn peek(&self) -> Option<NextHook<'s>> {
        let candidate = match (self.shared.first(), self.own.first()) {
            (Some(shared), Some(own)) => *if shared.ordinal < own.ordinal { shared } else { own },
            (Some(one), None) | (None, Some(one)) => *one,
            (None, None) => return None,
        };
        let slot = self.index.slots.get(usize::try_from(candidate.ordinal).ok()?)?;
        Some(NextHook {
            ordinal: candidate.ordinal,
            hook: &slot.hook,
            layer: slot.layer,
            profile: slot.profile,
            chain_end: slot.chain_end,
            needs_check: candidate.needs_check,
            duplicates: &slot.duplicates,
        })
    }

    /// Returns the next candidate before an ordinal, and advances.
    #[inline]
    pub(crate) fn next_below(&mut self, end: u32) -> Option<NextHook<'s>> {
        let turn = self.peek().filter(|turn| turn.ordinal < end)?;
        let taken = |list: &[IndexEntry]| list.first().is_some_and(|candidate| candidate.ordinal == turn.ordinal);
        if taken(self.shared) {
            self.shared = self.shared.get(1..).unwrap_or_default();
        } else {
            self.own = self.own.get(1..).unwrap_or_default();
        }
        Some(turn)
    }
}
