//! Finds the hooks of an event. The index is compiled once and immutable; nothing here does I/O.

mod duplicates;
mod index;
mod match_hook;

use std::sync::Arc;

use pintle_contract::{
    Chain, EnforcementMode, EventCallReads, EventKind, EventName, FailurePolicy, Hook, HookInfluence,
};

pub(crate) use duplicates::is_duplicate;
pub(crate) use index::{CandidateIter, EventIndex, NextHook};
pub(crate) use match_hook::{is_hook_failure, match_candidate, match_hook, panic_text};

/// The hooks of all sources, in the order in which they are called, indexed by event and subject.
///
/// Chains are ordered by configuration layer, and within a layer in the order in which they were added. A hook with the
/// same [`Hook::definition`] as an earlier one stays in its chain, but is not called if the earlier one is. Share the
/// set as an `Arc`.
#[derive(Debug, Clone, Default)]
pub struct HookSet {
    chains: Vec<Chain>,
    // INVARIANT: one list for each kind up to the last that has hooks; a list is sorted by name, and only that of a family
    // can have more than one name.
    events: Vec<Vec<(EventName, EventIndex)>>,
    call_reads: EventCallReads,
    may_wait: bool,
}

impl HookSet {
    /// Compiles chains into a set.
    #[must_use]
    pub fn new(mut chains: Vec<Chain>) -> Self {
        chains.sort_by_key(|chain| chain.layer);
        let last = chains.iter().flat_map(|chain| &chain.hooks).map(|hook| hook.event.kind() as usize).max();
        let mut events = vec![Vec::new(); last.map_or(0, |last| last + 1)];
        for chain in &chains {
            let mut heard: Vec<&EventName> = Vec::new();
            for hook in &chain.hooks {
                if !heard.contains(&&hook.event) {
                    heard.push(&hook.event);
                }
            }
            for name in heard {
                let Some(names) = events.get_mut(name.kind() as usize) else { continue };
                let at = find_name(names, name).unwrap_or_else(|at| {
                    names.insert(at, (name.clone(), EventIndex::default()));
                    at
                });
                if let Some((_, index)) = names.get_mut(at) {
                    index.push(chain, chain.hooks.iter().filter(|hook| hook.event == *name));
                }
            }
        }
        let mut call_reads = EventCallReads::default();
        for hook in chains.iter().flat_map(|chain| &chain.hooks).filter(|hook| hook.event.def().is_about_tool_call()) {
            call_reads.add(hook.event.kind(), hook.handler.call_reads());
        }
        let may_wait = chains.iter().flat_map(|chain| &chain.hooks).any(|hook| hook.handler.may_wait());
        Self { chains, events, call_reads, may_wait }
    }

    /// A set without hooks.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// The chains, in the order in which they are called.
    #[must_use]
    pub fn chains(&self) -> &[Chain] {
        &self.chains
    }

    /// Every hook with its chain, in the order in which they are called.
    pub fn hooks(&self) -> impl Iterator<Item = (&Chain, &Arc<Hook>)> {
        self.chains.iter().flat_map(|chain| chain.hooks.iter().map(move |hook| (chain, hook)))
    }

    /// A new set with additional chains; each follows the existing chains of its layer.
    #[must_use]
    pub fn with_chains(&self, chains: impl IntoIterator<Item = Chain>) -> Self {
        Self::new(self.chains.iter().cloned().chain(chains).collect())
    }

    /// Whether the set has hooks for an event.
    #[must_use]
    pub fn has_hooks_for(&self, name: &EventName) -> bool {
        self.event_index(name).is_some()
    }

    /// Whether an enforced hook can deny or rewrite the event, as far as its dialect determines.
    #[must_use]
    pub fn may_change(&self, name: &EventName) -> bool {
        let can = |hook: &Hook| {
            let denies_by_failing = hook.on_failure == FailurePolicy::Closed;
            hook.mode == EnforcementMode::Enforce
                && (denies_by_failing || hook.handler.influence(&hook.event_alias) > HookInfluence::Observes)
        };
        self.has_hooks_for(name) && self.hooks().any(|(_, hook)| hook.event == *name && can(hook))
    }

    /// What the hooks of each event may read of a tool call's `paths` and `operations`.
    #[must_use]
    pub fn call_reads(&self) -> EventCallReads {
        self.call_reads
    }

    /// Whether a call of any hook may wait for something outside this process.
    #[must_use]
    pub fn may_wait(&self) -> bool {
        self.may_wait
    }

    /// Whether a hook for one of these events depends on the order of its calls.
    #[must_use]
    pub fn needs_order(&self, events: &[EventKind]) -> bool {
        self.hooks().any(|(_, hook)| hook.handler.needs_order() && events.contains(&hook.event.kind()))
    }

    pub(crate) fn event_index(&self, name: &EventName) -> Option<&EventIndex> {
        let names = self.events.get(name.kind() as usize)?;
        names.get(find_name(names, name).ok()?).map(|(_, index)| index)
    }
}

/// The position of a name among those of its kind, or where to insert it.
fn find_name(names: &[(EventName, EventIndex)], name: &EventName) -> Result<usize, usize> {
    names.binary_search_by(|(known, _)| known.cmp(name))
}
