//! Scripts into handlers and matchers.

use std::sync::Arc;

use pintle_contract::{
    BuiltHandler, BuiltMatcher, Diagnostic, HandlerSpec, HookDeclaration, ScriptSource, Severity, ToolSpec,
};
use pintle_script::worker::WorkerScript;
use pintle_script::{ScriptKind, ScriptPlacement, ScriptPowers, compile, compile_when};

use super::handler::{Place, ScriptHandler, code_influence};
use super::matcher::{RemoteMatcher, ScriptMatcher};
use super::remote::Remote;
use crate::Builder;

impl Builder {
    /// Compiles a script for a role: where it runs, and what was found.
    pub(super) fn place(
        &self,
        name: &str,
        text: &ScriptSource,
        role: ScriptKind,
    ) -> (Option<Place>, ScriptPowers, Vec<Diagnostic>) {
        let compiled = compile(name, text, role);
        if failed(&compiled.diagnostics) {
            return (None, compiled.powers, compiled.diagnostics);
        }
        let program = WorkerScript::Script { name: name.to_owned(), text: text.text.to_string(), kind: role };
        let remote = Remote::new(&self.pool, program, name, text);
        if let Some(script) = compiled.script {
            return (Some(Place::Here(script, remote)), compiled.powers, compiled.diagnostics);
        }
        let probed = if self.probes { remote.probe() } else { Vec::new() };
        let diagnostics = merged(compiled.diagnostics, probed);
        let place = (!failed(&diagnostics)).then_some(Place::There(remote));
        (place, compiled.powers, diagnostics)
    }
}

/// The findings of both; the worker finds again what was found here.
pub(super) fn merged(mut here: Vec<Diagnostic>, there: Vec<Diagnostic>) -> Vec<Diagnostic> {
    for found in there {
        if !here.contains(&found) {
            here.push(found);
        }
    }
    here
}

fn failed(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|found| found.severity == Severity::Error)
}

impl Builder {
    /// The handler of a hook that is a script.
    pub(crate) fn script_handler(&self, declaration: &HookDeclaration, text: &ScriptSource) -> BuiltHandler {
        let (place, powers, diagnostics) = self.place(&declaration.name, text, ScriptKind::Hook);
        let codec = Arc::clone(&declaration.codec);
        let influence = code_influence(powers.can_rewrite || powers.can_deny);
        let handler = place.map(|place| Arc::new(ScriptHandler { place, codec, influence }) as _);
        BuiltHandler { handler, guard: powers.can_deny, diagnostics }
    }

    /// The matcher of a hook with a `when`.
    pub(crate) fn script_matcher(&self, declaration: &HookDeclaration, expression: &ScriptSource) -> BuiltMatcher {
        if expression.text.trim().is_empty() {
            return BuiltMatcher::default();
        }
        let script = match &declaration.handler {
            HandlerSpec::Script(text) => Some(text),
            _ => None,
        };
        let name = &declaration.name;
        let compiled = compile_when(name, expression, script, &declaration.event);
        let (spelling, codec) = (Arc::clone(&declaration.event_alias), Arc::clone(&declaration.codec));
        if compiled.when.is_none()
            && (failed(&compiled.diagnostics) || compiled.placement == ScriptPlacement::InProcess)
        {
            return BuiltMatcher { matcher: None, diagnostics: compiled.diagnostics };
        }
        let program = WorkerScript::When {
            name: name.clone(),
            expression: expression.text.to_string(),
            script: script.map(|script| script.text.to_string()),
            event: declaration.event.as_str().to_owned(),
        };
        let remote = Remote::new(&self.pool, program, name, expression);
        if let Some(when) = compiled.when {
            let matcher = ScriptMatcher { when, remote, spelling, codec };
            return BuiltMatcher { matcher: Some(Arc::new(matcher)), diagnostics: compiled.diagnostics };
        }
        let probed = if self.probes { remote.probe() } else { Vec::new() };
        let diagnostics = merged(compiled.diagnostics, probed);
        let usable = !failed(&diagnostics);
        let matcher = RemoteMatcher { remote, text: Arc::clone(&expression.text), spelling, codec };
        BuiltMatcher { matcher: usable.then(|| Arc::new(matcher) as _), diagnostics }
    }

    /// Compiles the scripts of a tool.
    pub(crate) fn tool_findings(&self, tool: &ToolSpec) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        for (script, role) in [(&tool.script, ScriptKind::Tool), (&tool.verify, ScriptKind::Verify)] {
            if let Some(script) = script {
                diagnostics.extend(self.place(&tool.name, script, role).2);
            }
        }
        diagnostics
    }

    /// Compiles a verify script.
    pub(crate) fn verify_findings(&self, owner: &str, script: &ScriptSource) -> Vec<Diagnostic> {
        self.place(owner, script, ScriptKind::Verify).2
    }
}
