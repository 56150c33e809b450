//! One agent at work, and what all agents of a session share.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use pintle::{AgentSpec, Cancel, Diagnostic, ExitMode, Layer, MetaSpec, ModelSpec, Overlay, Runtime, Severity};

use crate::delegation::{self, Bounds, Slots};
use crate::meta::Registered;
use crate::model::{Model, ModelError, ToolDefinition};
use crate::observe::Observer;
use crate::session::Sleeper;
use crate::tools::{Done, Policies, StarlarkTool, Tool, Toolbox, told};
use crate::workspace::Workspace;

/// Opens the model of an agent that declares one of its own.
pub type OpenModel = dyn Fn(&ModelSpec) -> Result<Arc<dyn Model>, ModelError> + Send + Sync;

/// What all agents of a session share.
pub(crate) struct Shared {
    pub(crate) runtime: Arc<Runtime>,
    pub(crate) workspace: Workspace,
    pub(crate) observer: Arc<dyn Observer>,
    pub(crate) cancel: Cancel,
    pub(crate) sleeper: Arc<dyn Sleeper>,
    pub(crate) open_model: Option<Box<OpenModel>>,
    pub(crate) session: String,
    /// What was registered while running, against the limits of the first agent.
    pub(crate) registered: Registered,
    /// Whether and how far agents may change themselves: the first agent's word counts for all.
    pub(crate) meta: MetaSpec,
    pub(crate) background: delegation::Background,
    numbers: AtomicU64,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("session", &self.session).finish_non_exhaustive()
    }
}

/// Everything [`Shared`] is made of that somebody chooses.
pub(crate) struct Choices {
    pub(crate) runtime: Arc<Runtime>,
    pub(crate) workspace: Workspace,
    pub(crate) observer: Arc<dyn Observer>,
    pub(crate) cancel: Cancel,
    pub(crate) sleeper: Arc<dyn Sleeper>,
    pub(crate) open_model: Option<Box<OpenModel>>,
    pub(crate) session: String,
    pub(crate) meta: MetaSpec,
}

impl Shared {
    pub(crate) fn new(choices: Choices) -> Self {
        let Choices { runtime, workspace, observer, cancel, sleeper, open_model, session, meta } = choices;
        Self {
            runtime,
            workspace,
            observer,
            cancel,
            sleeper,
            open_model,
            session,
            registered: Registered::default(),
            meta,
            background: delegation::Background::default(),
            numbers: AtomicU64::new(0),
        }
    }

