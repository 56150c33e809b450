//! Running agents.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use pintle::event::agent_switch::AgentModel;
use pintle::{AgentSpec, Diagnostic, ExitMode, HookOverlay, Layer, ModelSpec, Runtime, Severity};

use crate::delegation::{self, ChildLimiter, DelegationBounds};
use crate::model::{Model, ModelTool};
use crate::session_context::SessionContext;
use crate::team::OpenMember;
use crate::tools::{DoneTool, StarlarkTool, Tool, ToolPolicies, Toolbox, join_diagnostics};

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

impl Agent {
    /// Creates the agent that talks to the user.
    ///
    /// # Errors
    /// When its tools or hooks do not compile.
    pub(crate) fn new_root(
        shared: Arc<SessionContext>,
        spec: AgentSpec,
        model: Arc<dyn Model>,
        more: Vec<Arc<dyn Tool>>,
    ) -> Result<Arc<Self>, String> {
        let bounds = DelegationBounds::from_spec(&spec.delegation);
        if let Some(team) = shared.team.clone().filter(|_| spec.member.is_some()) {
            let member = team.open_first(&shared, spec, model, more)?;
            return Ok(Self::for_member(&member, &shared, 0, Vec::new(), bounds));
        }
        let policies = ToolPolicies::default().narrowed_by(&spec.policy)?;
        let overlay = compile_overlay(&shared.runtime, &spec, &HookOverlay::default())?;
        let max_iterations = spec.exit.max_iterations;
        let mut toolbox = Toolbox::new(policies).with_native();
        for tool in more {
            toolbox.add(tool);
        }
        let agent = AgentSeed { shared, model, depth: 0, overlay, bounds, max_iterations };
        agent.build(spec, toolbox)
    }

    /// Creates a child agent. It runs under its own hooks and policies and those of every agent above it.
    ///
    /// # Errors
    /// When its tools or hooks do not compile, or its model cannot be opened.
    pub(crate) fn new_child(
        parent: &Self,
        mut spec: AgentSpec,
        toolbox: impl FnOnce(ToolPolicies) -> Result<Toolbox, String>,
    ) -> Result<Arc<Self>, String> {
        let shared = Arc::clone(&parent.shared);
        let policies = parent.toolbox().policies().narrowed_by(&spec.policy)?;
        let overlay = compile_overlay(&shared.runtime, &spec, &parent.overlay)?;
        let model = match (&spec.model, &shared.open_model) {
            (Some(model), Some(open)) if !model.provider.is_empty() => {
                open(model).map_err(|error| error.to_string())?
            }
            _ => Arc::clone(&parent.model),
        };
        if spec.model.is_none() {
            spec.model = parent.spec.model.clone();
        }
        let depth = parent.depth + 1;
        let bounds = parent.bounds.for_child(&spec.delegation);
        let max_iterations = parent.bounds.iterations(depth).min(spec.exit.max_iterations);
        let place = AgentSeed { shared, model, depth, overlay, bounds, max_iterations };
        place.build(spec, toolbox(policies)?)
    }

    /// Creates the agent for a team member that replaces another agent in the conversation.
    pub(crate) fn as_successor(other: &Self, member: &OpenMember) -> Arc<Self> {
        Self::for_member(member, &other.shared, other.depth, other.waiting_callers.clone(), other.bounds.clone())
    }

    /// Creates the agent for a team member that works for another agent, which waits.
    pub(crate) fn as_child(parent: &Self, member: &OpenMember) -> Arc<Self> {
        let mut above = parent.waiting_callers.clone();
        above.push(parent.spec.name.clone());
        let bounds = parent.bounds.for_child(&member.spec.delegation);
        Self::for_member(member, &parent.shared, parent.depth + 1, above, bounds)
    }

