//! Running agents.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::RwLock;
use pintle_host::HookOverlay;
use pintle_host::contract::{AgentSpec, ModelSpec};
use pintle_host::event::agent_switch::AgentModel;

use super::session::SessionContext;
use super::tool::Tool;
use super::toolbox::Toolbox;
use crate::model::{Model, ModelTool};
use crate::session_state::{ChildLimiter, DelegationBounds};

/// A running agent.
#[derive(Debug)]
pub(crate) struct Agent {
    pub(crate) shared: Arc<SessionContext>,
    pub(crate) spec: Arc<AgentSpec>,
    pub(crate) model: Arc<dyn Model>,
    pub(crate) depth: u32,
    /// Team members that wait for this agent, outermost caller first.
    pub(crate) waiting_callers: Vec<String>,
    /// The hook chains of this agent and, outside a team, of every agent above it.
    pub(crate) overlay: Arc<HookOverlay>,
    pub(crate) bounds: DelegationBounds,
    pub(crate) slots: ChildLimiter,
    /// The maximum number of model calls in one turn.
    pub(crate) max_iterations: u32,
    /// The number of the current or last turn.
    pub(crate) turn: AtomicU32,
    toolbox: RwLock<Arc<Toolbox>>,
    agents: RwLock<Vec<Arc<AgentSpec>>>,
    fallbacks: Vec<OnceLock<Result<Arc<dyn Model>, String>>>,
}

/// The parts of an agent that do not come from its declaration.
pub(crate) struct AgentParts {
    pub(crate) shared: Arc<SessionContext>,
    pub(crate) model: Arc<dyn Model>,
    pub(crate) depth: u32,
    pub(crate) waiting_callers: Vec<String>,
    pub(crate) overlay: Arc<HookOverlay>,
    pub(crate) bounds: DelegationBounds,
    pub(crate) max_iterations: u32,
    pub(crate) toolbox: Toolbox,
    pub(crate) agents: Vec<Arc<AgentSpec>>,
}

impl Agent {
    pub(crate) fn new(spec: Arc<AgentSpec>, parts: AgentParts) -> Arc<Self> {
        let AgentParts { shared, model, depth, waiting_callers, overlay, bounds, max_iterations, toolbox, agents } =
            parts;
        Arc::new(Self {
            shared,
            model,
            depth,
            waiting_callers,
            overlay,
            slots: ChildLimiter::new(bounds.max_concurrent),
            bounds,
            max_iterations,
            turn: AtomicU32::new(0),
            toolbox: RwLock::new(Arc::new(toolbox)),
            agents: RwLock::new(agents),
            fallbacks: spec.fallback_models.iter().map(|_| OnceLock::new()).collect(),
            spec,
        })
    }

    /// The models the agent may use, in order of preference.
    pub(crate) fn models(&self) -> Vec<AgentModel> {
        let known = self.spec.model.iter().chain(&self.spec.fallback_models);
        let model = |spec: &ModelSpec| AgentModel {
            provider: spec.provider.clone(),
            model: spec.name.clone(),
            base_url: spec.base_url.clone(),
            unload_url: None,
        };
        known.map(model).collect()
    }

    /// The fallback model at this index, opened on first use.
    pub(crate) fn fallback(&self, index: usize) -> Option<Result<Arc<dyn Model>, String>> {
        let spec = self.spec.fallback_models.get(index)?;
        let open = self.shared.open_model.as_ref()?;
        let opened = || open(spec).map_err(|error| format!("model `{}` cannot be opened: {error}", spec.name));
        Some(self.fallbacks.get(index)?.get_or_init(opened).clone())
    }

    pub(crate) fn toolbox(&self) -> Arc<Toolbox> {
        Arc::clone(&self.toolbox.read())
    }

    pub(crate) fn tool(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.toolbox().get(name).cloned()
    }

    pub(crate) fn allows(&self, name: &str) -> bool {
        self.toolbox().allows(name)
    }

    pub(crate) fn missing_tool_message(&self, name: &str) -> String {
        self.toolbox().missing_tool_message(name)
    }

    pub(crate) fn definitions(&self) -> Vec<ModelTool> {
        self.toolbox().definitions()
    }

    /// Adds a tool at run time.
    pub(crate) fn add_tool(&self, tool: Arc<dyn Tool>) {
        let mut toolbox = self.toolbox.write();
        Arc::make_mut(&mut toolbox).add(tool);
    }

    /// The agents it may delegate to, by name.
    pub(crate) fn agents(&self) -> Vec<Arc<AgentSpec>> {
        self.agents.read().clone()
    }

    /// Adds an agent to delegate to, or replaces the one of the same name.
    pub(crate) fn add_agent(&self, spec: AgentSpec) {
        let mut agents = self.agents.write();
        agents.retain(|known| known.name != spec.name);
        agents.push(Arc::new(spec));
    }

    /// The number of the current or last turn, from 1; 0 before the first.
    pub(crate) fn turn_number(&self) -> u32 {
        self.turn.load(Ordering::Relaxed)
    }
}
