//! Finds hooks that can never run because their matcher does not match any tool of the agent.

use std::collections::HashSet;

use pintle_contract::{
    AgentSpec, Diagnostic, EnforcementMode, EventKind, HookDeclaration, MatcherSpec, PermissionsSpec, ToolsetKind,
    suggest_nearest,
};
use regex::Regex;

use crate::docker_agent::hooks::written_matcher;
use crate::document::{FileReport, MapEntry};

/// The tools of a toolset by their names for models; empty if the toolset's author names them.
#[must_use]
pub fn tools_of(kind: &ToolsetKind) -> &'static [&'static str] {
    match kind {
        ToolsetKind::Shell { .. } => &["shell"],
        ToolsetKind::BackgroundJobs { .. } => {
            &["run_background_job", "list_background_jobs", "view_background_job", "stop_background_job"]
        }
        ToolsetKind::Filesystem => &[
            "read_file",
            "read_multiple_files",
            "edit_file",
            "write_file",
            "search_files_content",
            "list_directory",
            "create_directory",
            "remove_directory",
            "directory_tree",
        ],
        ToolsetKind::Think => &["think"],
        ToolsetKind::Todo { .. } => &["create_todo", "create_todos", "update_todos", "list_todos"],
        ToolsetKind::Memory { .. } => {
            &["add_memory", "get_memories", "delete_memory", "search_memories", "update_memory"]
        }
        ToolsetKind::Fetch { .. } => &["fetch"],
        ToolsetKind::BackgroundAgents => {
            &["run_background_agent", "list_background_agents", "view_background_agent", "stop_background_agent"]
        }
        ToolsetKind::Script(_) | ToolsetKind::Mcp(_) => &[],
    }
}

/// The named tools of an agent, without those that delegate tasks.
pub(super) fn named_tools(agent: &AgentSpec) -> Vec<&str> {
    let mut names = Vec::new();
    for set in agent.member.iter().flat_map(|member| &member.toolsets) {
        match &set.kind {
            ToolsetKind::Script(scripts) => names.extend(scripts.iter().map(|script| script.name.as_str())),
            kind => names.extend(tools_of(kind)),
        }
    }
    names
}

/// The tools that an agent can call.
struct KnownTools<'a> {
    names: Vec<&'a str>,
    /// The prefixes of an MCP server's tool names.
    prefixes: Vec<String>,
}

/// Warns of matchers that do not match any tool of the agent.
pub(super) fn check_matchers(report: &FileReport, agent: &AgentSpec) {
    let Some(known) = known_tools(agent) else { return };
    let mut told = HashSet::new();
    for hook in &agent.hooks {
        let Some(MatcherSpec::Pattern { text, location }) = &hook.matcher else { continue };
        if known.may_match(text) || !told.insert((text.to_string(), location.line_column())) {
            continue;
        }
        let written = written_matcher(text);
        let message = format!(
            "the matcher `{written}` does not match any tool of agent `{}`, so its hooks never run",
            agent.name
        );
        let diagnostic = Diagnostic::warning("dead_matcher", message, location.clone());
        report.add(diagnostic.help(known.suggest_names(written)));
    }
}

/// The arguments of the tools that run commands.
const COMMAND_ARGUMENTS: [&str; 3] = ["cmd", "cwd", "timeout"];

/// Warns of rules that misspell a tool or an argument, so that they never apply.
pub(super) fn check_rules(report: &FileReport, members: &[AgentSpec], permissions: &PermissionsSpec) {
    let names: Vec<&str> = members.iter().filter_map(known_tools).flat_map(|known| known.names).collect();
    for rule in permissions.deny.iter().chain(&permissions.ask).chain(&permissions.allow) {
        let is_known = names.iter().any(|name| name.eq_ignore_ascii_case(&rule.tool));
        let runs_commands = matches!(rule.tool.as_str(), "shell" | "run_background_job");
        let argument = rule.arguments.iter().find(|(name, _)| !COMMAND_ARGUMENTS.contains(&name.as_str()));
        let (reason, help) = match (argument, suggest_nearest(&rule.tool, names.iter().copied())) {
            (Some((argument, _)), _) if runs_commands => (
                format!("`{}` has no argument `{argument}`", rule.tool),
                format!("its arguments are `{}`", COMMAND_ARGUMENTS.join("`, `")),
            ),
            (_, Some(near)) if !is_known && !rule.tool.contains(['*', '?', '[']) => {
                (format!("no agent has a tool `{}`", rule.tool), format!("did you mean `{near}`?"))
            }
            _ => continue,
        };
        let message = format!("the rule `{}` never applies: {reason}", rule.text);
        report.add(Diagnostic::warning("dead_rule", message, rule.location.clone()).help(help));
    }
}

/// The tools of an agent; `None` if they are unknown, or there are none.
fn known_tools(agent: &AgentSpec) -> Option<KnownTools<'_>> {
    let member = agent.member.as_ref()?;
    let mut known = KnownTools { names: named_tools(agent), prefixes: Vec::new() };
    for set in &member.toolsets {
        match &set.kind {
            ToolsetKind::Mcp(server) if server.name.is_empty() => return None,
            ToolsetKind::Mcp(server) => known.prefixes.push(format!("{}_", server.name)),
            _ => {}
        }
    }
    if !member.sub_agents.is_empty() {
        known.names.push("transfer_task");
    }
    if !member.handoffs.is_empty() {
        known.names.push("handoff");
    }
    (!known.names.is_empty() || !known.prefixes.is_empty()).then_some(known)
}

