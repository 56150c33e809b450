//! Finds the hooks of an event. The index is compiled once and immutable; nothing here does I/O.

mod duplicates;
mod index;
mod match_hook;

use std::cmp::Ordering;
use std::ptr;
use std::sync::Arc;

use pintle_contract::{Chain, EnforcementMode, EventName, FailurePolicy, Hook, HookInfluence};

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
    // INVARIANT: sorted by `event_order`.
    events: Vec<(EventName, EventIndex)>,
    reads_paths: bool,
}

impl HookSet {
    /// Compiles chains into a set.
    #[must_use]
    pub fn new(mut chains: Vec<Chain>) -> Self {
        chains.sort_by_key(|chain| chain.layer);
        let mut events: Vec<(EventName, EventIndex)> = Vec::new();
        for chain in &chains {
            let mut heard: Vec<&EventName> = Vec::new();
            for hook in &chain.hooks {
                if !heard.contains(&&hook.event) {
                    heard.push(&hook.event);
                }
            }
            for name in heard {
                let of_event = || chain.hooks.iter().filter(|hook| hook.event == *name);
                match events.binary_search_by(|(known, _)| event_order(known, name)) {
                    Ok(at) => {
                        if let Some((_, index)) = events.get_mut(at) {
                            index.push(chain, of_event());
                        }
                    }
                    Err(at) => {
                        let mut index = EventIndex::default();
                        index.push(chain, of_event());
                        events.insert(at, (name.clone(), index));
                    }
                }
            }
        }
        let reads_paths = |hook: &Arc<Hook>| hook.event.def().is_about_tool_call() && hook.handler.reads_paths();
        let reads_paths = chains.iter().any(|chain| chain.hooks.iter().any(reads_paths));
        Self { chains, events, reads_paths }
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

    /// Whether a hook may read the `paths` of a tool call.
    #[must_use]
    pub fn reads_paths(&self) -> bool {
        self.reads_paths
    }

    /// Whether a hook for one of these events depends on the order of its calls.
    #[must_use]
    pub fn needs_order(&self, events: &[&str]) -> bool {
        self.hooks().any(|(_, hook)| hook.handler.needs_order() && events.contains(&hook.event.as_str()))
    }

    pub(crate) fn event_index(&self, name: &EventName) -> Option<&EventIndex> {
        let at = self.events.binary_search_by(|(known, _)| event_order(known, name)).ok()?;
        self.events.get(at).map(|(_, index)| index)
    }
}

/// An order of event names that compares only addresses, except within the families.
fn event_order(one: &EventName, other: &EventName) -> Ordering {
    let address = |name: &EventName| ptr::from_ref(name.def()).addr();
    address(one).cmp(&address(other)).then_with(|| {
        let (one, other) = (one.as_str(), other.as_str());
        // The name of an event that is not a family is one string at one address.
        if ptr::eq(one, other) { Ordering::Equal } else { one.cmp(other) }
    })
}
