//! Selecting the agent and its model.

use std::path::Path;
use std::sync::Arc;

use pintle_agent::model::{self, Model, ModelError, ScriptModel};
use pintle_host::LoadedRuntime;
use pintle_host::contract::{AgentSpec, TeamSpec};

use super::model_override::override_models;
use super::models::ScriptedModels;
use super::target::{AGENT_FILE, RunTarget};
use crate::error::CliError;
use crate::options::{AgentOption, read_model_script};

/// An agent with its model.
pub(super) struct AgentSelection {
    pub(super) spec: AgentSpec,
    /// The team that it belongs to.
    pub(super) team: Option<TeamSpec>,
    pub(super) model: Arc<dyn Model>,
    /// The summary of the model's script.
    pub(super) model_notes: String,
    /// The prompts of the model's script.
    pub(super) scripted_prompts: Vec<String>,
}

/// Combines the loaded agent and the named model, either of which may be missing, but not both.
pub(super) fn choose_agent(
    built: &mut LoadedRuntime,
    named: Option<&str>,
    agent: &AgentOption,
    target: &RunTarget,
    models: &ScriptedModels,
) -> Result<AgentSelection, CliError> {
    match built.team.take() {
        Some(team) => choose_member(team, named, agent, models),
        None => {
            agent.select_agent(None)?;
            choose_single_agent(built.agent.take(), named, &target.folder)
        }
    }
}

fn missing_model_error(action: String) -> CliError {
    CliError::invalid_input(action)
        .help("name a model, such as `--model anthropic:claude-sonnet-4-5` or `--model script:FILE`")
}

/// Selects an agent of a team. A named model applies to every agent of the team.
fn choose_member(
    mut team: TeamSpec,
    named: Option<&str>,
    agent: &AgentOption,
    models: &ScriptedModels,
) -> Result<AgentSelection, CliError> {
    if let Some(typed) = named {
        override_models(&mut team, typed)?;
    }
    refuse_gateway(&team)?;
    // A team always declares an agent.
    let Some(spec) = agent.select_agent(Some(&team))? else {
        return Err(CliError::invalid_input("the file declares no agents"));
    };
    let Some(declared) = &spec.model else {
        return Err(missing_model_error(format!("agent `{}` declares no model", spec.name)));
    };
    let spec = AgentSpec::clone(&spec);
    if declared.provider == "script" {
        let script = models.open_script(&declared.name).map_err(CliError::invalid_input)?;
        let (about, prompts) = (script.summary().to_owned(), script.prompts().to_vec());
        return Ok(AgentSelection {
            spec,
            team: Some(team),
            model: script,
            model_notes: about,
            scripted_prompts: prompts,
        });
    }
    let model = models.open(declared).map_err(CliError::invalid_input)?;
    Ok(AgentSelection { spec, team: Some(team), model, model_notes: String::new(), scripted_prompts: Vec::new() })
}

/// Variables with which docker-agent is told to call models through a gateway.
const GATEWAYS: [&str; 2] = ["DOCKER_AGENT_MODELS_GATEWAY", "CAGENT_MODELS_GATEWAY"];

/// Refuses to call models directly where the user wants them to be called through a gateway.
fn refuse_gateway(team: &TeamSpec) -> Result<(), CliError> {
    let mut models = team.agents.iter().flat_map(|agent| agent.model.iter().chain(&agent.fallback_models));
    let set = GATEWAYS.iter().find(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
    match set.filter(|_| models.any(|model| model.provider != "script")) {
        None => Ok(()),
        Some(name) => Err(CliError::invalid_input(format!(
            "`{name}` is set, but models gateways are not supported yet"
        ))
        .help(
            "unset it, and set `base_url` or `OPENAI_BASE_URL` to the address of a gateway that has OpenAI's protocol",
        )),
    }
}

/// Selects the agent of AI Harness, or a default agent if only a model is named.
fn choose_single_agent(agent: Option<AgentSpec>, named: Option<&str>, dir: &Path) -> Result<AgentSelection, CliError> {
    let found = agent.is_some();
    let mut spec = agent.unwrap_or_else(|| AgentSpec { name: String::from("root"), ..AgentSpec::default() });
    // A script that the agent names is relative to its directory; one that the user names, to the current directory.
    let (declared, beside) = match named {
        Some(typed) => (model::choose(typed, spec.model.as_ref()).map_err(CliError::invalid_input)?, Path::new("")),
        None => match spec.model.clone() {
            Some(declared) => (declared, dir),
            None if found => return Err(missing_model_error(format!("agent `{}` declares no model", spec.name))),
            None => {
                let error = missing_model_error(format!(
                    "no agent found in `{}`: `{AGENT_FILE}` does not exist",
                    dir.display()
                ));
                return Err(error);
            }
        },
    };
    let unusable = |error: ModelError| CliError::invalid_input(error);
    let (model, about, prompts): (Arc<dyn Model>, _, _) = if declared.provider == "script" {
        let text = read_model_script(beside, &declared.name).map_err(CliError::invalid_input)?;
        let script = ScriptModel::parse(&declared.name, &text).map_err(unusable)?;
        let (about, prompts) = (script.summary().to_owned(), script.prompts().to_vec());
        (Arc::new(script), about, prompts)
    } else {
        (model::open(&declared, &|file| read_model_script(beside, file)).map_err(unusable)?, String::new(), Vec::new())
    };
    spec.model = Some(declared);
    Ok(AgentSelection { spec, team: None, model, model_notes: about, scripted_prompts: prompts })
}
