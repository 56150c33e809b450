//! Builds handlers and matchers from scripts.

use std::sync::Arc;

use pintle_contract::{
    BuiltHandler, BuiltMatcher, Diagnostic, HandlerSpec, HookDeclaration, ScriptSource, ScriptTexts, Severity, ToolSpec,
};
use pintle_script::worker::WorkerScript;
use pintle_script::{
    ScriptKind, ScriptPlacement, ScriptPowers, compile, compile_covered, compile_when, compile_when_covered,
};

use super::handler::{ScriptHandler, ScriptLocation, code_influence};
use super::matcher::{RemoteMatcher, ScriptMatcher};
use super::remote::RemoteScript;
use crate::DefaultHandlerFactory;

/// A script that was compiled.
pub(super) struct BuiltScript {
    /// Where it runs; `None` if it does not compile.
    pub(super) location: Option<ScriptLocation>,
    pub(super) powers: ScriptPowers,
    pub(super) texts: ScriptTexts,
    pub(super) needs_order: bool,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl DefaultHandlerFactory {
    /// Compiles a script for a role.
    pub(super) fn compile_script(&self, name: &str, text: &ScriptSource, script_kind: ScriptKind) -> BuiltScript {
        let compiled = match &self.coverage {
            // Only hooks are tested.
            Some(recorder) if script_kind == ScriptKind::Hook => compile_covered(name, text, script_kind, recorder),
            _ => compile(name, text, script_kind),
        };
        let built = BuiltScript {
            location: None,
            powers: compiled.powers,
            texts: compiled.texts,
            needs_order: compiled.needs_order,
            diagnostics: compiled.diagnostics,
        };
        if has_error(&built.diagnostics) {
            return built;
        }
        let program = WorkerScript::Script { name: name.to_owned(), text: text.text.to_string(), kind: script_kind };
        let remote = RemoteScript::new(&self.worker_pool, program, name, text).with_hits(compiled.hits);
        if let Some(script) = compiled.script {
            return BuiltScript { location: Some(ScriptLocation::InProcess(script, remote)), ..built };
        }
        let probed = if self.probes_workers { remote.probe() } else { Vec::new() };
        let diagnostics = merge_diagnostics(built.diagnostics, probed);
        let location = (!has_error(&diagnostics)).then_some(ScriptLocation::Worker(remote));
        BuiltScript { location, diagnostics, ..built }
    }
}

/// The diagnostics of both, without duplicates: the worker repeats those of this process.
pub(super) fn merge_diagnostics(mut here: Vec<Diagnostic>, there: Vec<Diagnostic>) -> Vec<Diagnostic> {
    for found in there {
        if !here.contains(&found) {
            here.push(found);
        }
    }
    here
}

fn has_error(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|found| found.severity == Severity::Error)
}

impl DefaultHandlerFactory {
    /// The handler of a hook that is a script.
    pub(crate) fn script_handler(&self, declaration: &HookDeclaration, text: &ScriptSource) -> BuiltHandler {
        let BuiltScript { location, powers, texts, needs_order, diagnostics } =
            self.compile_script(&declaration.name, text, ScriptKind::Hook);
        let codec = Arc::clone(&declaration.codec);
        let influence = code_influence(powers.can_rewrite || powers.can_deny);
        let handler = location.map(|location| Arc::new(ScriptHandler { location, codec, influence, needs_order }) as _);
        BuiltHandler { handler, guard: powers.can_deny, texts, diagnostics }
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
        let event = &declaration.event;
        let compiled = match &self.coverage {
            Some(recorder) => compile_when_covered(name, expression, script, event, recorder),
            None => compile_when(name, expression, script, event),
        };
        let texts = compiled.texts;
        let (event_alias, codec) = (Arc::clone(&declaration.event_alias), Arc::clone(&declaration.codec));
        if compiled.when.is_none()
            && (has_error(&compiled.diagnostics) || compiled.placement == ScriptPlacement::InProcess)
        {
            return BuiltMatcher { diagnostics: compiled.diagnostics, ..BuiltMatcher::default() };
        }
        let program = WorkerScript::When {
            name: name.clone(),
            expression: expression.text.to_string(),
            script: script.map(|script| script.text.to_string()),
            event: declaration.event.as_str().to_owned(),
        };
        let remote = RemoteScript::new(&self.worker_pool, program, name, expression).with_hits(compiled.hits);
        if let Some(when) = compiled.when {
            let matcher = ScriptMatcher { when, remote, event_alias, codec };
            return BuiltMatcher { matcher: Some(Arc::new(matcher)), texts, diagnostics: compiled.diagnostics };
        }
        let probed = if self.probes_workers { remote.probe() } else { Vec::new() };
        let diagnostics = merge_diagnostics(compiled.diagnostics, probed);
        let usable = !has_error(&diagnostics);
        let matcher = RemoteMatcher { remote, text: Arc::clone(&expression.text), event_alias, codec };
        BuiltMatcher { matcher: usable.then(|| Arc::new(matcher) as _), texts, diagnostics }
    }

    /// The diagnostics of a tool's scripts.
    pub(crate) fn tool_findings(&self, tool: &ToolSpec) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        for (script, role) in [(&tool.script, ScriptKind::Tool), (&tool.verify, ScriptKind::Verify)] {
            if let Some(script) = script {
                diagnostics.extend(self.compile_script(&tool.name, script, role).diagnostics);
            }
        }
        diagnostics
    }

    /// The diagnostics of a verify script.
    pub(crate) fn verify_findings(&self, owner: &str, script: &ScriptSource) -> Vec<Diagnostic> {
        self.compile_script(owner, script, ScriptKind::Verify).diagnostics
    }
}
