//! Inserts the user's environment variables into the texts of a team's agents.

use std::collections::BTreeSet;
use std::sync::Arc;

use pintle_contract::{AgentSpec, Diagnostic, TeamSpec};

/// A text with the variables that `${env.NAME}` names. An unset variable is empty; any other `$` stays unchanged.
pub fn expand_env(text: &str, mut lookup: impl FnMut(&str) -> Option<String>) -> String {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${env.") {
        expanded.push_str(before);
        match after.split_once('}').filter(|(name, _)| is_name(name)) {
            Some((name, behind)) => {
                expanded.push_str(&lookup(name).unwrap_or_default());
                rest = behind;
            }
            None => {
                expanded.push_str("${env.");
                rest = after;
            }
        }
    }
    expanded.push_str(rest);
    expanded
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Expands what the model and the user read of each agent, and the addresses of its models.
pub(crate) fn expand_team(
    team: &mut TeamSpec,
    lookup: &dyn Fn(&str) -> Option<String>,
    findings: &mut Vec<Diagnostic>,
) {
    for agent in &mut team.agents {
        let mut unset = BTreeSet::new();
        for text in texts_of(Arc::make_mut(agent)).filter(|text| text.contains("${env.")) {
            *text = expand_env(text, |name| {
                lookup(name).or_else(|| {
                    unset.insert(name.to_owned());
                    None
                })
            });
        }
        for name in unset {
            let message =
                format!("agent `{}` names the variable `{name}`, which is not set, so it is empty", agent.name);
            let help = "set it before Pintle starts; a variable that looks like a secret is not inserted during a run";
            findings.push(Diagnostic::warning("unset_variable", message, agent.location.clone()).help(help));
        }
    }
}

fn texts_of(agent: &mut AgentSpec) -> impl Iterator<Item = &mut String> {
    let AgentSpec { instruction, description, model, fallback_models, models, member, .. } = agent;
    let addresses = model.iter_mut().chain(fallback_models).chain(models).filter_map(|model| model.base_url.as_mut());
    let of_member = member.iter_mut().flat_map(|member| {
        let prompts = member.commands.iter_mut().map(|(_, prompt)| prompt);
        let toolsets = member.toolsets.iter_mut().filter_map(|set| set.instruction.as_mut());
        prompts.chain(toolsets).chain(&mut member.welcome_message)
    });
    [instruction, description].into_iter().chain(addresses).chain(of_member)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lookup(name: &str) -> Option<String> {
        (name == "KEY").then(|| String::from("k${env.KEY}"))
    }

    #[test]
    fn only_whole_references_to_the_environment_are_replaced() {
        for (text, expected) in [
            ("Bearer ${env.KEY}!", "Bearer k${env.KEY}!"),
            ("${env.NOT_SET}", ""),
            ("$KEY ${KEY} ${env.} ${env.A B} ${env.KEY", "$KEY ${KEY} ${env.} ${env.A B} ${env.KEY"),
            ("${env.${env.KEY}", "${env.k${env.KEY}"),
        ] {
            assert_eq!(expand_env(text, lookup), expected, "{text}");
        }
    }
}
