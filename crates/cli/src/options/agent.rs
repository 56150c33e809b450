//! `--agent`: which agent of a team is meant.

use std::sync::Arc;

use clap::Args;
use pintle_host::contract::{AgentSpec, TeamSpec, suggest_nearest};
use pintle_host::{Chain, Layer, LoadedRuntime};

use crate::error::CliError;

#[derive(Debug, Clone, Args)]
pub(crate) struct AgentOption {
    /// Agent to use if the file declares several [default: `root`, otherwise the first one].
    #[arg(long, short, value_name = "NAME")]
    pub(crate) agent: Option<String>,
}

impl AgentOption {
    /// Returns the agent of `--agent`, or the default one; `None` if no team is loaded.
    pub(crate) fn select_agent(&self, team: Option<&TeamSpec>) -> Result<Option<Arc<AgentSpec>>, CliError> {
        let Some(name) = &self.agent else { return Ok(team.and_then(|team| team.agents.first()).cloned()) };
        let Some(team) = team else {
            let error = CliError::invalid_input(format!("agent `{name}` does not exist: no file declares a team"));
            return Err(error.help("name a docker-agent YAML file, which declares `agents:`"));
        };
        if let Some(agent) = team.agent(name) {
            return Ok(Some(Arc::clone(agent)));
        }
        let known = || team.agents.iter().map(|agent| agent.name.as_str());
        let help = match suggest_nearest(name, known()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("available agents: {}", known().collect::<Vec<_>>().join(", ")),
        };
        Err(CliError::invalid_input(format!("agent `{name}` does not exist")).help(help))
    }

    /// Compiles the selected agent's own hooks; empty if no team is loaded.
    pub(crate) fn compile_chains(&self, built: &LoadedRuntime) -> Result<Vec<Chain>, CliError> {
        Ok(self.select_agent(built.team.as_ref())?.map(|agent| compile_own_chains(built, &agent)).unwrap_or_default())
    }
}

/// Compiles an agent's own hooks. Loading has checked them, so compiling finds no errors.
pub(crate) fn compile_own_chains(built: &LoadedRuntime, agent: &AgentSpec) -> Vec<Chain> {
    built.runtime.compile_chains(&format!("agent {}", agent.name), Layer::Agent, &agent.hooks).0
}
