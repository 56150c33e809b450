//! The agents whose `session.start` hooks have run.

use std::collections::BTreeSet;

use parking_lot::Mutex;

/// The names of the agents whose `session.start` hooks have run.
#[derive(Debug, Default)]
pub(crate) struct StartedAgents(Mutex<BTreeSet<String>>);

impl StartedAgents {
    /// Registers that an agent's hooks run.
    pub(crate) fn add(&self, agent: &str) {
        self.0.lock().insert(agent.to_owned());
    }

    /// Whether an agent's hooks have run.
    pub(crate) fn contains(&self, agent: &str) -> bool {
        self.0.lock().contains(agent)
    }

    /// Forgets all agents, because another session begins.
    pub(crate) fn clear(&self) {
        self.0.lock().clear();
    }
}