    /// A name that nothing else in the session has, such as `delegation_3`.
    pub(crate) fn unique(&self, kind: &str) -> String {
        format!("{kind}_{}", self.numbers.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

/// One agent at work.
#[derive(Debug)]
pub(crate) struct Agent {
    pub(crate) shared: Arc<Shared>,
    pub(crate) spec: Arc<AgentSpec>,
    pub(crate) model: Arc<dyn Model>,
    pub(crate) depth: u32,
    /// The chains of this agent and of every agent above it.
    pub(crate) overlay: Arc<Overlay>,
    pub(crate) bounds: Bounds,
    pub(crate) slots: Slots,
    /// Model calls that a turn may make.
    pub(crate) max_iterations: u32,
    /// The turn that runs or ran last.
    pub(crate) turn: AtomicU32,
    toolbox: RwLock<Arc<Toolbox>>,
    agents: RwLock<Vec<Arc<AgentSpec>>>,
}

impl Agent {
    /// The agent that a person talks to.
    ///
    /// # Errors
    /// When its tools or hooks do not compile.
    pub(crate) fn root(
        shared: Arc<Shared>,
        spec: AgentSpec,
        model: Arc<dyn Model>,
        more: Vec<Arc<dyn Tool>>,
    ) -> Result<Arc<Self>, String> {
        let policies = Policies::default().and(&spec.policy)?;
        let overlay = own_overlay(&shared.runtime, &spec, &Overlay::default())?;
        let bounds = Bounds::of(&spec.delegation);
        let max_iterations = spec.exit.max_iterations;
        let mut toolbox = Toolbox::new(policies).with_native();
        for tool in more {
            toolbox.add(tool);
        }
        let agent = Place { shared, model, depth: 0, overlay, bounds, max_iterations };
        agent.settle(spec, toolbox)
    }

    /// An agent below another one. It runs under every hook and every policy of those above it, and its own.
    ///
    /// # Errors
    /// When its tools or hooks do not compile, or its model cannot be opened.
    pub(crate) fn child(
        parent: &Self,
        mut spec: AgentSpec,
        toolbox: impl FnOnce(Policies) -> Result<Toolbox, String>,
    ) -> Result<Arc<Self>, String> {
        let shared = Arc::clone(&parent.shared);
        let policies = parent.toolbox().policies().and(&spec.policy)?;
        let overlay = own_overlay(&shared.runtime, &spec, &parent.overlay)?;
        let model = match (&spec.model, &shared.open_model) {
            (Some(model), Some(open)) if !model.provider.is_empty() => {
                open(model).map_err(|fault| fault.to_string())?
            }
            _ => Arc::clone(&parent.model),
        };
        if spec.model.is_none() {
            spec.model = parent.spec.model.clone();
        }
        let depth = parent.depth + 1;
        let bounds = parent.bounds.below(&spec.delegation);
        let max_iterations = parent.bounds.iterations(depth).min(spec.exit.max_iterations);
        let place = Place { shared, model, depth, overlay, bounds, max_iterations };
        place.settle(spec, toolbox(policies)?)
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

    pub(crate) fn not_found(&self, name: &str) -> String {
        self.toolbox().not_found(name)
    }

    pub(crate) fn definitions(&self) -> Vec<ToolDefinition> {
        self.toolbox().definitions()
    }

    /// Adds a tool while running.
    pub(crate) fn add_tool(&self, tool: Arc<dyn Tool>) {
        let mut toolbox = self.toolbox.write().unwrap_or_else(PoisonError::into_inner);
        Arc::make_mut(&mut toolbox).add(tool);
    }

    /// The agents it may delegate to, by name.
    pub(crate) fn agents(&self) -> Vec<Arc<AgentSpec>> {
        self.agents.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Adds an agent to delegate to, in the place of one of the same name.
    pub(crate) fn add_agent(&self, spec: AgentSpec) {
        let mut agents = self.agents.write().unwrap_or_else(PoisonError::into_inner);
        agents.retain(|known| known.name != spec.name);
        agents.push(Arc::new(spec));
    }

    /// The turn that runs or ran last, from 1; 0 before the first.
    pub(crate) fn turn_number(&self) -> u32 {
        self.turn.load(Ordering::Relaxed)
    }
}

/// An agent that lacks only what its declaration says.
struct Place {
    shared: Arc<Shared>,
    model: Arc<dyn Model>,
    depth: u32,
    overlay: Arc<Overlay>,
    bounds: Bounds,
    max_iterations: u32,
}

impl Place {
    fn settle(self, spec: AgentSpec, mut toolbox: Toolbox) -> Result<Arc<Agent>, String> {
        for tool in &spec.tools {
            toolbox.add(StarlarkTool::compile(&self.shared.runtime, tool)?);
        }
        if matches!(spec.exit.mode, ExitMode::DoneTool | ExitMode::Hybrid) {
            toolbox.add(Arc::new(Done::new()));
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
            overlay: self.overlay,
            slots: Slots::new(self.bounds.max_concurrent),
            bounds: self.bounds,
            max_iterations: self.max_iterations,
            turn: AtomicU32::new(0),
            toolbox: RwLock::new(Arc::new(toolbox)),
            agents,
            spec: Arc::new(spec),
        }))
    }
}

/// The chains above and, behind them, the agent's own hooks.
fn own_overlay(runtime: &Runtime, spec: &AgentSpec, above: &Overlay) -> Result<Arc<Overlay>, String> {
    if spec.hooks.is_empty() {
        return Ok(Arc::new(above.with([])));
    }
    let (chains, found) = runtime.compile_chains(&format!("agent {}", spec.name), Layer::Agent, &spec.hooks);
    let faults: Vec<Diagnostic> = found.into_iter().filter(|found| found.severity == Severity::Error).collect();
    if faults.is_empty() {
        if let Some(tape) = runtime.tape() {
            tape.hooks(&chains);
        }
        Ok(Arc::new(above.with(chains)))
    } else {
        Err(format!("hooks of agent `{}` do not compile: {}", spec.name, told(&faults)))
    }
}
