//! The scripts of a build without the feature `script`: none loads.

use pintle_contract::{
    BuiltHandler, BuiltMatcher, Diagnostic, FunctionSpec, HookDeclaration, LoadedPlugin, ScriptSource, ToolSpec,
};

use crate::DefaultHandlerFactory;
use crate::absent::missing_feature;

const FEATURE: &str = "script";

/// No module is loaded.
#[derive(Debug, Default)]
pub(crate) struct ModuleCache;

/// A script that does not load calls no tools.
pub(crate) fn check_calls(_name: &str, _text: &ScriptSource, _tools: &[String]) -> Vec<Diagnostic> {
    Vec::new()
}

/// A script that does not load is reported where it is built.
pub(crate) fn check_guard(_declaration: &HookDeclaration) -> Vec<Diagnostic> {
    Vec::new()
}

/// A script that does not load reaches nothing.
pub(crate) fn capabilities_of_script(_name: &str, _text: &ScriptSource) -> Vec<&'static str> {
    Vec::new()
}

/// A module that does not load reaches nothing.
pub(crate) fn capabilities_of_function(_spec: &FunctionSpec) -> Vec<&'static str> {
    Vec::new()
}

impl DefaultHandlerFactory {
    pub(crate) fn script_handler(&self, declaration: &HookDeclaration, _text: &ScriptSource) -> BuiltHandler {
        crate::absent::build(declaration, &declaration.handler)
    }

    pub(crate) fn function_handler(&self, declaration: &HookDeclaration, _spec: &FunctionSpec) -> BuiltHandler {
        crate::absent::build(declaration, &declaration.handler)
    }

    pub(crate) fn script_matcher(&self, declaration: &HookDeclaration, expression: &ScriptSource) -> BuiltMatcher {
        if expression.text.trim().is_empty() {
            return BuiltMatcher::default();
        }
        let diagnostics = vec![missing_feature(&declaration.name, FEATURE, &expression.location)];
        BuiltMatcher { diagnostics, ..BuiltMatcher::default() }
    }

    pub(crate) fn load_plugin(&self, name: &str, text: &ScriptSource) -> LoadedPlugin {
        LoadedPlugin { diagnostics: self.verify_findings(name, text), ..LoadedPlugin::default() }
    }

    pub(crate) fn tool_findings(&self, tool: &ToolSpec) -> Vec<Diagnostic> {
        let scripts = tool.script.iter().chain(&tool.verify);
        scripts.flat_map(|script| self.verify_findings(&tool.name, script)).collect()
    }

    pub(crate) fn verify_findings(&self, owner: &str, script: &ScriptSource) -> Vec<Diagnostic> {
        vec![missing_feature(owner, FEATURE, &script.location)]
    }
}

/// Runs the work; without scripts it needs no stack of its own.
pub(crate) fn with_compiler_stack<T>(work: impl FnOnce() -> T) -> T {
    work()
}
