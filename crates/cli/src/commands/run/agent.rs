//! Which agent, and which model.

use std::path::Path;
use std::sync::Arc;

use pintle::{AgentSpec, BuiltRuntime, TeamSpec};
use pintle_agent::model::{self, Model, ModelError, ScriptModel};

use super::models::Models;
use super::place::{AGENT_FILE, Place};
use super::typed::replace_models;
use crate::fault::Fault;
use crate::options::{AgentOption, model_script};

/// An agent with its model.
pub(super) struct Chosen {
    pub(super) spec: AgentSpec,
    /// Whom it works with.
    pub(super) team: Option<TeamSpec>,
    pub(super) model: Arc<dyn Model>,
    /// What the model's script shows.
    pub(super) about: String,
    /// What the model's script lets the person say.
    pub(super) prompts: Vec<String>,
}

/// Joins the agent that was loaded and the model that was named, either of which may be missing, but not both.
pub(super) fn choose(
    built: &mut BuiltRuntime,
    named: Option<&str>,
    agent: &AgentOption,
    place: &Place,
    models: &Models,
) -> Result<Chosen, Fault> {
    match built.team.take() {
        Some(team) => of_team(team, named, agent, models),
        None => {
            agent.of(None)?;
            alone(built.agent.take(), named, &place.folder)
        }
    }
}

fn no_model(what: String) -> Fault {
    Fault::invalid(what).help("name a model, such as `--model anthropic:claude-sonnet-4-5` or `--model script:FILE`")
}

/// A member of a team. A model that is named counts for all of them.
fn of_team(mut team: TeamSpec, named: Option<&str>, agent: &AgentOption, models: &Models) -> Result<Chosen, Fault> {
    if let Some(typed) = named {
        replace_models(&mut team, typed)?;
    }
    // A team has an agent, or it is none.
    let Some(spec) = agent.of(Some(&team))? else { return Err(Fault::invalid("the file declares no agents")) };
    let Some(declared) = &spec.model else { return Err(no_model(format!("agent `{}` declares no model", spec.name))) };
    let spec = AgentSpec::clone(&spec);
    if declared.provider == "script" {
        let script = models.script(&declared.name).map_err(Fault::invalid)?;
        let (about, prompts) = (script.summary().to_owned(), script.prompts().to_vec());
        return Ok(Chosen { spec, team: Some(team), model: script, about, prompts });
    }
    let model = models.open(declared).map_err(Fault::invalid)?;
    Ok(Chosen { spec, team: Some(team), model, about: String::new(), prompts: Vec::new() })
}

/// An agent of AI Harness, or none but a model.
fn alone(agent: Option<AgentSpec>, named: Option<&str>, folder: &Path) -> Result<Chosen, Fault> {
    let found = agent.is_some();
    let mut spec = agent.unwrap_or_else(|| AgentSpec { name: String::from("root"), ..AgentSpec::default() });
    // A script that the agent names stands beside it; one that the person names stands where the person is.
    let (declared, beside) = match named {
        Some(typed) => (model::choose(typed, spec.model.as_ref()).map_err(Fault::invalid)?, Path::new("")),
        None => match spec.model.clone() {
            Some(declared) => (declared, folder),
            None if found => return Err(no_model(format!("agent `{}` declares no model", spec.name))),
            None => {
                let fault = no_model(format!("no agent found in `{}`: there is no `{AGENT_FILE}`", folder.display()));
                return Err(fault);
            }
        },
    };
    let unusable = |fault: ModelError| Fault::invalid(fault);
    let (model, about, prompts): (Arc<dyn Model>, _, _) = if declared.provider == "script" {
        let text = model_script(beside, &declared.name).map_err(Fault::invalid)?;
        let script = ScriptModel::parse(&declared.name, &text).map_err(unusable)?;
        let (about, prompts) = (script.summary().to_owned(), script.prompts().to_vec());
        (Arc::new(script), about, prompts)
    } else {
        (model::open(&declared, &|file| model_script(beside, file)).map_err(unusable)?, String::new(), Vec::new())
    };
    spec.model = Some(declared);
    Ok(Chosen { spec, team: None, model, about, prompts })
}
