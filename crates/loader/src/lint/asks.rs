//! Warns about approval hooks in a project that never asks the user.

use pintle_contract::{
    AgentSpec, Diagnostic, EventKind, HandlerSpec, HookDeclaration, OnMaxIterations, PermissionMode, PermissionsSpec,
};

use crate::policy::hooks_of;

/// The events of approval requests.
const OF_QUESTIONS: [EventKind; 2] = [EventKind::PermissionAsk, EventKind::ApprovalRequested];

/// Warns about hooks on these events in an agent's project where no hook, rule or mode asks the user.
pub(crate) fn lint_never_asked(
    hooks: &[HookDeclaration],
    agent: &AgentSpec,
    permissions: &PermissionsSpec,
    has_personas: bool,
) -> Vec<Diagnostic> {
    let asks_by_mode = matches!(agent.permission_mode, Some(PermissionMode::Balanced | PermissionMode::Strict));
    let asks_at_limit = agent.exit.on_max_iterations == OnMaxIterations::Ask;
    let all = || hooks.iter().chain(hooks_of(agent));
    if asks_by_mode || has_personas || *permissions != PermissionsSpec::default() || all().any(can_ask) {
        return Vec::new();
    }
    let waiting = all().filter(|hook| {
        OF_QUESTIONS.contains(&hook.event.kind())
            && !(asks_at_limit && hook.event.kind() == EventKind::ApprovalRequested)
    });
    let tell = |hook: &HookDeclaration| {
        let message = format!("hook `{}` never runs: nothing in this project asks the user", hook.name);
        let help = "add a hook that returns `ask(..)`, or set `permission_mode: balanced` for the agent";
        Diagnostic::warning("unreachable_hook", message, hook.location.clone()).help(help)
    };
    waiting.map(tell).collect()
}

/// Whether a hook may return `ask`. The text of a script shows it; a script that decides by external data may return
/// anything.
fn can_ask(hook: &HookDeclaration) -> bool {
    if OF_QUESTIONS.contains(&hook.event.kind()) {
        return false;
    }
    match &hook.handler {
        HandlerSpec::Script(script) => {
            ["ask", "http", "json.decode", "cache"].iter().any(|word| script.text.contains(word))
        }
        _ => true,
    }
}
