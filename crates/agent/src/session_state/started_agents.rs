//! The agents whose `session.start` hooks have run.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The names of the agents whose `session.start` hooks have run.
#[derive(Debug, Default)]
pub(crate) struct StartedAgents(Mutex<BTreeSet<String>>);

impl StartedAgents {
    /// Registers that an agent's hooks run.
    pub(crate) fn add(&self, agent: &str) {
        self.lock_names().insert(agent.to_owned());
    }

    /// Whether an agent's hooks have run.
    pub(crate) fn contains(&self, agent: &str) -> bool {
        self.lock_names().contains(agent)
    }

    /// Forgets all agents, because another session begins.
    pub(crate) fn clear(&self) {
        self.lock_names().clear();
    }

    fn lock_names(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
