//! Numbers the hooks on a tape.

use std::borrow::{Borrow, Cow};
use std::collections::{HashMap, VecDeque};
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use pintle_contract::{Chain, Hook, HookId, Layer, Profile, to_hex};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::record::{HookScope, HooksRecord, LoadedHook};

/// The number of hooks from which on the listing of them is remembered, and of how many runtimes.
const REMEMBERED_HOOKS: usize = 64;
const REMEMBERED_LISTINGS: usize = 8;

/// Numbers hooks and chains over a whole tape.
#[derive(Debug, Default)]
pub(crate) struct HookNumbering {
    next_entry: u64,
    next_chain: u64,
    /// By the address of the hook, which distinguishes hooks of the same name and is cheap to look up.
    hooks_by_address: HashMap<usize, NumberedHook>,
    /// The hooks of the runtime, each list with the number of its first one.
    listed: Vec<(u64, Arc<HookListing>)>,
    /// The hooks recorded last before this process, until this process has recorded its own.
    previous_first_hooks: Option<FirstHooks>,
    /// The hooks that this process recorded first, or found already recorded.
    first_hooks: Option<FirstHooks>,
}

/// The hooks that a process recorded first: their first numbers, and a digest of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FirstHooks {
    entry: u64,
    chain: u64,
    digest: String,
}

#[derive(Debug)]
struct NumberedHook {
    entry: u64,
    id: HookId,
    /// Keeps the address from being reused for another hook.
    _address: Weak<Hook>,
}

impl HookNumbering {
    /// Continues after the hooks of a tape.
    pub(crate) fn resume_after(next_entry: u64, next_chain: u64) -> Self {
        Self { next_entry, next_chain, ..Self::default() }
    }

    /// Sets the hooks that were recorded last.
    pub(crate) fn with_first_hooks(self, standing: Option<FirstHooks>) -> Self {
        Self { previous_first_hooks: standing, ..self }
    }

    /// The numbers of the next hook and the next chain.
    pub(crate) fn next_numbers(&self) -> (u64, u64) {
        (self.next_entry, self.next_chain)
    }

    /// The hooks that this process recorded first, or the earlier ones if it recorded none.
    pub(crate) fn first_hooks(&self) -> Option<&FirstHooks> {
        self.first_hooks.as_ref().or(self.previous_first_hooks.as_ref())
    }

    /// Numbers the hooks of the runtime. Returns `None` if they are the ones recorded last.
    pub(crate) fn number_runtime_hooks<'c>(
        &mut self,
        chains: impl IntoIterator<Item = &'c Chain> + Clone,
    ) -> Option<HooksRecord> {
        let listing = HookListing::of_chains(chains.clone());
        let known = self.previous_first_hooks.take().filter(|known| known.digest == listing.digest);
        let is_new = known.is_none();
        let (entry, chain) = self.next_numbers();
        let first = known.unwrap_or_else(|| FirstHooks { entry, chain, digest: listing.digest.clone() });
        // Other hooks may follow those that were recorded.
        self.next_entry = entry.max(first.entry.saturating_add(listing.hooks.len() as u64));
        self.next_chain = chain.max(first.chain.saturating_add(listing.chains.len() as u64));
        // The last number that a hook got is its number.
        self.hooks_by_address.retain(|address, _| !listing.positions.contains_key(address));
        self.listed.push((first.entry, listing));
        self.first_hooks.get_or_insert(first);
        is_new.then(|| HooksRecord { scope: HookScope::Runtime, hooks: list_hooks(chains, entry, chain).collect() })
    }

    /// The number of a hook; `None` if it was never recorded.
    pub(crate) fn number_of(&self, hook: &Hook) -> Option<u64> {
        let address = ptr::from_ref(hook).addr();
        let known = self.hooks_by_address.get(&address).filter(|known| known.id == hook.id).map(|known| known.entry);
        let listed = || {
            let mut listed = self.listed.iter().rev();
            listed.find_map(|(first, listing)| Some(first.saturating_add(*listing.positions.get(&address)?)))
        };
        known.or_else(listed)
    }

    /// Numbers the hooks of chains, in order.
    pub(crate) fn number_hooks<'c>(
        &mut self,
        scope: HookScope,
        chains: impl IntoIterator<Item = &'c Chain>,
    ) -> HooksRecord {
        let mut hooks = Vec::new();
        for chain in chains {
            hooks.extend(chain.hooks.iter().map(|hook| self.add_entry(chain, hook, Arc::downgrade(hook))));
            self.next_chain += 1;
        }
        HooksRecord { scope, hooks }
    }

    /// Numbers a hook that the host called without recording it as loaded. It is treated as an agent's hook, in its own
    /// chain.
    pub(crate) fn number_unknown(&mut self, hook: &Hook) -> HooksRecord {
        let chain = Chain {
            source: hook.location.path().map_or_else(String::new, |path| path.display().to_string()).into(),
            dialect: "",
            layer: Layer::Agent,
            profile: Profile::SequentialFirstDeny,
            hooks: Vec::new(),
        };
        let entry = self.add_entry(&chain, hook, Weak::new());
        self.next_chain += 1;
        HooksRecord { scope: HookScope::Agent, hooks: vec![entry] }
    }

    /// Numbers hooks again that a branch recorded, and adds their new numbers by the old ones. Returns whether they have to
    /// be recorded: not if they are the ones recorded last.
    pub(crate) fn renumber(&mut self, record: &mut HooksRecord, entries: &mut HashMap<u64, u64>) -> bool {
        let Some((old_entry, old_chain)) = record.hooks.first().map(|first| (first.entry, first.chain)) else {
            return true;
        };
        let move_to = |entry: u64, chain: u64| {
            let mut moved = record.clone();
            for hook in &mut moved.hooks {
                hook.entry = hook.entry.saturating_sub(old_entry).saturating_add(entry);
                hook.chain = hook.chain.saturating_sub(old_chain).saturating_add(chain);
            }
            moved
        };
        let digest = (record.scope == HookScope::Runtime).then(|| digest_of(&move_to(0, 0).hooks));
        let known = self.first_hooks().filter(|known| Some(&known.digest) == digest.as_ref());
        let known = known.map(|known| (known.entry, known.chain));
        let (entry, chain) = known.unwrap_or_else(|| self.next_numbers());
        let moved = move_to(entry, chain);
        entries.extend(record.hooks.iter().zip(&moved.hooks).map(|(old, new)| (old.entry, new.entry)));
        if known.is_some() {
            return false;
        }
        if let Some(last) = moved.hooks.last() {
            (self.next_entry, self.next_chain) = (last.entry.saturating_add(1), last.chain.saturating_add(1));
        }
        if let Some(digest) = digest {
            self.first_hooks = Some(FirstHooks { entry, chain, digest });
        }
        *record = moved;
        true
    }

    fn add_entry(&mut self, chain: &Chain, hook: &Hook, address: Weak<Hook>) -> LoadedHook {
        let entry = self.next_entry;
        self.next_entry += 1;
        let known = NumberedHook { entry, id: hook.id.clone(), _address: address };
        self.hooks_by_address.insert(ptr::from_ref(hook).addr(), known);
        LoadedHook::new(entry, self.next_chain, chain, hook)
    }
}

