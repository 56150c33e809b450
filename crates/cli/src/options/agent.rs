//! Which agent of a team.

use std::sync::Arc;

use clap::Args;
use pintle::{AgentSpec, BuiltRuntime, Chain, Layer, TeamSpec, suggest_nearest};

use crate::error::CliError;

#[derive(Debug, Clone, Args)]
pub(crate) struct AgentOption {
    /// The agent, when the file declares several. Default: `root`, else the first.
    #[arg(long, short, value_name = "NAME")]
    pub(crate) agent: Option<String>,
}

impl AgentOption {
    /// The agent that is meant; `None` when no team is loaded.
    pub(crate) fn select_agent(&self, team: Option<&TeamSpec>) -> Result<Option<Arc<AgentSpec>>, CliError> {
        let Some(name) = &self.agent else { return Ok(team.and_then(|team| team.agents.first()).cloned()) };
        let Some(team) = team else {
            let fault = CliError::invalid_input(format!("there is no agent `{name}`: no file declares a team"));
            return Err(fault.help("name a docker-agent YAML, which has `agents:`"));
        };
        if let Some(agent) = team.agent(name) {
            return Ok(Some(Arc::clone(agent)));
        }
        let known = || team.agents.iter().map(|agent| agent.name.as_str());
        let help = match suggest_nearest(name, known()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are {}", known().collect::<Vec<_>>().join(", ")),
        };
        Err(CliError::invalid_input(format!("there is no agent `{name}`")).help(help))
    }

    /// The hooks that belong to the agent that is meant, compiled; none when no team is loaded.
    pub(crate) fn compile_chains(&self, built: &BuiltRuntime) -> Result<Vec<Chain>, CliError> {
        Ok(self.select_agent(built.team.as_ref())?.map(|agent| compile_own_chains(built, &agent)).unwrap_or_default())
    }
}

/// The hooks that belong to an agent, compiled. Loading has found them sound.
pub(crate) fn compile_own_chains(built: &BuiltRuntime, agent: &AgentSpec) -> Vec<Chain> {
    built.runtime.compile_chains(&format!("agent {}", agent.name), Layer::Agent, &agent.hooks).0
}
