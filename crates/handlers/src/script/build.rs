//! Declarations into handlers and matchers.

use std::sync::Arc;

use pintle_contract::{
    Build, BuiltHandler, BuiltMatcher, Diagnostic, HandlerSpec, HookDeclaration, MatcherSpec, ScriptText, Severity,
    ToolSpec,
};
use pintle_script::worker::Program;
use pintle_script::{Placement, Role, compile, compile_when};

use super::handler::{NoHandler, Place, ScriptHandler};
use super::matcher::{RemoteMatcher, ScriptMatcher};
use super::remote::Remote;
use crate::isolate::{Pool, WorkerProgram};

/// Builds the scripts of hooks, and checks those of tools.
///
/// A script is parsed here, after a check that bounds what the parser may recurse into, and analysed. When all it does
/// costs a small multiple of its input it is loaded and run in this process. Any other is loaded in a worker process:
/// a source that ends the worker is an error diagnostic, and the next source gets a fresh worker. Workers end with the
/// last handler and tool that use them.
#[derive(Debug, Clone)]
pub struct Builder {
    pool: Arc<Pool>,
}

impl Builder {
    /// A builder whose workers are processes of `program`. None is started before a script needs one.
    #[must_use]
    pub fn new(program: WorkerProgram) -> Self {
        Self { pool: Arc::new(Pool::new(program)) }
    }

    /// Compiles a script for a role: where it runs, and what was found.
    pub(super) fn place(&self, name: &str, text: &ScriptText, role: Role) -> (Option<Place>, bool, Vec<Diagnostic>) {
        let compiled = compile(name, text, role);
        if failed(&compiled.diagnostics) {
            return (None, compiled.guard, compiled.diagnostics);
        }
        if let Some(script) = compiled.script {
            return (Some(Place::Here(script)), compiled.guard, compiled.diagnostics);
        }
        let program = Program::Script { name: name.to_owned(), text: text.text.to_string(), role };
        let remote = Remote::new(&self.pool, program, name, text);
        let diagnostics = merged(compiled.diagnostics, remote.probe());
        let place = (!failed(&diagnostics)).then_some(Place::There(remote));
        (place, compiled.guard, diagnostics)
    }
}

/// The findings of both; the worker finds again what was found here.
fn merged(mut here: Vec<Diagnostic>, there: Vec<Diagnostic>) -> Vec<Diagnostic> {
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

impl Build for Builder {
    fn handler(&self, declaration: &HookDeclaration) -> BuiltHandler {
        let text = match &declaration.handler {
            HandlerSpec::None => {
                return BuiltHandler { handler: Some(Arc::new(NoHandler)), ..BuiltHandler::default() };
            }
            HandlerSpec::Script(text) => text,
        };
        let (place, guard, diagnostics) = self.place(&declaration.name, text, Role::Hook);
        let codec = Arc::clone(&declaration.codec);
        let handler = place.map(|place| Arc::new(ScriptHandler { place, codec }) as _);
        BuiltHandler { handler, guard, diagnostics }
    }

    fn matcher(&self, declaration: &HookDeclaration) -> BuiltMatcher {
        let Some(MatcherSpec::Expression(expression)) = &declaration.matcher else {
            return BuiltMatcher::default();
        };
        if expression.text.trim().is_empty() {
            return BuiltMatcher::default();
        }
        let script = match &declaration.handler {
            HandlerSpec::Script(text) => Some(text),
            HandlerSpec::None => None,
        };
        let name = &declaration.name;
        let compiled = compile_when(name, expression, script, &declaration.event);
        let (spelling, codec) = (Arc::clone(&declaration.spelling), Arc::clone(&declaration.codec));
        if let Some(when) = compiled.when {
            let matcher = ScriptMatcher { when, spelling, codec };
            return BuiltMatcher { matcher: Some(Arc::new(matcher)), diagnostics: compiled.diagnostics };
        }
        if failed(&compiled.diagnostics) || compiled.placement == Placement::InProcess {
            return BuiltMatcher { matcher: None, diagnostics: compiled.diagnostics };
        }
        let program = Program::When {
            name: name.clone(),
            expression: expression.text.to_string(),
            script: script.map(|script| script.text.to_string()),
            event: declaration.event.as_str().to_owned(),
        };
        let remote = Remote::new(&self.pool, program, name, expression);
        let diagnostics = merged(compiled.diagnostics, remote.probe());
        let usable = !failed(&diagnostics);
        let matcher = RemoteMatcher { remote, text: Arc::clone(&expression.text), spelling, codec };
        BuiltMatcher { matcher: usable.then(|| Arc::new(matcher) as _), diagnostics }
    }

    fn check_tool(&self, tool: &ToolSpec) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        for (script, role) in [(&tool.script, Role::Tool), (&tool.verify, Role::Verify)] {
            if let Some(script) = script {
                diagnostics.extend(self.place(&tool.name, script, role).2);
            }
        }
        diagnostics
    }

    fn check_verify(&self, owner: &str, script: &ScriptText) -> Vec<Diagnostic> {
        self.place(owner, script, Role::Verify).2
    }
}
