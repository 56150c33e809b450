//! Warns about decisions that have no effect at the event of their hook.

use pintle_contract::event::{EventClass, RewriteTarget};
use pintle_contract::{DELEGATING_EVENTS, Diagnostic, HandlerSpec, HookDeclaration};

/// Warns if the script of a hook calls a decision that the hook's event does not have.
pub(crate) fn lint_without_effect(hook: &HookDeclaration) -> Vec<Diagnostic> {
    let HandlerSpec::Script(script) = &hook.handler else { return Vec::new() };
    let def = hook.event.def();
    let is_report = def.class == EventClass::Observe;
    let without = [
        ("block", is_report),
        ("ask", is_report),
        ("modify", def.target == RewriteTarget::Nothing),
        ("delegate", !DELEGATING_EVENTS.contains(&hook.event.kind())),
    ];
    let called = without.into_iter().filter(|(name, is_without)| *is_without && calls(&script.text, name));
    let warn = |(name, _): (&str, bool)| {
        let message = format!("hook `{}` calls `{name}`, which has no effect at `{}`", hook.name, hook.event);
        let help = format!("`pintle events {}` shows what hooks can do there", hook.event);
        Diagnostic::warning("no_effect", message, hook.location.clone()).help(help)
    };
    called.map(warn).collect()
}

/// Whether a script returns what a function of this name gives, comments left out.
fn calls(script: &str, name: &str) -> bool {
    let code = |line: &str| line.split('#').next().unwrap_or_default().to_owned();
    script.lines().map(code).any(|line| {
        line.split_once("return").is_some_and(|(_, returned)| returned.trim_start().starts_with(&format!("{name}(")))
    })
}