    fn for_member(
        member: &OpenMember,
        shared: &Arc<SessionContext>,
        depth: u32,
        above: Vec<String>,
        bounds: DelegationBounds,
    ) -> Arc<Self> {
        Arc::new(Self {
            shared: Arc::clone(shared),
            spec: Arc::clone(&member.spec),
            model: Arc::clone(&member.model),
            depth,
            waiting_callers: above,
            overlay: Arc::clone(&member.overlay),
            slots: ChildLimiter::new(bounds.max_concurrent),
            bounds,
            max_iterations: member.spec.exit.max_iterations,
            turn: AtomicU32::new(0),
            toolbox: RwLock::new(Arc::new(member.toolbox.clone())),
            agents: RwLock::default(),
            fallbacks: empty_fallback_slots(&member.spec),
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
        Arc::clone(&self.toolbox.read().unwrap_or_else(PoisonError::into_inner))
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
        let mut toolbox = self.toolbox.write().unwrap_or_else(PoisonError::into_inner);
        Arc::make_mut(&mut toolbox).add(tool);
    }

    /// The agents it may delegate to, by name.
    pub(crate) fn agents(&self) -> Vec<Arc<AgentSpec>> {
        self.agents.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Adds an agent to delegate to, or replaces the one of the same name.
    pub(crate) fn add_agent(&self, spec: AgentSpec) {
        let mut agents = self.agents.write().unwrap_or_else(PoisonError::into_inner);
        agents.retain(|known| known.name != spec.name);
        agents.push(Arc::new(spec));
    }

    /// The number of the current or last turn, from 1; 0 before the first.
    pub(crate) fn turn_number(&self) -> u32 {
        self.turn.load(Ordering::Relaxed)
    }
}

/// The parts of an agent that do not come from its declaration.
struct AgentSeed {
    shared: Arc<SessionContext>,
    model: Arc<dyn Model>,
    depth: u32,
    overlay: Arc<HookOverlay>,
    bounds: DelegationBounds,
    max_iterations: u32,
}

impl AgentSeed {
    fn build(self, spec: AgentSpec, mut toolbox: Toolbox) -> Result<Arc<Agent>, String> {
        for tool in &spec.tools {
            toolbox.add(StarlarkTool::compile(&self.shared.runtime, tool)?);
        }
        if matches!(spec.exit.mode, ExitMode::DoneTool | ExitMode::Hybrid) {
            toolbox.add(Arc::new(DoneTool::new(toolbox.get(DoneTool::NAME).cloned())));
        }
        if self.depth < self.bounds.max_depth {
            for tool in delegation::tools(&spec.agents) {
                toolbox.add(tool);
            }
        }
        let agents = RwLock::new(spec.agents.clone());
        Ok(Arc::new(Agent {
            shared: self.shared,
            model: self.model,
            depth: self.depth,
            waiting_callers: Vec::new(),
            overlay: self.overlay,
            slots: ChildLimiter::new(self.bounds.max_concurrent),
            bounds: self.bounds,
            max_iterations: self.max_iterations,
            turn: AtomicU32::new(0),
            toolbox: RwLock::new(Arc::new(toolbox)),
            agents,
            fallbacks: empty_fallback_slots(&spec),
            spec: Arc::new(spec),
        }))
    }
}

fn empty_fallback_slots(spec: &AgentSpec) -> Vec<OnceLock<Result<Arc<dyn Model>, String>>> {
    spec.fallback_models.iter().map(|_| OnceLock::new()).collect()
}

/// Compiles the agent's own hooks and appends their chains to those of the agents above.
pub(crate) fn compile_overlay(
    runtime: &Runtime,
    spec: &AgentSpec,
    above: &HookOverlay,
) -> Result<Arc<HookOverlay>, String> {
    if spec.hooks.is_empty() {
        return Ok(Arc::new(above.with_chains([])));
    }
    let (chains, found) = runtime.compile_chains(&format!("agent {}", spec.name), Layer::Agent, &spec.hooks);
    let faults: Vec<Diagnostic> = found.into_iter().filter(|found| found.severity == Severity::Error).collect();
    if faults.is_empty() {
        if let Some(tape) = runtime.tape() {
            tape.record_agent_hooks(&chains);
        }
        Ok(Arc::new(above.with_chains(chains)))
    } else {
        Err(format!("hooks of agent `{}` do not compile: {}", spec.name, join_diagnostics(&faults)))
    }
}
