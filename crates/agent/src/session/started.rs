//! Which agents of a session have heard that it started.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The agents whose hooks heard of the session's start, by name.
#[derive(Debug, Default)]
pub(crate) struct StartedAgents(Mutex<BTreeSet<String>>);

impl StartedAgents {
    /// Takes note that an agent's hooks hear of the start.
    pub(super) fn add(&self, agent: &str) {
        self.lock_names().insert(agent.to_owned());
    }

    /// Whether an agent's hooks heard of it.
    pub(super) fn contains(&self, agent: &str) -> bool {
        self.lock_names().contains(agent)
    }

    /// Another session begins, of which nobody has heard.
    pub(super) fn clear(&self) {
        self.lock_names().clear();
    }

    fn lock_names(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
