//! Finds tools that one agent guards, but an agent that it delegates to does not.

use pintle_contract::{AgentSpec, Diagnostic, EnforcementMode, EventKind, HookDeclaration, MatcherSpec};
use regex::Regex;

use super::liveness::named_tools;
use crate::document::FileReport;

/// The events whose hooks decide about a call.
const GUARDS: [EventKind; 2] = [EventKind::ToolGuard, EventKind::ToolPre];

/// Warns of agents that can call without a guard a tool that the delegating agent guards.
pub(super) fn check(report: &FileReport, members: &[AgentSpec]) {
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
