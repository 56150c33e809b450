//! Builds handlers and matchers from scripts, in this process or in a script worker.

mod build;
mod function;
mod handler;
mod matcher;
mod modules;
mod remote;
mod tool;

use std::sync::Arc;

use pintle_contract::{
    Diagnostic, Event, FunctionOutput, FunctionSpec, HandlerOutput, HandlerSpec, HookDeclaration, MatcherSpec,
    ScriptSource, VerdictKind,
};
use pintle_script::{EventFunction, GuardScripts, ScriptKind, capability_names};
use pintle_tools::nearest_argument;
use serde_json::{Map, Value};

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
    let handled = match &declaration.handler {
        HandlerSpec::Function(function) => Some(function),
        _ => None,
    };
    let script = script.or(handled.map(|function| &function.module));
    if when.is_none() && script.is_none() {
        return Vec::new();
    }
    let event = Event::new(declaration.event.clone(), Value::Object(Map::new()), Arc::default());
    let find_return_fault = |value: &Value| {
        let output = HandlerOutput::Returned(FunctionOutput::Value(value.clone()));
        match declaration.codec.decode(&event, &declaration.event_alias, output).kind {
            VerdictKind::Failed(failure) => Some(failure.message),
            _ => None,
        }
    };
    let function = handled.map(|function| EventFunction {
        name: function.defined_name.as_deref(),
        payload: declaration.codec.payload_schema(&declaration.event_alias),
        find_return_fault: &find_return_fault,
    });
    pintle_script::check_guard(&GuardScripts {
        name: &declaration.name,
        event: &declaration.event,
        event_alias: &declaration.event_alias,
        when,
        script,
        function,
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
