//! Builds handlers and matchers from scripts, in this process or in a script worker.

mod build;
mod function;
mod handler;
mod matcher;
mod modules;
mod remote;
mod tool;

use pintle_contract::{FunctionSpec, ScriptSource};
use pintle_script::{ScriptKind, capability_names};

pub(crate) use modules::ModuleCache;
pub(crate) use pintle_script::{check_calls, with_compiler_stack};
pub use tool::ScriptTool;

/// The names of what a script reaches outside its sandbox.
pub(crate) fn capabilities_of_script(name: &str, text: &ScriptSource) -> Vec<&'static str> {
    capability_names(name, text, ScriptKind::Hook)
}

/// The names of what a function's module reaches outside its sandbox.
pub(crate) fn capabilities_of_function(spec: &FunctionSpec) -> Vec<&'static str> {
    capability_names(&spec.name, &spec.module, ScriptKind::Plugin)
}
