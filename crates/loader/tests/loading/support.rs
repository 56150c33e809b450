//! A project in its own directory, and a factory that accepts everything.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use pintle_contract::{
    BuiltHandler, BuiltMatcher, Diagnostic, Event, Handler, HandlerFactory, HandlerSpec, HookCall, HookDeclaration,
    Layer, MatchResult, Matcher, MatcherSpec, ScriptSource, Severity, SubjectFilter, ToolSpec, Verdict,
};
use pintle_loader::LoadedPath;
use tempfile::TempDir;

/// Accepts every script; one that contains `SYNTAX` has an error, as from a real compiler.
#[derive(Debug)]
pub(crate) struct AcceptingFactory;

#[derive(Debug)]
struct PassingHandler;

impl Handler for PassingHandler {
    fn kind(&self) -> &'static str {
        "none"
    }
    fn call(&self, _call: &HookCall<'_>) -> Verdict {
        Verdict::pass()
    }
}

/// Always matches; the names in `one of a, b` are its subjects.
#[derive(Debug)]
struct SubjectListMatcher(String);

impl Matcher for SubjectListMatcher {
    fn matches(&self, _event: &Event) -> MatchResult {
        MatchResult::Yes
    }
    fn subjects(&self) -> SubjectFilter {
        match self.0.strip_prefix("one of") {
            Some(names) => {
                let names =
                    names.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
                SubjectFilter::certain(names)
            }
            None => SubjectFilter::Any,
        }
    }
    fn describe(&self) -> String {
        self.0.clone()
    }
}

fn script_errors(script: &ScriptSource) -> Vec<Diagnostic> {
    if !script.text.contains("SYNTAX") {
        return Vec::new();
    }
    vec![Diagnostic::error("syntax", "SYNTAX in the script", script.location.clone())]
}

impl HandlerFactory for AcceptingFactory {
    fn build_handler(&self, declaration: &HookDeclaration) -> BuiltHandler {
        let diagnostics = match &declaration.handler {
            HandlerSpec::Script(script) => script_errors(script),
            _ => Vec::new(),
        };
        let handler = diagnostics.is_empty().then(|| Arc::new(PassingHandler) as Arc<dyn Handler>);
        BuiltHandler { handler, guard: false, diagnostics, ..BuiltHandler::default() }
    }
    fn build_matcher(&self, declaration: &HookDeclaration) -> BuiltMatcher {
        let Some(MatcherSpec::Expression(script)) = &declaration.matcher else {
            return BuiltMatcher::default();
        };
        let diagnostics = script_errors(script);
        let matcher =
            diagnostics.is_empty().then(|| Arc::new(SubjectListMatcher(script.text.to_string())) as Arc<dyn Matcher>);
        BuiltMatcher { matcher, diagnostics, ..BuiltMatcher::default() }
    }
    fn check_tool(&self, tool: &ToolSpec) -> Vec<Diagnostic> {
        tool.script.iter().flat_map(script_errors).collect()
    }
    fn check_verify(&self, _owner: &str, script: &ScriptSource) -> Vec<Diagnostic> {
        script_errors(script)
    }
}

/// A directory of files.
pub(crate) struct LoaderFixture(TempDir);

impl LoaderFixture {
    /// Writes the files, whose paths are relative.
    pub(crate) fn new<B: AsRef<[u8]>>(files: &[(&str, B)]) -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        for (path, bytes) in files {
            let path = project.path(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        project
    }

    /// A path in it.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    /// Loads a path in it.
    pub(crate) fn load(&self, path: &str) -> LoadedPath {
        pintle_loader::load(&self.path(path), Layer::Project, &AcceptingFactory)
    }

    /// The diagnostics of at least a severity, each as `file:line:column: severity: message`, relative to the project.
    pub(crate) fn findings(&self, path: &LoadedPath, least: Severity) -> Vec<String> {
        let root = format!("{}/", self.0.path().display());
        let worst = path.diagnostics.iter().filter(|diagnostic| diagnostic.severity >= least);
        worst.map(|diagnostic| diagnostic.to_string().replace(&root, "")).collect()
    }
}

/// The names of the hooks of all chains, in order.
pub(crate) fn hook_order(path: &LoadedPath) -> Vec<String> {
    path.chains.iter().flat_map(|chain| &chain.hooks).map(|hook| hook.id.to_string()).collect()
}

/// A valid hook file.
pub(crate) fn hook_file(event: &str, priority: i64) -> String {
    format!(
        "---\nevent: {event}\npriority: {priority}\nscript: |\n  def handle(event, payload):\n      return allow()\n---\n\n# why\n"
    )
}