impl KnownTools<'_> {
    fn may_match(&self, text: &str) -> bool {
        // An invalid pattern is reported where it is compiled.
        let Ok(pattern) = Regex::new(&format!("^(?:{text})$")) else { return true };
        self.names.iter().any(|name| pattern.is_match(name))
            || self.prefixes.iter().any(|prefix| may_match_prefix(text, prefix))
    }

    fn suggest_names(&self, text: &str) -> String {
        let names = || self.names.iter().copied();
        let near = text.split('|').find_map(|word| suggest_nearest(word.trim(), names()));
        match (near, self.prefixes.first()) {
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, Some(prefix)) => format!("the tools of the MCP server are named `{prefix}…`"),
            (None, None) => format!("the agent has {}", names().collect::<Vec<_>>().join(", ")),
        }
    }
}

/// Whether a name with this prefix may match one of a pattern's alternatives, as far as they are plain text.
fn may_match_prefix(text: &str, prefix: &str) -> bool {
    let is_special = |letter: char| "\\.+*?()[]{}^$".contains(letter);
    text.split('|').any(|alternative| match alternative.find(is_special) {
        None => alternative.starts_with(prefix),
        // A quantifier such as `*` applies to the character before it.
        Some(index) => {
            let plain = alternative.get(..index.saturating_sub(1)).unwrap_or_default();
            plain.starts_with(prefix) || prefix.starts_with(plain)
        }
    })
}

/// Reports every agent whose forced handoffs lead back to it.
pub(super) fn check_handoffs(members: &[AgentSpec], entries: &[MapEntry], report: &FileReport) {
    let next = |name: &str| {
        let member = members.iter().find(|member| member.name == name)?;
        member.member.as_ref()?.forced_handoff.as_deref()
    };
    for entry in entries {
        let mut at = next(&entry.key);
        // A chain with more links than agents is a cycle without this agent.
        for _ in members {
            match at {
                Some(name) if name == entry.key => {
                    let message = format!("the forced handoffs of agent `{}` lead back to it", entry.key);
                    let help = "remove `force_handoff` from one of the agents, so that it answers";
                    report.value_error("endless_handoff", message, entry.key_span, help);
                    break;
                }
                Some(name) => at = next(name),
                None => break,
            }
        }
    }
}

/// The events whose hooks decide about a call.
const GUARDS: [EventKind; 2] = [EventKind::ToolGuard, EventKind::ToolPre];

/// Warns of agents that can call without a guard a tool that the delegating agent guards.
pub(super) fn check_unguarded(report: &FileReport, members: &[AgentSpec]) {
    for giver in members {
        let Some(member) = &giver.member else { continue };
        let targets = member.sub_agents.iter().chain(&member.handoffs).chain(&member.forced_handoff);
        let mut told: Vec<&str> = Vec::new();
        for name in targets {
            let Some(taker) = members.iter().find(|other| other.name == *name && other.name != giver.name) else {
                continue;
            };
            let own = named_tools(giver);
            let is_open = |tool: &&str| own.contains(tool) && is_guarded(giver, tool) && !is_guarded(taker, tool);
            let Some(tool) = named_tools(taker).into_iter().find(is_open) else { continue };
            if told.contains(&name.as_str()) {
                continue;
            }
            told.push(name);
            let message = format!(
                "agent `{name}` can call `{tool}` without the guard of agent `{}`, which can delegate tasks to it",
                giver.name
            );
            let diagnostic = Diagnostic::warning("unguarded_agent", message, taker.location.clone());
            report.add(diagnostic.help(format!("hooks apply to one agent only: write the guard in `{name}` as well")));
        }
    }
}

/// Whether a hook of the author decides about calls of a tool.
fn is_guarded(agent: &AgentSpec, tool: &str) -> bool {
    // Default hooks have the location of their agent.
    let own =
        agent.hooks.iter().filter(|hook| hook.location != agent.location && hook.mode == EnforcementMode::Enforce);
    own.filter(|hook| GUARDS.contains(&hook.event.kind())).any(|hook| covers_tool(hook, tool))
}

fn covers_tool(hook: &HookDeclaration, tool: &str) -> bool {
    match &hook.matcher {
        // An invalid pattern is reported where it is compiled.
        Some(MatcherSpec::Pattern { text, .. }) => {
            Regex::new(&format!("^(?:{text})$")).is_ok_and(|pattern| pattern.is_match(tool))
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_fit_is_not_called_dead() {
        let known = KnownTools { names: vec!["shell", "read_file"], prefixes: vec![String::from("gh_")] };
        for text in ["shell", "shell|write_file", "read_.*", ".*", "gh_wipe", "gh_.*", "g.*", "(gh|x)_wipe", "s?hell"] {
            assert!(known.may_match(text), "{text}");
        }
        for (text, help) in [
            ("Shell", "did you mean `shell`?"),
            ("shel", "did you mean `shell`?"),
            ("wipe", "the tools of the MCP server are named `gh_…`"),
            ("Bash|Write", "the tools of the MCP server are named `gh_…`"),
            ("wipe.*", "the tools of the MCP server are named `gh_…`"),
        ] {
            assert!(!known.may_match(text), "{text}");
            assert_eq!(known.suggest_names(text), help, "{text}");
        }
        let known = KnownTools { prefixes: Vec::new(), ..known };
        assert_eq!(known.suggest_names("bash"), "the agent has shell, read_file");
    }
}
