//! The seam between loading and handlers: declarations in, running things out.

use std::sync::Arc;

use crate::{Diagnostic, Handler, HookDeclaration, Matcher, ScriptText, ToolSpec};

/// Turns declarations into handlers and matchers.
///
/// The loader knows what the user declared; only the handlers crate knows how to run it. The facade joins them
/// through this trait. Building compiles everything: a bad script or pattern is a diagnostic here and never a
/// silent non-match later.
pub trait Build {
    /// Builds the handler of a declaration.
    ///
    /// `None` with at least one error diagnostic when it cannot run. Warnings may come with a working handler.
    fn handler(&self, declaration: &HookDeclaration) -> BuiltHandler;

    /// Builds the matcher of a declaration, or `None` for one that matches every dispatch of its event.
    fn matcher(&self, declaration: &HookDeclaration) -> BuiltMatcher;

    /// Compiles a tool's scripts to see whether they would run: errors and warnings.
    fn check_tool(&self, tool: &ToolSpec) -> Vec<Diagnostic>;

    /// Compiles a verify script to see whether it would run: errors and warnings. `owner` names whose it is.
    fn check_verify(&self, owner: &str, script: &ScriptText) -> Vec<Diagnostic>;
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
