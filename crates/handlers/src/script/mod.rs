//! Builds handlers and matchers from scripts, in this process or in a script worker.

mod build;
mod function;
mod handler;
mod matcher;
mod modules;
mod remote;
mod tool;

use pintle_contract::{Diagnostic, FunctionSpec, HandlerSpec, HookDeclaration, MatcherSpec, ScriptSource};
use pintle_script::{GuardScripts, ScriptKind, capability_names};
use pintle_tools::nearest_argument;

pub(crate) use modules::ModuleCache;
pub(crate) use pintle_script::{check_calls, with_compiler_stack};
pub use tool::ScriptTool;

/// Finds what keeps the scripts of a hook from guarding.
pub(crate) fn check_guard(declaration: &HookDeclaration) -> Vec<Diagnostic> {
    let when = match &declaration.matcher {
        Some(MatcherSpec::Expression(when)) => Some(when),
        _ => None,
    };
    let script = match &declaration.handler {
        HandlerSpec::Script(script) => Some(script),
        _ => None,
    };
    if when.is_none() && script.is_none() {
        return Vec::new();
    }
    pintle_script::check_guard(&GuardScripts {
        name: &declaration.name,
        event: &declaration.event,
        event_alias: &declaration.event_alias,
        when,
        script,
        nearest_argument: &nearest_argument,
    })
}

/// The names of what a script reaches outside its sandbox.
pub(crate) fn capabilities_of_script(name: &str, text: &ScriptSource) -> Vec<&'static str> {
    capability_names(name, text, ScriptKind::Hook)
}

/// The names of what a function's module reaches outside its sandbox.
pub(crate) fn capabilities_of_function(spec: &FunctionSpec) -> Vec<&'static str> {
    capability_names(&spec.name, &spec.module, ScriptKind::Plugin)
}
