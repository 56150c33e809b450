//! The seam between loading and handlers: declarations in, running things out.

use std::sync::Arc;

use crate::{Capability, Diagnostic, Handler, HookDeclaration, LoadedPlugin, Matcher, ScriptSource, ToolSpec};

/// Turns declarations into handlers and matchers.
///
/// The loader knows what the user declared; only the handlers crate knows how to run it. The facade joins them
/// through this trait. Building compiles everything: a bad script or pattern is a diagnostic here and never a
/// silent non-match later.
pub trait HandlerFactory {
    /// Tells that files were found that may hold scripts, before any of them is read. Whoever runs scripts may get ready
    /// meanwhile. It may be told more than once. Default: nothing is done.
    fn warm_up(&self) {}

    /// Builds the handler of a declaration.
    ///
    /// `None` with at least one error diagnostic when it cannot run. Warnings may come with a working handler.
    fn build_handler(&self, declaration: &HookDeclaration) -> BuiltHandler;

    /// Builds the matcher of a declaration, or `None` for one that matches every dispatch of its event.
    fn build_matcher(&self, declaration: &HookDeclaration) -> BuiltMatcher;

    /// Compiles a tool's scripts to see whether they would run: errors and warnings.
    fn check_tool(&self, tool: &ToolSpec) -> Vec<Diagnostic>;

    /// Runs the top level of a plugin and gives what it registered.
    fn load_plugin(&self, name: &str, module: &ScriptSource) -> LoadedPlugin {
        let message = format!("plugin `{name}` cannot be loaded: nothing here runs scripts");
        let diagnostics = vec![Diagnostic::error("plugin_load", message, module.location.clone())];
        LoadedPlugin { registrations: Vec::new(), diagnostics }
    }

    /// Compiles a verify script to see whether it would run: errors and warnings. `owner` names whose it is.
    fn check_verify(&self, owner: &str, script: &ScriptSource) -> Vec<Diagnostic>;

    /// Looks for tools that a hook's script calls and may not, where its agent may not change itself. Default: nothing is
    /// looked for, and the calls are refused when they are made.
    fn check_calls(&self, _declaration: &HookDeclaration) -> Vec<Diagnostic> {
        Vec::new()
    }

    /// Tells what a hook can reach outside of the sandbox. Nothing is what needs nobody's consent, so whoever cannot
    /// tell says something. Default: that it cannot be told.
    fn capabilities(&self, _declaration: &HookDeclaration) -> Vec<Capability> {
        vec![Capability::Effect(String::from("may do anything"))]
    }
}

/// Asks a language model one question, for hooks that are judged by one.
pub trait Judge: Send + Sync + std::fmt::Debug {
    /// Asks and waits for the whole reply.
    ///
    /// # Errors
    /// When there is no such model, or it cannot be reached, refuses, or takes longer than `timeout_ms`; in one line.
    fn judge(&self, question: &JudgeRequest<'_>, cancel: &crate::CancelToken) -> Result<String, crate::Failure>;
}

/// What a [`Judge`] is asked.
#[derive(Debug, Clone, Copy)]
pub struct JudgeRequest<'a> {
    /// The model as people write it, such as `openai/gpt-4o-mini`.
    pub model: &'a str,
    /// What the model is told about its task.
    pub instruction: &'a str,
    /// The question.
    pub prompt: &'a str,
    /// The JSON Schema of the reply, when there is one, with its name.
    pub schema: Option<(&'a str, &'a serde_json::Value)>,
    /// How long the reply may take.
    pub timeout_ms: u64,
}

/// A handler as built from a declaration.
#[derive(Debug, Default)]
pub struct BuiltHandler {
    /// The handler, absent when the declaration cannot run.
    pub handler: Option<Arc<dyn Handler>>,
    /// Whether the handler can deny (a script that names `block`, …); see [`Hook::guard`](crate::Hook::guard).
    pub guard: bool,
    /// What was found while building.
    pub diagnostics: Vec<Diagnostic>,
}

/// A matcher as built from a declaration.
#[derive(Debug, Default)]
pub struct BuiltMatcher {
    /// The matcher; absent when the hook matches always, or when building failed (then there is an error).
    pub matcher: Option<Arc<dyn Matcher>>,
    /// What was found while building.
    pub diagnostics: Vec<Diagnostic>,
}
