//! The current hooks of a runtime and of its agents.

use std::collections::HashMap;
use std::sync::Arc;

use pintle_contract::{AgentSpec, Chain, Diagnostic, Hook, Layer, Severity, SourceTrust};
use pintle_engine::HookSet;

use crate::{HookOverlay, LoadedRuntime, Runtime};

/// The current hooks of a runtime and of its agents.
#[derive(Debug)]
pub struct CurrentHooks<'r> {
    pub(super) runtime: &'r Runtime,
    base_set: Arc<HookSet>,
    agents: HashMap<String, Arc<HookSet>>,
}

impl<'r> CurrentHooks<'r> {
    /// The current hooks of a runtime, without those of agents.
    #[must_use]
    pub fn new(runtime: &'r Runtime) -> Self {
        Self { runtime, base_set: runtime.hooks(), agents: HashMap::new() }
    }

    /// The hooks of a runtime and of its agents, with the errors from compiling the agents' hooks. A child agent runs
    /// under its own hooks and those of its parent.
    #[must_use]
    pub fn from_built(built: &'r LoadedRuntime) -> (Self, Vec<Diagnostic>) {
        let mut current = Self::new(&built.runtime);
        let mut errors = Vec::new();
        let none = HookOverlay::default();
        if let Some(agent) = &built.agent {
            current.add_agent(agent, &none, &mut errors);
        }
        for agent in built.team.iter().flat_map(|team| &team.agents) {
            current.add_agent(agent, &none, &mut errors);
        }
        (current, errors)
    }

    fn add_agent(&mut self, agent: &AgentSpec, parent: &HookOverlay, errors: &mut Vec<Diagnostic>) {
        let (chains, diagnostics) =
            self.runtime.compile_chains(&format!("agent {}", agent.name), Layer::Agent, &agent.hooks);
        errors.extend(diagnostics.into_iter().filter(|diagnostic| diagnostic.severity == Severity::Error));
        let overlay = parent.with_chains(chains);
        for child in &agent.agents {
            self.add_agent(child, &overlay, errors);
        }
        let set = overlay.apply_to(Arc::clone(&self.base_set));
        self.agents.entry(agent.name.clone()).or_insert(set);
    }

    /// The same hooks, with the recorded trust for all but managed and user hooks. Their verdicts are only
    /// compared, not enforced, so it does not matter whether the user trusts their current version.
    pub(super) fn with_source_trust(&self, source_trust: SourceTrust) -> Self {
        self.map_hooks(|chain, hook| match chain.layer < Layer::Project {
            true => Arc::clone(hook),
            false => Arc::new(Hook { source_trust, ..Hook::clone(hook) }),
        })
    }

    /// The same hooks, each as `map` returns it.
    pub(crate) fn map_hooks(&self, map: impl Fn(&Chain, &Arc<Hook>) -> Arc<Hook>) -> Self {
        let map_set = |set: &Arc<HookSet>| {
            let chain = |chain: &Chain| Chain {
                hooks: chain.hooks.iter().map(|hook| map(chain, hook)).collect(),
                ..chain.clone()
            };
            Arc::new(HookSet::new(set.chains().iter().map(chain).collect()))
        };
        let agents = self.agents.iter().map(|(name, set)| (name.clone(), map_set(set))).collect();
        Self { runtime: self.runtime, base_set: map_set(&self.base_set), agents }
    }

    /// The sets of the runtime and of its agents.
    pub(crate) fn sets(&self) -> impl Iterator<Item = &Arc<HookSet>> {
        std::iter::once(&self.base_set).chain(self.agents.values())
    }

    /// The hooks that an agent runs under.
    pub(crate) fn hooks_for_agent(&self, agent: &str) -> Arc<HookSet> {
        Arc::clone(self.agents.get(agent).unwrap_or(&self.base_set))
    }
}
