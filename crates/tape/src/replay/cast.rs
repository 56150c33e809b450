//! Stand-ins for the hooks that a tape tells of.

use std::collections::{HashMap, HashSet};
use std::ptr;
use std::sync::Arc;

use pintle_contract::{Chain, EventName, Hook, HookId, Profile};
use pintle_engine::HookSet;

use super::desk::{Desk, StandIn};
use crate::record::{HookEntry, Scope};

/// The hooks of a tape, in the order in which they stand.
///
/// All sets that were in force one after the other, and those of all agents, are one set here: a hook that was not in
/// force was not asked either.
#[derive(Debug, Default)]
pub(super) struct Cast {
    roles: Vec<Role>,
    places: HashMap<u64, Place>,
}

#[derive(Debug)]
struct Role {
    event: EventName,
    scope: Scope,
    entry: HookEntry,
}

/// Where a hook stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Its number among all hooks, in the order in which they are asked.
    pub(super) slot: usize,
    /// Its chain.
    pub(super) chain: u64,
    /// Whether the hooks of its chain are asked at once.
    pub(super) at_once: bool,
}

/// A set of stand-ins and the desk they look at. Each thread has its own.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) set: HookSet,
    pub(super) desk: Arc<Desk>,
    /// The hooks' numbers in the tape, by address.
    entries: HashMap<usize, u64>,
}

impl Cast {
    /// Gives out the roles: the hooks of a tape in its order.
    pub(super) fn new<'r>(loaded: impl Iterator<Item = (Scope, &'r HookEntry)>) -> Self {
        let role = |(scope, entry): (Scope, &HookEntry)| {
            // Nothing is fired at a hook of an event that this program does not know.
            let event = EventName::parse(&entry.event).ok()?;
            Some(Role { event, scope, entry: entry.clone() })
        };
        let mut roles: Vec<Role> = loaded.filter_map(role).collect();
        // The order in force: by layer, and within one those of the runtime before those of an agent.
        roles.sort_by_key(|role| (role.entry.layer, role.scope == Scope::Agent));
        let place = |(slot, role): (usize, &Role)| {
            let profile = role.entry.profile;
            let at_once = !matches!(profile, Profile::SequentialFirstDeny | Profile::SequentialRunAll);
            (role.entry.entry, Place { slot, chain: role.entry.chain, at_once })
        };
        let places = roles.iter().enumerate().map(place).collect();
        Self { roles, places }
    }

    /// Where a hook stands; `None` for one that no `hooks` record tells of.
    pub(super) fn place(&self, entry: u64) -> Option<Place> {
        self.places.get(&entry).copied()
    }

    /// Stand-ins for the hooks with these numbers. A hook that nobody asked has no part in anything.
    pub(super) fn stage(&self, asked: &HashSet<u64>) -> Stage {
        let desk = Arc::new(Desk::default());
        let mut chains: Vec<(u64, Chain)> = Vec::new();
        let mut entries = HashMap::new();
        for role in self.roles.iter().filter(|role| asked.contains(&role.entry.entry)) {
            let hook = Arc::new(stand_in(role, &desk));
            entries.insert(ptr::from_ref(&*hook).addr(), role.entry.entry);
            match chains.last_mut() {
                Some((number, chain)) if *number == role.entry.chain => chain.hooks.push(hook),
                _ => chains.push((role.entry.chain, role.entry.chain(hook))),
            }
        }
        let set = HookSet::new(chains.into_iter().map(|(_, chain)| chain).collect());
        Stage { set, desk, entries }
    }
}

impl Stage {
    /// The number in the tape of the hook that one of the set stands in for.
    pub(super) fn entry(&self, hook: &Hook) -> u64 {
        self.entries.get(&ptr::from_ref(hook).addr()).copied().unwrap_or_default()
    }
}

fn stand_in(role: &Role, desk: &Arc<Desk>) -> Hook {
    let entry = &role.entry;
    let id = HookId::new(entry.id.as_str());
    let stand_in = Arc::new(StandIn { desk: Arc::clone(desk), entry: entry.entry, id });
    entry.stand_in(role.event.clone(), stand_in)
}
