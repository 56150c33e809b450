//! The hooks of one agent, combined with those of the runtime.

use std::sync::{Arc, Mutex, PoisonError};

use pintle_contract::Chain;
use pintle_engine::HookSet;

/// An agent's own chains, added to the chains of the runtime.
///
/// The runtime's set can grow while an agent runs; the overlay then rebuilds the combined set.
#[derive(Debug, Default)]
pub struct HookOverlay {
    chains: Vec<Chain>,
    cached_set: Mutex<Option<(Arc<HookSet>, Arc<HookSet>)>>,
}

impl HookOverlay {
    /// Creates an overlay of these chains.
    #[must_use]
    pub fn new(chains: Vec<Chain>) -> Self {
        Self { chains, cached_set: Mutex::new(None) }
    }

    /// Creates an overlay of these chains and further ones, for a child agent.
    #[must_use]
    pub fn with_chains(&self, chains: impl IntoIterator<Item = Chain>) -> Self {
        Self::new(self.chains.iter().cloned().chain(chains).collect())
    }

    /// The agent's own chains.
    #[must_use]
    pub fn chains(&self) -> &[Chain] {
        &self.chains
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.chains.is_empty()
    }

    pub(crate) fn apply_to(&self, base: Arc<HookSet>) -> Arc<HookSet> {
        if self.is_empty() {
            return base;
        }
        let mut joined = self.cached_set.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, set)) = joined.as_ref()
            && Arc::ptr_eq(known, &base)
        {
            return Arc::clone(set);
        }
        let set = Arc::new(base.with_chains(self.chains.iter().cloned()));
        *joined = Some((base, Arc::clone(&set)));
        set
    }
}
