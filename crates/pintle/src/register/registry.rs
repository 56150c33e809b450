//! The hooks of a runtime as they stand, and what was added to them while it runs.

use std::cell::RefCell;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak};

use pintle_contract::{Chain, EventName, HookId};
use pintle_engine::HookSet;

use super::Kind;

/// The hooks that are in force.
///
/// The set itself never changes. Each addition makes a new one, so that a dispatch under way goes on with the hooks that
/// it began with, whoever adds or removes some meanwhile, be it one of its own hooks.
#[derive(Debug)]
pub(crate) struct Registry {
    /// Tells it from every other registry of the process, also from those that are gone.
    identity: u64,
    set: RwLock<Arc<HookSet>>,
    /// How often the set was replaced. Grows after it was.
    generation: AtomicU64,
    /// The marks of the events that the set listens to.
    heard: AtomicU64,
    added: Mutex<Added>,
}

/// How many registries there were.
static REGISTRIES: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The set that this thread found last, so that it need not lock to find it again. It keeps no hook alive.
    static FOUND: RefCell<Found> = const { RefCell::new(Found { registry: 0, generation: 0, set: Weak::new() }) };
}

/// A set that was in force.
struct Found {
    /// Whose it was; no registry is number 0.
    registry: u64,
    generation: u64,
    set: Weak<HookSet>,
}

/// Always locked before the set.
#[derive(Debug)]
struct Added {
    numbered: u64,
    built: Vec<Chain>,
    entries: Vec<Entry>,
}

/// What one registration brought.
#[derive(Debug)]
struct Entry {
    number: u64,
    /// The surface that it is cleared with; `None` for a hook that no surface knows.
    kind: Option<Kind>,
    chains: Vec<Chain>,
}

impl Registry {
    /// A registry of what a runtime was built with; `numbered` registrations are among that.
    pub(crate) fn new(set: HookSet, numbered: u64) -> Self {
        let added = Added { numbered, built: set.chains().to_vec(), entries: Vec::new() };
        Self {
            identity: REGISTRIES.fetch_add(1, Ordering::Relaxed) + 1,
            generation: AtomicU64::new(0),
            heard: AtomicU64::new(marks(&set)),
            set: RwLock::new(Arc::new(set)),
            added: Mutex::new(added),
        }
    }

    /// The hooks as they stand now.
    pub(crate) fn set(&self) -> Arc<HookSet> {
        // A thread that ends has no place to remember things any more.
        FOUND.try_with(|found| self.found(&mut found.borrow_mut())).unwrap_or_else(|_| self.locked())
    }

    #[inline]
    fn found(&self, found: &mut Found) -> Arc<HookSet> {
        // The number grows after the set was replaced: a set that was read behind it is no older than the number says.
        let generation = self.generation.load(Ordering::Acquire);
        if (found.registry, found.generation) == (self.identity, generation)
            && let Some(set) = found.set.upgrade()
        {
            return set;
        }
        let set = self.locked();
        *found = Found { registry: self.identity, generation, set: Arc::downgrade(&set) };
        set
    }

    fn locked(&self) -> Arc<HookSet> {
        Arc::clone(&self.set.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether a hook may listen to an event. Quick, and no only where there is none.
    #[inline]
    pub(crate) fn may_listen(&self, name: &EventName) -> bool {
        self.heard.load(Ordering::Acquire) & mark(name) != 0
    }

    /// A number for a registration that is about to be made.
    pub(crate) fn number(&self) -> u64 {
        let mut added = self.added();
        added.numbered += 1;
        added.numbered
    }

    /// Adds chains behind all others; `first` is told of them before they are asked for the first time.
    pub(crate) fn add(&self, number: u64, kind: Option<Kind>, chains: Vec<Chain>, first: impl FnOnce(&[Chain])) {
        let mut added = self.added();
        first(&chains);
        let set = self.set().with_chains(chains.iter().cloned());
        added.entries.push(Entry { number, kind, chains });
        self.put(set);
    }

    /// Takes out what one registration brought; whether it was still there.
    pub(crate) fn remove(&self, number: u64) -> bool {
        self.keep(|entry| entry.number != number) > 0
    }

    /// Takes out what was registered on a surface; how many registrations that were.
    pub(crate) fn clear(&self, kind: Kind) -> usize {
        self.keep(|entry| entry.kind != Some(kind))
    }

    pub(crate) fn has(&self, number: u64) -> bool {
        self.added().entries.iter().any(|entry| entry.number == number)
    }

    fn keep(&self, keep: impl Fn(&Entry) -> bool) -> usize {
        let mut added = self.added();
        let before = added.entries.len();
        added.entries.retain(keep);
        let gone = before - added.entries.len();
        if gone > 0 {
            let registered = added.entries.iter().flat_map(|entry| &entry.chains);
            self.put(HookSet::new(added.built.iter().chain(registered).cloned().collect()));
        }
        gone
    }

    /// Only under the lock of what was added.
    fn put(&self, set: HookSet) {
        let heard = marks(&set);
        let old = std::mem::replace(&mut *self.set.write().unwrap_or_else(PoisonError::into_inner), Arc::new(set));
        self.generation.fetch_add(1, Ordering::Release);
        self.heard.store(heard, Ordering::Release);
        drop(old);
    }

    fn added(&self) -> MutexGuard<'_, Added> {
        self.added.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The mark of an event: one bit, which other events may have too.
#[inline]
fn mark(name: &EventName) -> u64 {
    // The rows of the catalogue stand apart in memory; the factor, 2^64 over the golden ratio, spreads their addresses.
    let address = u64::try_from(ptr::from_ref(name.def()).addr()).unwrap_or_default();
    1 << (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58)
}

/// The marks of all events that a set listens to.
fn marks(set: &HookSet) -> u64 {
    set.hooks().fold(0, |marks, (_, hook)| marks | mark(&hook.event))
}

/// The names of the hooks in chains.
pub(super) fn names(chains: &[Chain]) -> Vec<HookId> {
    chains.iter().flat_map(|chain| &chain.hooks).map(|hook| hook.id.clone()).collect()
}
