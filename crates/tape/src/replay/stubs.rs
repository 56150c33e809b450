//! Stub hooks for the hooks on a tape.

use std::collections::{HashMap, HashSet};
use std::ptr;
use std::sync::Arc;

use pintle_contract::{Chain, EventName, Hook, HookId, Profile};
use pintle_engine::HookSet;

use super::input_feed::{InputFeed, StubHandler};
use crate::record::{HookScope, LoadedHook};

/// The hooks on a tape, in the order in which the engine runs them.
///
/// This is the union of all hook sets of the session and of all its agents. A hook that was not active at an event does
/// not match it, because the tape has no match of it.
#[derive(Debug, Default)]
pub(super) struct StubRegistry {
    stubs: Vec<HookStub>,
    positions: HashMap<u64, StubPosition>,
}

#[derive(Debug)]
struct HookStub {
    event: EventName,
    scope: HookScope,
    entry: LoadedHook,
}

/// The position of a hook among all hooks.
#[derive(Debug, Clone, Copy)]
pub(super) struct StubPosition {
    /// The hook's index in the order in which the engine runs hooks.
    pub(super) slot: usize,
    /// The number of its chain on the tape.
    pub(super) chain: u64,
    /// Whether the hooks of its chain are called concurrently.
    pub(super) is_concurrent: bool,
}

/// A set of stub hooks and the feed that they read. Each thread has its own.
#[derive(Debug)]
pub(super) struct StubSet {
    pub(super) set: HookSet,
    pub(super) feed: Arc<InputFeed>,
    /// The hooks' numbers on the tape, by address.
    entries: HashMap<usize, u64>,
}

impl StubRegistry {
    /// Sorts the hooks of the tape's `hooks` records into the order in which the engine runs them.
    pub(super) fn new<'r>(hooks: impl Iterator<Item = (HookScope, &'r LoadedHook)>) -> Self {
        let stub = |(scope, entry): (HookScope, &LoadedHook)| {
            // An event that this version does not know is not fired.
            let event = EventName::parse(&entry.event).ok()?;
            Some(HookStub { event, scope, entry: entry.clone() })
        };
        let mut stubs: Vec<HookStub> = hooks.filter_map(stub).collect();
        // Hooks run by configuration layer, and within one the runtime's hooks before an agent's.
        stubs.sort_by_key(|stub| (stub.entry.layer, stub.scope == HookScope::Agent));
        let position = |(slot, stub): (usize, &HookStub)| {
            let profile = stub.entry.profile;
            let is_concurrent = !matches!(profile, Profile::SequentialFirstDeny | Profile::SequentialRunAll);
            (stub.entry.entry, StubPosition { slot, chain: stub.entry.chain, is_concurrent })
        };
        let positions = stubs.iter().enumerate().map(position).collect();
        Self { stubs, positions }
    }

    /// The position of a hook; `None` if no `hooks` record has it.
    pub(super) fn position_of(&self, entry: u64) -> Option<StubPosition> {
        self.positions.get(&entry).copied()
    }

    /// Stub hooks for the hooks with these numbers. Hooks that have no records in a dispatch need no stubs.
    pub(super) fn stubs_for(&self, called_entries: &HashSet<u64>) -> StubSet {
        let feed = Arc::new(InputFeed::default());
        let mut chains: Vec<(u64, Chain)> = Vec::new();
        let mut entries = HashMap::new();
        for stub in self.stubs.iter().filter(|stub| called_entries.contains(&stub.entry.entry)) {
            let hook = Arc::new(make_stub_hook(stub, &feed));
            entries.insert(ptr::from_ref(&*hook).addr(), stub.entry.entry);
            match chains.last_mut() {
                Some((number, chain)) if *number == stub.entry.chain => chain.hooks.push(hook),
                _ => chains.push((stub.entry.chain, stub.entry.to_chain(hook))),
            }
        }
        let set = HookSet::new(chains.into_iter().map(|(_, chain)| chain).collect());
        StubSet { set, feed, entries }
    }
}

impl StubSet {
    /// The number on the tape of the hook that a stub hook of this set replaces.
    pub(super) fn entry_of(&self, hook: &Hook) -> u64 {
        self.entries.get(&ptr::from_ref(hook).addr()).copied().unwrap_or_default()
    }
}

fn make_stub_hook(stub: &HookStub, feed: &Arc<InputFeed>) -> Hook {
    let entry = &stub.entry;
    let id = HookId::new(entry.id.as_str());
    let handler = Arc::new(StubHandler { feed: Arc::clone(feed), entry: entry.entry, id });
    entry.to_stub_hook(stub.event.clone(), handler)
}
