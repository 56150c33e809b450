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
        let with_trust = |set: &Arc<HookSet>| {
            let chain = |chain: &Chain| {
                if chain.layer < Layer::Project {
                    return chain.clone();
                }
                let hook = |hook: &Arc<Hook>| Arc::new(Hook { source_trust, ..Hook::clone(hook) });
                Chain { hooks: chain.hooks.iter().map(hook).collect(), ..chain.clone() }
            };
            Arc::new(HookSet::new(set.chains().iter().map(chain).collect()))
        };
        let agents = self.agents.iter().map(|(name, set)| (name.clone(), with_trust(set))).collect();
        Self { runtime: self.runtime, base_set: with_trust(&self.base_set), agents }
    }

    /// The hooks that an agent runs under.
    pub(super) fn hooks_for_agent(&self, agent: &str) -> Arc<HookSet> {
        Arc::clone(self.agents.get(agent).unwrap_or(&self.base_set))
    }
}
