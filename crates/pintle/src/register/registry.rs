//! The hooks of a runtime as they stand, and what was added to them while it runs.

use std::cell::RefCell;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak};

use pintle_contract::{Chain, EventName, HookId};
use pintle_engine::HookSet;

use super::SurfaceKind;

/// The hooks that are in force.
///
/// The set itself never changes. Each addition makes a new one, so that a dispatch under way goes on with the hooks that
/// it began with, whoever adds or removes some meanwhile, be it one of its own hooks.
#[derive(Debug)]
pub(crate) struct HookRegistry {
    /// Tells it from every other registry of the process, also from those that are gone.
    identity: u64,
    set: RwLock<Arc<HookSet>>,
    /// How often the set was replaced. Grows after it was.
    generation: AtomicU64,
    /// The marks of the events that the set listens to.
    listened_events: AtomicU64,
    added_hooks: Mutex<AddedHooks>,
}

/// How many registries there were.
static REGISTRIES: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The set that this thread found last, so that it need not lock to find it again. It keeps no hook alive.
    static FOUND: RefCell<CachedHookSet> = const { RefCell::new(CachedHookSet { registry: 0, generation: 0, set: Weak::new() }) };
}

/// A set that was in force.
struct CachedHookSet {
    /// Whose it was; no registry is number 0.
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

/// What one registration brought.
#[derive(Debug)]
struct RegistryEntry {
    number: u64,
    /// The surface that it is cleared with; `None` for a hook that no surface knows.
    kind: Option<SurfaceKind>,
    chains: Vec<Chain>,
}

impl HookRegistry {
    /// A registry of what a runtime was built with; `numbered` registrations are among that.
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

    /// The hooks as they stand now.
    pub(crate) fn current_set(&self) -> Arc<HookSet> {
        // A thread that ends has no place to remember things any more.
        FOUND.try_with(|found| self.cached_set(&mut found.borrow_mut())).unwrap_or_else(|_| self.load_set())
    }

    #[inline]
    fn cached_set(&self, found: &mut CachedHookSet) -> Arc<HookSet> {
        // The number grows after the set was replaced: a set that was read behind it is no older than the number says.
        let generation = self.generation.load(Ordering::Acquire);
        if (found.registry, found.generation) == (self.identity, generation)
            && let Some(set) = found.set.upgrade()
        {
            return set;
        }
        let set = self.load_set();
        *found = CachedHookSet { registry: self.identity, generation, set: Arc::downgrade(&set) };
        set
    }

    fn load_set(&self) -> Arc<HookSet> {
        Arc::clone(&self.set.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether a hook may listen to an event. Quick, and no only where there is none.
    #[inline]
    pub(crate) fn may_listen(&self, name: &EventName) -> bool {
        self.listened_events.load(Ordering::Acquire) & event_bit(name) != 0
    }

    /// A number for a registration that is about to be made.
    pub(crate) fn next_number(&self) -> u64 {
        let mut added = self.lock_added();
        added.registration_count += 1;
        added.registration_count
    }

    /// Adds chains behind all others; `first` is told of them before they are asked for the first time.
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

    /// Takes out what one registration brought; whether it was still there.
    pub(crate) fn remove(&self, number: u64) -> bool {
        self.retain_entries(|entry| entry.number != number) > 0
    }

    /// Takes out what was registered on a surface; how many registrations that were.
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

    /// Only under the lock of what was added.
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

/// The mark of an event: one bit, which other events may have too.
#[inline]
fn event_bit(name: &EventName) -> u64 {
    // The rows of the catalogue stand apart in memory; the factor, 2^64 over the golden ratio, spreads their addresses.
    let address = u64::try_from(ptr::from_ref(name.def()).addr()).unwrap_or_default();
    1 << (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58)
}

/// The marks of all events that a set listens to.
fn event_bits(set: &HookSet) -> u64 {
    set.hooks().fold(0, |marks, (_, hook)| marks | event_bit(&hook.event))
}

/// The names of the hooks in chains.
pub(super) fn hook_names(chains: &[Chain]) -> Vec<HookId> {
    chains.iter().flat_map(|chain| &chain.hooks).map(|hook| hook.id.clone()).collect()
}
