//! From declarations to what runs.

use std::sync::Arc;

use pintle_contract::{
    Build, BuiltHandler, BuiltMatcher, Diagnostic, Handler, HandlerSpec, HookDeclaration, Matcher, MatcherSpec,
    ScriptText, ToolSpec,
};
use pintle_script::Role;

use super::handler::{Placeholder, ScriptHandler};
use super::runner::{self, Loaded};
use super::tool::ScriptTool;
use super::{matcher, runner::Runner};
use crate::isolate::{Pool, WorkerProgram};

/// Builds handlers, matchers and tools. All that it builds share one pool of workers.
#[derive(Debug)]
pub struct Builder {
    pool: Arc<Pool>,
}

impl Builder {
    /// A builder whose isolated scripts run in workers of this program. None is started until one is needed.
    #[must_use]
    pub fn new(program: WorkerProgram) -> Self {
        Self { pool: Arc::new(Pool::new(program)) }
    }

    /// Compiles a tool's script.
    ///
    /// # Errors
    /// With everything that is wrong with it; also when it has none.
    pub fn tool(&self, tool: &ToolSpec) -> Result<ScriptTool, Vec<Diagnostic>> {
        match &tool.script {
            Some(script) => self.script_tool(&tool.name, script, Role::Tool),
            None => {
                let message = format!("tool `{}` has no script", tool.name);
                Err(vec![Diagnostic::error("tool_script", message, tool.location.clone())])
            }
        }
    }

    /// Compiles a verify script, whose owner is named in messages.
    ///
    /// # Errors
    /// With everything that is wrong with it.
    pub fn verifier(&self, owner: &str, script: &ScriptText) -> Result<ScriptTool, Vec<Diagnostic>> {
        self.script_tool(owner, script, Role::Verify)
    }

    fn script_tool(&self, name: &str, script: &ScriptText, role: Role) -> Result<ScriptTool, Vec<Diagnostic>> {
        let Loaded { runner, diagnostics, .. } = runner::load(&self.pool, name, script, role);
        runner.map(|runner| ScriptTool { runner }).ok_or(diagnostics)
    }
}

impl Build for Builder {
    fn handler(&self, declaration: &HookDeclaration) -> BuiltHandler {
        match &declaration.handler {
            HandlerSpec::None => {
                BuiltHandler { handler: Some(Arc::new(Placeholder)), guard: false, diagnostics: Vec::new() }
            }
            HandlerSpec::Script(script) => {
                let loaded = runner::load(&self.pool, &declaration.name, script, Role::Hook);
                if loaded.runner.as_ref().is_some_and(Runner::is_apart) {
                    self.pool.warm();
                }
                let handler = loaded.runner.map(|runner| -> Arc<dyn Handler> {
                    Arc::new(ScriptHandler { runner, codec: Arc::clone(&declaration.codec) })
                });
                BuiltHandler { handler, guard: loaded.guard, diagnostics: loaded.diagnostics }
            }
        }
    }

    fn matcher(&self, declaration: &HookDeclaration) -> BuiltMatcher {
        let Some(MatcherSpec::Expression(expression)) = &declaration.matcher else {
            return BuiltMatcher::default();
        };
        let script = match &declaration.handler {
            HandlerSpec::Script(script) => Some(script),
            HandlerSpec::None => None,
        };
        let loaded = matcher::load(&self.pool, declaration, expression, script);
        let matcher = loaded.matcher.map(|matcher| -> Arc<dyn Matcher> { Arc::new(matcher) });
        BuiltMatcher { matcher, diagnostics: loaded.diagnostics }
    }

    fn check_tool(&self, tool: &ToolSpec) -> Vec<Diagnostic> {
        let script = tool.script.as_ref().map(|script| runner::load(&self.pool, &tool.name, script, Role::Tool));
        let verify = tool.verify.as_ref().map(|script| runner::load(&self.pool, &tool.name, script, Role::Verify));
        script.into_iter().chain(verify).flat_map(|loaded| loaded.diagnostics).collect()
    }

    fn check_verify(&self, owner: &str, script: &ScriptText) -> Vec<Diagnostic> {
        runner::load(&self.pool, owner, script, Role::Verify).diagnostics
    }
}