/// The hooks of a runtime. Tapes whose runtimes have the same hooks share it: to list thousands for each call of an agent
/// would cost more than the call.
#[derive(Debug)]
struct HookListing {
    chains: Vec<ListedChain>,
    /// Keeps their addresses from being used for other hooks.
    hooks: Vec<Weak<Hook>>,
    /// The position of each hook, by its address.
    positions: HashMap<usize, u64>,
    /// Of the hooks as they would be recorded first on a tape.
    digest: String,
}

/// What a record says of a chain, and how many hooks it has.
#[derive(Debug, PartialEq, Eq)]
struct ListedChain {
    source: Arc<str>,
    dialect: &'static str,
    layer: Layer,
    profile: Profile,
    count: usize,
}

impl ListedChain {
    fn new(chain: &Chain) -> Self {
        let Chain { source, dialect, layer, profile, hooks } = chain;
        Self { source: Arc::clone(source), dialect, layer: *layer, profile: *profile, count: hooks.len() }
    }
}

impl HookListing {
    /// The listing of these chains, which may be that of an earlier tape.
    fn of_chains<'c>(chains: impl IntoIterator<Item = &'c Chain> + Clone) -> Arc<Self> {
        static RECENT: Mutex<VecDeque<Arc<HookListing>>> = Mutex::new(VecDeque::new());
        // No statement between two changes can panic.
        let lock = || RECENT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().iter().find(|known| known.is_of(chains.clone())) {
            return Arc::clone(known);
        }
        let made = Arc::new(Self::new(chains));
        if made.hooks.len() >= REMEMBERED_HOOKS {
            let mut recent = lock();
            recent.truncate(REMEMBERED_LISTINGS - 1);
            recent.push_front(Arc::clone(&made));
        }
        made
    }

    fn new<'c>(chains: impl IntoIterator<Item = &'c Chain> + Clone) -> Self {
        let hooks = || chains.clone().into_iter().flat_map(|chain| &chain.hooks);
        Self {
            chains: chains.clone().into_iter().map(ListedChain::new).collect(),
            hooks: hooks().map(Arc::downgrade).collect(),
            positions: hooks().map(|hook| Arc::as_ptr(hook).addr()).zip(0..).collect(),
            digest: digest_of(list_hooks::<Cow<'_, str>>(chains.clone(), 0, 0)),
        }
    }

    /// Whether these are the chains. A hook at the same address is the same one, because it cannot be changed.
    fn is_of<'c>(&self, chains: impl IntoIterator<Item = &'c Chain> + Clone) -> bool {
        let hooks = || chains.clone().into_iter().flat_map(|chain| &chain.hooks);
        chains.clone().into_iter().map(ListedChain::new).collect::<Vec<_>>() == self.chains
            && hooks().zip(&self.hooks).all(|(hook, known)| ptr::eq(Arc::as_ptr(hook), known.as_ptr()))
    }
}

/// The hooks of chains as they are recorded, with numbers from the first ones.
fn list_hooks<'c, S: From<&'c str> + From<String>>(
    chains: impl IntoIterator<Item = &'c Chain>,
    first_entry: u64,
    first_chain: u64,
) -> impl Iterator<Item = LoadedHook<S>> {
    let hooks = (first_chain..)
        .zip(chains)
        .flat_map(|(number, chain)| chain.hooks.iter().map(move |hook| (number, chain, hook)));
    (first_entry..).zip(hooks).map(|(entry, (number, chain, hook))| LoadedHook::new(entry, number, chain, hook))
}

/// A digest of hooks, which are written one after the other: a process that loads many only compares them.
fn digest_of<S: Serialize>(hooks: impl IntoIterator<Item = impl Borrow<LoadedHook<S>>>) -> String {
    let (mut hasher, mut line) = (Sha256::new(), Vec::new());
    for hook in hooks {
        line.clear();
        // Writing to memory does not fail.
        let _ = serde_json::to_writer(&mut line, hook.borrow());
        hasher.update(&line);
    }
    to_hex(&hasher.finalize())
}
