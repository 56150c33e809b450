//! `--model` for a team.

use std::sync::Arc;

use pintle_agent::model;
use pintle_host::contract::{TeamSpec, suggest_nearest};

use crate::error::CliError;

/// Gives the agents of a team other models: `MODEL` for every agent, `AGENT=MODEL` for one, several separated by
/// commas.
pub(super) fn override_models(team: &mut TeamSpec, typed: &str) -> Result<(), CliError> {
    for part in typed.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (name, model) = match part.split_once('=') {
            Some((name, model)) => (Some(name.trim()), model.trim()),
            None => (None, part),
        };
        if let Some(name) = name.filter(|name| team.agent(name).is_none()) {
            let near = suggest_nearest(name, team.agents.iter().map(|agent| agent.name.as_str()));
            let error =
                CliError::invalid_input(format!("cannot set the model of agent `{name}`: the agent does not exist"));
            return Err(match near {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error,
            });
        }
        for agent in team.agents.iter_mut().filter(|agent| name.is_none_or(|name| agent.name == name)) {
            let mut spec =
                model::choose(&to_colon_form(model), agent.model.as_ref()).map_err(CliError::invalid_input)?;
            if spec.provider == "script" {
                // A script that the user names is relative to the current directory, not to the agents' file.
                let path = std::path::absolute(&spec.name).unwrap_or_else(|_| spec.name.clone().into());
                spec.name = path.display().to_string();
            }
            Arc::make_mut(agent).model = Some(spec);
        }
    }
    Ok(())
}

/// docker-agent writes `openai/gpt-4o` for `openai:gpt-4o`.
fn to_colon_form(typed: &str) -> String {
    match typed.split_once('/') {
        Some((provider, name)) if !provider.contains(':') => format!("{provider}:{name}"),
        _ => typed.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use pintle_host::contract::AgentSpec;

    use super::*;

    fn replaced_models(typed: &str) -> Result<Vec<String>, String> {
        let agent = |name: &str| Arc::new(AgentSpec { name: String::from(name), ..AgentSpec::default() });
        let mut team = TeamSpec { agents: vec![agent("root"), agent("helper")], ..TeamSpec::default() };
        override_models(&mut team, typed).map_err(|error| error.help.unwrap_or(error.message))?;
        let text = |agent: &Arc<AgentSpec>| {
            agent.model.as_ref().map_or_else(String::new, |spec| format!("{}/{}", spec.provider, spec.name))
        };
        Ok(team.agents.iter().map(text).collect())
    }

    #[test]
    fn a_model_counts_for_all_agents_or_for_the_one_it_is_given_to() {
        let cases: &[(&str, Result<[&str; 2], &str>)] = &[
            ("openai/gpt-4o", Ok(["openai/gpt-4o", "openai/gpt-4o"])),
            ("anthropic:claude-sonnet-4-5", Ok(["anthropic/claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"])),
            ("dmr/ai/qwen3", Ok(["dmr/ai/qwen3", "dmr/ai/qwen3"])),
            ("gpt-4o, helper=google/gemini-2.5-pro", Ok(["openai/gpt-4o", "google/gemini-2.5-pro"])),
            ("script:/a/b.yaml", Ok(["script//a/b.yaml", "script//a/b.yaml"])),
            ("helpr=openai/gpt-4o", Err("did you mean `helper`?")),
        ];
        for (typed, wanted) in cases {
            let wanted = wanted.map(|models| models.map(String::from).to_vec()).map_err(String::from);
            assert_eq!(replaced_models(typed), wanted, "{typed}");
        }
    }
}
