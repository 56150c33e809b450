//! Stand-ins for the hooks that a tape tells of.

use std::collections::{HashMap, HashSet};
use std::ptr;
use std::sync::Arc;

use pintle_contract::{Chain, EventName, Hook, HookId, Profile};
use pintle_engine::HookSet;

use super::input_feed::{InputFeed, StubHandler};
use crate::record::{HookScope, LoadedHook};

/// The hooks of a tape, in the order in which they stand.
///
/// All sets that were in force one after the other, and those of all agents, are one set here: a hook that was not in
/// force was not asked either.
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

/// Where a hook stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct StubPosition {
    /// Its number among all hooks, in the order in which they are asked.
    pub(super) slot: usize,
    /// Its chain.
    pub(super) chain: u64,
    /// Whether the hooks of its chain are asked at once.
    pub(super) is_concurrent: bool,
}

/// A set of stand-ins and the desk they look at. Each thread has its own.
#[derive(Debug)]
pub(super) struct StubSet {
    pub(super) set: HookSet,
    pub(super) feed: Arc<InputFeed>,
    /// The hooks' numbers in the tape, by address.
    entries: HashMap<usize, u64>,
}

impl StubRegistry {
    /// Gives out the roles: the hooks of a tape in its order.
    pub(super) fn new<'r>(loaded: impl Iterator<Item = (HookScope, &'r LoadedHook)>) -> Self {
        let role = |(scope, entry): (HookScope, &LoadedHook)| {
            // Nothing is fired at a hook of an event that this program does not know.
            let event = EventName::parse(&entry.event).ok()?;
            Some(HookStub { event, scope, entry: entry.clone() })
        };
        let mut roles: Vec<HookStub> = loaded.filter_map(role).collect();
        // The order in force: by layer, and within one those of the runtime before those of an agent.
        roles.sort_by_key(|role| (role.entry.layer, role.scope == HookScope::Agent));
        let place = |(slot, role): (usize, &HookStub)| {
            let profile = role.entry.profile;
            let at_once = !matches!(profile, Profile::SequentialFirstDeny | Profile::SequentialRunAll);
            (role.entry.entry, StubPosition { slot, chain: role.entry.chain, is_concurrent: at_once })
        };
        let places = roles.iter().enumerate().map(place).collect();
        Self { stubs: roles, positions: places }
    }

    /// Where a hook stands; `None` for one that no `hooks` record tells of.
    pub(super) fn position_of(&self, entry: u64) -> Option<StubPosition> {
        self.positions.get(&entry).copied()
    }

    /// Stand-ins for the hooks with these numbers. A hook that nobody asked has no part in anything.
    pub(super) fn stubs_for(&self, asked: &HashSet<u64>) -> StubSet {
        let desk = Arc::new(InputFeed::default());
        let mut chains: Vec<(u64, Chain)> = Vec::new();
        let mut entries = HashMap::new();
        for role in self.stubs.iter().filter(|role| asked.contains(&role.entry.entry)) {
            let hook = Arc::new(make_stub_hook(role, &desk));
            entries.insert(ptr::from_ref(&*hook).addr(), role.entry.entry);
            match chains.last_mut() {
                Some((number, chain)) if *number == role.entry.chain => chain.hooks.push(hook),
                _ => chains.push((role.entry.chain, role.entry.to_chain(hook))),
            }
        }
        let set = HookSet::new(chains.into_iter().map(|(_, chain)| chain).collect());
        StubSet { set, feed: desk, entries }
    }
}

impl StubSet {
    /// The number in the tape of the hook that one of the set stands in for.
    pub(super) fn entry_of(&self, hook: &Hook) -> u64 {
        self.entries.get(&ptr::from_ref(hook).addr()).copied().unwrap_or_default()
    }
}

fn make_stub_hook(role: &HookStub, desk: &Arc<InputFeed>) -> Hook {
    let entry = &role.entry;
    let id = HookId::new(entry.id.as_str());
    let stand_in = Arc::new(StubHandler { feed: Arc::clone(desk), entry: entry.entry, id });
    entry.to_stub_hook(role.event.clone(), stand_in)
}
