//! The numbers of hooks in a tape.

use std::collections::HashMap;
use std::ptr;
use std::sync::{Arc, Weak};

use pintle_contract::{Chain, Hook, HookId, Layer, Profile};
use serde::{Deserialize, Serialize};

use crate::line::digest;
use crate::record::{HookEntry, Loaded, Scope};

/// Numbers hooks and chains over a whole tape.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    next_entry: u64,
    next_chain: u64,
    /// By the address of the hook, which tells hooks of one name apart and costs nothing to find.
    known: HashMap<usize, Known>,
    /// The hooks that the tape before this process ends with, until this process has recorded its own.
    before: Option<Standing>,
    /// The hooks that this process recorded first, or found recorded.
    standing: Option<Standing>,
}

/// The hooks that a process recorded first: where their numbers begin, and what they are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Standing {
    entry: u64,
    chain: u64,
    digest: String,
}

#[derive(Debug)]
struct Known {
    entry: u64,
    id: HookId,
    /// Keeps the address from being given to another hook.
    _address: Weak<Hook>,
}

impl Numbers {
    /// Goes on behind the hooks of a tape.
    pub(crate) fn after(next_entry: u64, next_chain: u64) -> Self {
        Self { next_entry, next_chain, ..Self::default() }
    }

    /// The same, knowing which hooks the tape ends with.
    pub(crate) fn behind(self, standing: Option<Standing>) -> Self {
        Self { before: standing, ..self }
    }

    /// The numbers of the next hook and the next chain.
    pub(crate) fn next(&self) -> (u64, u64) {
        (self.next_entry, self.next_chain)
    }

    /// The hooks that this process recorded first, or those before when it recorded none.
    pub(crate) fn standing(&self) -> Option<&Standing> {
        self.standing.as_ref().or(self.before.as_ref())
    }

    /// Numbers the hooks of the runtime. Gives nothing to be recorded when they are those that the tape ends with.
    pub(crate) fn stand<'c>(&mut self, chains: impl IntoIterator<Item = &'c Chain> + Clone) -> Option<Loaded> {
        if let Some(before) = self.before.take() {
            let next = self.next();
            (self.next_entry, self.next_chain) = (before.entry, before.chain);
            let again = self.load(Scope::Runtime, chains.clone());
            if digest_of(&again) == before.digest {
                self.standing = Some(before);
                // Others may stand behind them.
                self.next_entry = self.next_entry.max(next.0);
                self.next_chain = self.next_chain.max(next.1);
                return None;
            }
            (self.next_entry, self.next_chain) = next;
        }
        let (entry, chain) = self.next();
        let loaded = self.load(Scope::Runtime, chains);
        if self.standing.is_none() {
            self.standing = Some(Standing { entry, chain, digest: digest_of(&loaded) });
        }
        Some(loaded)
    }

    /// The number of a hook; `None` for one that was never recorded.
    pub(crate) fn of(&self, hook: &Hook) -> Option<u64> {
        let known = self.known.get(&ptr::from_ref(hook).addr())?;
        (known.id == hook.id).then_some(known.entry)
    }

    /// Numbers the hooks of chains, in their order.
    pub(crate) fn load<'c>(&mut self, scope: Scope, chains: impl IntoIterator<Item = &'c Chain>) -> Loaded {
        let mut hooks = Vec::new();
        for chain in chains {
            for hook in &chain.hooks {
                hooks.push(self.entry(chain, hook, Arc::downgrade(hook)));
            }
            self.next_chain += 1;
        }
        Loaded { scope, hooks }
    }

    /// Numbers a hook that the host asked without ever saying that it was there. It is taken for one of an agent, in a
    /// chain of its own.
    pub(crate) fn stranger(&mut self, hook: &Hook) -> Loaded {
        let chain = Chain {
            source: hook.location.path().map_or_else(String::new, |path| path.display().to_string()).into(),
            dialect: "",
            layer: Layer::Agent,
            profile: Profile::SequentialFirstDeny,
            hooks: Vec::new(),
        };
        let entry = self.entry(&chain, hook, Weak::new());
        self.next_chain += 1;
        Loaded { scope: Scope::Agent, hooks: vec![entry] }
    }

    fn entry(&mut self, chain: &Chain, hook: &Hook, address: Weak<Hook>) -> HookEntry {
        let entry = self.next_entry;
        self.next_entry += 1;
        let known = Known { entry, id: hook.id.clone(), _address: address };
        self.known.insert(ptr::from_ref(hook).addr(), known);
        HookEntry::new(entry, self.next_chain, chain, hook)
    }
}

fn digest_of(loaded: &Loaded) -> String {
    digest(&serde_json::to_vec(loaded).unwrap_or_default())
}
