//! The hooks of today.

use std::collections::HashMap;
use std::sync::Arc;

use pintle_contract::{AgentSpec, Chain, Diagnostic, Hook, Layer, Severity, SourceTrust};
use pintle_engine::HookSet;

use crate::{BuiltRuntime, HookOverlay, Runtime};

/// The hooks of today: those of a runtime, and those of its agents.
#[derive(Debug)]
pub struct CurrentHooks<'r> {
    pub(super) runtime: &'r Runtime,
    base_set: Arc<HookSet>,
    agents: HashMap<String, Arc<HookSet>>,
}

impl<'r> CurrentHooks<'r> {
    /// The hooks that a runtime has now, and no agent's.
    #[must_use]
    pub fn new(runtime: &'r Runtime) -> Self {
        Self { runtime, base_set: runtime.hooks(), agents: HashMap::new() }
    }

    /// The hooks that were loaded with their agents, and what was found while those of the agents were compiled. An agent
    /// that another one declares runs under the hooks of both.
    #[must_use]
    pub fn from_built(built: &'r BuiltRuntime) -> (Self, Vec<Diagnostic>) {
        let mut present = Self::new(&built.runtime);
        let mut found = Vec::new();
        let none = HookOverlay::default();
        if let Some(agent) = &built.agent {
            present.add_agent(agent, &none, &mut found);
        }
        for agent in built.team.iter().flat_map(|team| &team.agents) {
            present.add_agent(agent, &none, &mut found);
        }
        (present, found)
    }

    fn add_agent(&mut self, agent: &AgentSpec, above: &HookOverlay, found: &mut Vec<Diagnostic>) {
        let (chains, diagnostics) =
            self.runtime.compile_chains(&format!("agent {}", agent.name), Layer::Agent, &agent.hooks);
        found.extend(diagnostics.into_iter().filter(|finding| finding.severity == Severity::Error));
        let overlay = above.with_chains(chains);
        for child in &agent.agents {
            self.add_agent(child, &overlay, found);
        }
        let set = overlay.apply_to(Arc::clone(&self.base_set));
        self.agents.entry(agent.name.clone()).or_insert(set);
    }

    /// The same hooks, those of a project with the standing that they had on a tape. What they say is only compared, so it makes no difference
    /// that the user has not agreed to them as they are now.
    pub(super) fn with_standing(&self, standing: SourceTrust) -> Self {
        let with = |set: &Arc<HookSet>| {
            let chain = |chain: &Chain| {
                if chain.layer < Layer::Project {
                    return chain.clone();
                }
                let hook = |hook: &Arc<Hook>| Arc::new(Hook { source_trust: standing, ..Hook::clone(hook) });
                Chain { hooks: chain.hooks.iter().map(hook).collect(), ..chain.clone() }
            };
            Arc::new(HookSet::new(set.chains().iter().map(chain).collect()))
        };
        let agents = self.agents.iter().map(|(name, set)| (name.clone(), with(set))).collect();
        Self { runtime: self.runtime, base_set: with(&self.base_set), agents }
    }

    /// The hooks over an agent.
    pub(super) fn hooks_for_agent(&self, agent: &str) -> Arc<HookSet> {
        Arc::clone(self.agents.get(agent).unwrap_or(&self.base_set))
    }
}
