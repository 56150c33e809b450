//! Creates agents with their tools and hooks.

use std::sync::Arc;

use pintle_host::HookOverlay;
use pintle_host::contract::{AgentSpec, ExitMode};
use pintle_host::{Diagnostic, Layer, Runtime, Severity};

use super::tool;
use crate::model::Model;
use crate::session_state::DelegationBounds;
use crate::tools::native::add_native_tools;
use crate::tools::{DoneTool, StarlarkTool, join_diagnostics};
use crate::turn_context::{Agent, AgentParts, SessionContext, Tool, ToolPolicies, Toolbox};

/// Creates the agent that talks to the user, outside of a team.
///
/// # Errors
/// When its tools or hooks do not compile.
pub(crate) fn new_root(
    shared: Arc<SessionContext>,
    spec: Arc<AgentSpec>,
    model: Arc<dyn Model>,
    more: Vec<Arc<dyn Tool>>,
) -> Result<Arc<Agent>, String> {
    let bounds = DelegationBounds::from_spec(&spec.delegation);
    let overlay = share_overlay(&shared.runtime, &spec)?;
    let max_iterations = spec.exit.max_iterations;
    let mut toolbox = Toolbox::new(ToolPolicies::default().narrowed_by(&spec.policy)?);
    add_native_tools(&mut toolbox);
    for tool in more {
        toolbox.add(tool);
    }
    let (depth, waiting_callers, agents) = (0, Vec::new(), spec.agents.clone());
    build(spec, AgentParts { shared, model, depth, waiting_callers, overlay, bounds, max_iterations, toolbox, agents })
}

/// Creates a child agent. It runs under its own hooks and policies and those of every agent above it.
///
/// # Errors
/// When its tools or hooks do not compile, or its model cannot be opened.
pub(super) fn new_child(
    parent: &Agent,
    mut spec: AgentSpec,
    toolbox: impl FnOnce(ToolPolicies) -> Toolbox,
) -> Result<Arc<Agent>, String> {
    let shared = Arc::clone(&parent.shared);
    let policies = parent.toolbox().policies().narrowed_by(&spec.policy)?;
    let overlay = compile_overlay(&shared.runtime, &spec, &parent.overlay)?;
    let model = match (&spec.model, &shared.open_model) {
        (Some(model), Some(open)) if !model.provider.is_empty() => open(model).map_err(|error| error.to_string())?,
        _ => Arc::clone(&parent.model),
    };
    if spec.model.is_none() {
        spec.model = parent.spec.model.clone();
    }
    let depth = parent.depth + 1;
    let bounds = parent.bounds.for_child(&spec.delegation);
    let max_iterations = parent.bounds.iterations(depth).min(spec.exit.max_iterations);
    let (toolbox, waiting_callers, agents) = (toolbox(policies), Vec::new(), spec.agents.clone());
    build(
        Arc::new(spec),
        AgentParts { shared, model, depth, waiting_callers, overlay, bounds, max_iterations, toolbox, agents },
    )
}

fn build(spec: Arc<AgentSpec>, mut parts: AgentParts) -> Result<Arc<Agent>, String> {
    let toolbox = &mut parts.toolbox;
    for tool in &spec.tools {
        toolbox.add(StarlarkTool::compile(&parts.shared.runtime, tool)?);
    }
    if matches!(spec.exit.mode, ExitMode::DoneTool | ExitMode::Hybrid) {
        toolbox.add(Arc::new(DoneTool::new(toolbox.get(DoneTool::NAME).cloned())));
    }
    if parts.depth < parts.bounds.max_depth {
        for tool in tool::tools(&spec.agents) {
            toolbox.add(tool);
        }
    }
    Ok(Agent::new(spec, parts))
}

/// The hooks of an agent without others above it, which the sessions of the agent share.
pub(crate) fn share_overlay(runtime: &Runtime, spec: &Arc<AgentSpec>) -> Result<Arc<HookOverlay>, String> {
    let overlay = runtime.agent_overlay(spec).map_err(|found| uncompilable(spec, found))?;
    if let Some(tape) = runtime.tape().filter(|_| !spec.hooks.is_empty()) {
        tape.record_agent_hooks(overlay.chains());
    }
    Ok(overlay)
}

fn uncompilable(spec: &AgentSpec, diagnostics: Vec<Diagnostic>) -> String {
    let faults: Vec<Diagnostic> = diagnostics.into_iter().filter(|found| found.severity == Severity::Error).collect();
    format!("hooks of agent `{}` do not compile: {}", spec.name, join_diagnostics(&faults))
}

/// Compiles the agent's own hooks and appends their chains to those of the agents above.
fn compile_overlay(runtime: &Runtime, spec: &AgentSpec, overlay: &HookOverlay) -> Result<Arc<HookOverlay>, String> {
    if spec.hooks.is_empty() {
        return Ok(Arc::new(overlay.with_chains([])));
    }
    let (chains, found) = runtime.compile_chains(&format!("agent {}", spec.name), Layer::Agent, &spec.hooks);
    if found.iter().any(|found| found.severity == Severity::Error) {
        return Err(uncompilable(spec, found));
    }
    if let Some(tape) = runtime.tape() {
        tape.record_agent_hooks(&chains);
    }
    Ok(Arc::new(overlay.with_chains(chains)))
}
