//! The current hooks of a runtime, including those registered while it runs.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak};

use pintle_contract::{Chain, EventKind, EventName, HookId};
use pintle_engine::HookSet;

use super::SurfaceKind;

/// The active hooks.
///
/// A set is never changed. Each registration creates a new one, so a running dispatch keeps its set, even if one of its
/// own hooks adds or removes hooks.
#[derive(Debug)]
pub(crate) struct HookRegistry {
    /// Distinguishes this registry from every other one in the process, including dropped ones.
    identity: u64,
    set: RwLock<Arc<HookSet>>,
    /// How often the set was replaced. Incremented after the replacement.
    generation: AtomicU64,
    /// The bits of the events that the set has hooks for.
    listened_events: AtomicU64,
    added_hooks: Mutex<AddedHooks>,
}

/// The number of registries created so far.
static REGISTRIES: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The set that this thread used last, so that it can be found without a lock. It keeps no hook alive.
    static FOUND: RefCell<CachedHookSet> = const { RefCell::new(CachedHookSet { registry: 0, generation: 0, set: Weak::new() }) };
}

/// A set that was current.
struct CachedHookSet {
    /// The registry of the set; 0 is not used.
    registry: u64,
    generation: u64,
    set: Weak<HookSet>,
}

/// Always locked before the set.
#[derive(Debug)]
struct AddedHooks {
    registration_count: u64,
    built_chains: Vec<Chain>,
    entries: Vec<RegistryEntry>,
}

/// The hooks of one registration.
#[derive(Debug)]
struct RegistryEntry {
    number: u64,
    /// The surface that clears it; `None` for a hook without a surface.
    kind: Option<SurfaceKind>,
    chains: Vec<Chain>,
}

impl HookRegistry {
    /// Creates the registry of a runtime; `numbered` is the number of registrations in `set`.
    pub(crate) fn new(set: HookSet, numbered: u64) -> Self {
        let added =
            AddedHooks { registration_count: numbered, built_chains: set.chains().to_vec(), entries: Vec::new() };
        Self {
            identity: REGISTRIES.fetch_add(1, Ordering::Relaxed) + 1,
            generation: AtomicU64::new(0),
            listened_events: AtomicU64::new(event_bits(&set)),
            set: RwLock::new(Arc::new(set)),
            added_hooks: Mutex::new(added),
        }
    }

    /// The current set of hooks.
    pub(crate) fn current_set(&self) -> Arc<HookSet> {
        // A thread that is ending has no cache any more.
        FOUND.try_with(|found| self.cached_set(&mut found.borrow_mut())).unwrap_or_else(|_| self.load_set())
    }

    #[inline]
    fn cached_set(&self, cached: &mut CachedHookSet) -> Arc<HookSet> {
        // The generation grows after the set is replaced, so a set that is read afterwards is at least as new as the
        // generation says.
        let generation = self.generation.load(Ordering::Acquire);
        if (cached.registry, cached.generation) == (self.identity, generation)
            && let Some(set) = cached.set.upgrade()
        {
            return set;
        }
        let set = self.load_set();
        *cached = CachedHookSet { registry: self.identity, generation, set: Arc::downgrade(&set) };
        set
    }

    fn load_set(&self) -> Arc<HookSet> {
        Arc::clone(&self.set.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether a hook may be registered for an event. Fast, and never false if there is one.
    #[inline]
    pub(crate) fn may_listen(&self, name: &EventName) -> bool {
        self.listened_events.load(Ordering::Acquire) & event_bit(name) != 0
    }

    /// The number for the next registration.
    pub(crate) fn next_number(&self) -> u64 {
        let mut added = self.lock_added();
        added.registration_count += 1;
        added.registration_count
    }

    /// Adds chains after all others; `first` receives them before they can be called.
    pub(crate) fn add_chains(
        &self,
        number: u64,
        kind: Option<SurfaceKind>,
        chains: Vec<Chain>,
        first: impl FnOnce(&[Chain]),
    ) {
        let mut added = self.lock_added();
        first(&chains);
        let set = self.current_set().with_chains(chains.iter().cloned());
        added.entries.push(RegistryEntry { number, kind, chains });
        self.replace_set(set);
    }

    /// Removes one registration; returns whether it was still active.
    pub(crate) fn remove(&self, number: u64) -> bool {
        self.retain_entries(|entry| entry.number != number) > 0
    }

    /// Removes the registrations of a surface; returns how many there were.
    pub(crate) fn clear(&self, kind: SurfaceKind) -> usize {
        self.retain_entries(|entry| entry.kind != Some(kind))
    }

    pub(crate) fn contains(&self, number: u64) -> bool {
        self.lock_added().entries.iter().any(|entry| entry.number == number)
    }

    fn retain_entries(&self, keep: impl Fn(&RegistryEntry) -> bool) -> usize {
        let mut added = self.lock_added();
        let before = added.entries.len();
        added.entries.retain(keep);
        let gone = before - added.entries.len();
        if gone > 0 {
            let registered = added.entries.iter().flat_map(|entry| &entry.chains);
            self.replace_set(HookSet::new(added.built_chains.iter().chain(registered).cloned().collect()));
        }
        gone
    }

    /// Must be called with the lock on the added hooks.
    fn replace_set(&self, set: HookSet) {
        let heard = event_bits(&set);
        let old = std::mem::replace(&mut *self.set.write().unwrap_or_else(PoisonError::into_inner), Arc::new(set));
        self.generation.fetch_add(1, Ordering::Release);
        self.listened_events.store(heard, Ordering::Release);
        drop(old);
    }

    fn lock_added(&self) -> MutexGuard<'_, AddedHooks> {
        self.added_hooks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// Each event has a bit of its own.
const _: () = assert!(EventKind::ALL.len() <= u64::BITS as usize);

/// The bit of an event; those of a family share one.
#[inline]
fn event_bit(name: &EventName) -> u64 {
    1 << name.kind() as u8
}

/// The bits of all events that a set has hooks for.
fn event_bits(set: &HookSet) -> u64 {
    set.hooks().fold(0, |marks, (_, hook)| marks | event_bit(&hook.event))
}

/// The names of the hooks in chains.
pub(super) fn hook_names(chains: &[Chain]) -> Vec<HookId> {
    chains.iter().flat_map(|chain| &chain.hooks).map(|hook| hook.id.clone()).collect()
}
