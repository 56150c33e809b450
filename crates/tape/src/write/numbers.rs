//! The numbers of hooks in a tape.

use std::collections::HashMap;
use std::ptr;
use std::sync::{Arc, Weak};

use pintle_contract::{Chain, Hook, HookId, Layer, Profile};

use crate::record::{HookEntry, Loaded, Scope};

/// Numbers hooks and chains over a whole tape.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    next_entry: u64,
    next_chain: u64,
    /// By the address of the hook, which tells hooks of one name apart and costs nothing to find.
    known: HashMap<usize, Known>,
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
        Self { next_entry, next_chain, known: HashMap::new() }
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
