//! Numbers the hooks on a tape.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ptr;
use std::sync::{Arc, Weak};

use pintle_contract::{Chain, Hook, HookId, Layer, Profile, to_hex};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::record::{HookScope, HooksRecord, LoadedHook};

/// Numbers hooks and chains over a whole tape.
#[derive(Debug, Default)]
pub(crate) struct HookNumbering {
    next_entry: u64,
    next_chain: u64,
    /// By the address of the hook, which distinguishes hooks of the same name and is cheap to look up.
    hooks_by_address: HashMap<usize, NumberedHook>,
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
        if let Some(before) = self.previous_first_hooks.take() {
            let next = self.next_numbers();
            (self.next_entry, self.next_chain) = (before.entry, before.chain);
            let mut digest = HooksDigest::default();
            self.number_each(chains.clone(), |hook: LoadedHook<Cow<'_, str>>| digest.add(&hook));
            if digest.finish() == before.digest {
                self.first_hooks = Some(before);
                // Other hooks may follow them.
                self.next_entry = self.next_entry.max(next.0);
                self.next_chain = self.next_chain.max(next.1);
                return None;
            }
            (self.next_entry, self.next_chain) = next;
        }
        let (entry, chain) = self.next_numbers();
        let loaded = self.number_hooks(HookScope::Runtime, chains);
        if self.first_hooks.is_none() {
            self.first_hooks = Some(FirstHooks { entry, chain, digest: digest_of(&loaded) });
        }
        Some(loaded)
    }

    /// The number of a hook; `None` if it was never recorded.
    pub(crate) fn number_of(&self, hook: &Hook) -> Option<u64> {
        let known = self.hooks_by_address.get(&ptr::from_ref(hook).addr())?;
        (known.id == hook.id).then_some(known.entry)
    }

    /// Numbers the hooks of chains, in order.
    pub(crate) fn number_hooks<'c>(
        &mut self,
        scope: HookScope,
        chains: impl IntoIterator<Item = &'c Chain>,
    ) -> HooksRecord {
        let mut hooks = Vec::new();
        self.number_each(chains, |hook| hooks.push(hook));
        HooksRecord { scope, hooks }
    }

    fn number_each<'c, S: From<&'c str> + From<String>>(
        &mut self,
        chains: impl IntoIterator<Item = &'c Chain>,
        mut add: impl FnMut(LoadedHook<S>),
    ) {
        for chain in chains {
            self.hooks_by_address.reserve(chain.hooks.len());
            for hook in &chain.hooks {
                add(self.add_entry(chain, hook, Arc::downgrade(hook)));
            }
            self.next_chain += 1;
        }
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
        let mut move_to = |entry: u64, chain: u64| {
            let mut moved = record.clone();
            for hook in &mut moved.hooks {
                hook.entry = hook.entry.saturating_sub(old_entry).saturating_add(entry);
                hook.chain = hook.chain.saturating_sub(old_chain).saturating_add(chain);
            }
            let numbers = record.hooks.iter().zip(&moved.hooks);
            entries.extend(numbers.map(|(old, new)| (old.entry, new.entry)));
            moved
        };
        if let Some(known) = self.first_hooks().filter(|_| record.scope == HookScope::Runtime)
            && digest_of(&move_to(known.entry, known.chain)) == known.digest
        {
            return false;
        }
        let (entry, chain) = self.next_numbers();
        let moved = move_to(entry, chain);
        if let Some(last) = moved.hooks.last() {
            (self.next_entry, self.next_chain) = (last.entry.saturating_add(1), last.chain.saturating_add(1));
        }
        if moved.scope == HookScope::Runtime {
            self.first_hooks = Some(FirstHooks { entry, chain, digest: digest_of(&moved) });
        }
        *record = moved;
        true
    }

    fn add_entry<'h, S: From<&'h str> + From<String>>(
        &mut self,
        chain: &'h Chain,
        hook: &'h Hook,
        address: Weak<Hook>,
    ) -> LoadedHook<S> {
        let entry = self.next_entry;
        self.next_entry += 1;
        let known = NumberedHook { entry, id: hook.id.clone(), _address: address };
        self.hooks_by_address.insert(ptr::from_ref(hook).addr(), known);
        LoadedHook::new(entry, self.next_chain, chain, hook)
    }
}

/// A digest of hooks, which are written one after the other: a process that loads many only compares them.
#[derive(Debug, Default)]
struct HooksDigest {
    hasher: Sha256,
    line: Vec<u8>,
}

impl HooksDigest {
    fn add<S: Serialize>(&mut self, hook: &LoadedHook<S>) {
        self.line.clear();
        // Writing to memory does not fail.
        let _ = serde_json::to_writer(&mut self.line, hook);
        self.hasher.update(&self.line);
    }

    fn finish(self) -> String {
        to_hex(&self.hasher.finalize())
    }
}

fn digest_of(record: &HooksRecord) -> String {
    let mut digest = HooksDigest::default();
    record.hooks.iter().for_each(|hook| digest.add(hook));
    digest.finish()
}
