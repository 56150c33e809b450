//! Creates the child agent for a delegation.

use std::sync::Arc;

use pintle_host::contract::{AgentSpec, ModelSpec, suggest_nearest};
use serde_json::Value;

use super::new_agent::new_child;
use super::request::DelegationRequest;
use crate::meta;
use crate::tools::StarlarkTool;
use crate::tools::native::add_native_tools;
use crate::turn_context::{Agent, Tool, ToolPolicies, Toolbox, TurnContext};

/// The name of a child that only the request describes.
const UNNAMED: &str = "delegate";

/// The system prompt of a child that only the request describes, if the request has none.
const INSTRUCTION: &str = "You do one task for another agent. Complete it, then answer with the result.";

/// Creates the agent that a request names or describes.
pub(super) fn create(turn: &TurnContext, request: &DelegationRequest) -> Result<Arc<Agent>, String> {
    let parent = &turn.agent;
    let is_named = !request.agent.is_empty();
    let mut spec = if is_named { find_named(parent, &request.agent)? } else { spec_from_request(request) };
    if spec.agents.is_empty() {
        // A child may delegate to the same agents as its parent, within the depth limit.
        spec.agents = parent.agents();
    }
    if let Some(model) = &request.model {
        let retry = parent.spec.model.as_ref().map(|model| model.retry).unwrap_or_default();
        spec.model = Some(ModelSpec {
            name: model.clone(),
            // Another model of the same provider: a request cannot choose which server to connect to.
            provider: String::new(),
            base_url: None,
            api_key_env: None,
            max_tokens: None,
            temperature: None,
            retry,
        });
    }
    if let Some(prompt) = request.system_prompt.as_ref().filter(|_| is_named) {
        // The declared instruction stays; the request can only add to it.
        spec.instruction = format!("{}\n\n{prompt}", spec.instruction);
    }
    let asked = requested_tools(turn, request)?;
    new_child(parent, spec, |policies| build_toolbox(parent, policies, is_named, asked))
}

fn find_named(parent: &Agent, name: &str) -> Result<AgentSpec, String> {
    let agents = parent.agents();
    if let Some(found) = agents.iter().find(|agent| agent.name == name) {
        return Ok(AgentSpec::clone(found));
    }
    let near = suggest_nearest(name, agents.iter().map(|agent| agent.name.as_str()));
    let hint = match near {
        Some(near) => format!("; did you mean \"{near}\"?"),
        None if agents.is_empty() => String::from("; no agents are declared, leave `agent` out"),
        None => {
            let names: Vec<&str> = agents.iter().map(|agent| agent.name.as_str()).collect();
            format!("; the known agents are {}", names.join(", "))
        }
    };
    Err(format!("agent \"{name}\" not found{hint}"))
}

fn spec_from_request(request: &DelegationRequest) -> AgentSpec {
    AgentSpec {
        name: String::from(UNNAMED),
        instruction: request.system_prompt.clone().unwrap_or_else(|| String::from(INSTRUCTION)),
        ..AgentSpec::default()
    }
}

/// The tools that the request lists; `None` if it does not list any.
fn requested_tools(turn: &TurnContext, request: &DelegationRequest) -> Result<Option<Vec<Arc<dyn Tool>>>, String> {
    if request.tools.is_empty() {
        return Ok(None);
    }
    let tool = |value: &Value| -> Result<Arc<dyn Tool>, String> {
        if let Some(name) = value.as_str() {
            let found = turn.agent.tool(name).filter(|_| turn.agent.allows(name));
            return found.ok_or_else(|| turn.agent.missing_tool_message(name));
        }
        // A tool with a script that the model wrote is registered like any other, under the same checks.
        let spec = meta::prepare_tool(turn, value)?;
        Ok(StarlarkTool::compile(&turn.agent.shared.runtime, &spec)?)
    };
    request.tools.iter().map(tool).collect::<Result<_, _>>().map(Some)
}

/// A named agent has the native tools and its own. A child that only the request describes has the tools that the
/// request lists, by default its parent's. The tool policies of all agents above apply to each of them.
fn build_toolbox(
    parent: &Agent,
    policies: ToolPolicies,
    is_named: bool,
    wanted_tools: Option<Vec<Arc<dyn Tool>>>,
) -> Toolbox {
    let mut toolbox = Toolbox::new(policies);
    if is_named {
        add_native_tools(&mut toolbox);
    }
    let lent = match wanted_tools {
        Some(wanted_tools) => wanted_tools,
        None if is_named => Vec::new(),
        None => {
            parent.toolbox().tools().filter(|tool| !super::tool::is_own(&tool.definition().name)).cloned().collect()
        }
    };
    for tool in lent {
        toolbox.add(tool);
    }
    toolbox
}
