//! The hooks of a runtime as they stand, and what was added to them while it runs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use pintle_contract::{Chain, HookId};
use pintle_engine::HookSet;

use super::Kind;

/// The hooks that are in force.
///
/// The set itself never changes. Each addition makes a new one, so that a dispatch under way goes on with the hooks that
/// it began with, whoever adds or removes some meanwhile, be it one of its own hooks.
#[derive(Debug)]
pub(crate) struct Registry {
    set: RwLock<Arc<HookSet>>,
    added: Mutex<Added>,
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
        Self { set: RwLock::new(Arc::new(set)), added: Mutex::new(added) }
    }

    /// The hooks as they stand now.
    pub(crate) fn set(&self) -> Arc<HookSet> {
        Arc::clone(&self.set.read().unwrap_or_else(PoisonError::into_inner))
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
        let set = self.set().with(chains.iter().cloned());
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

    fn put(&self, set: HookSet) {
        *self.set.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(set);
    }

    fn added(&self) -> MutexGuard<'_, Added> {
        self.added.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The names of the hooks in chains.
pub(super) fn names(chains: &[Chain]) -> Vec<HookId> {
    chains.iter().flat_map(|chain| &chain.hooks).map(|hook| hook.id.clone()).collect()
}
