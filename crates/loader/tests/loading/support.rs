//! A project in a folder of its own, and a build that takes everything.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use pintle_contract::{
    BuiltHandler, BuiltMatcher, Diagnostic, Event, Handler, HandlerFactory, HandlerSpec, HookCall, HookDeclaration,
    Layer, MatchResult, Matcher, MatcherSpec, ScriptSource, Severity, SubjectFilter, ToolSpec, Verdict,
};
use pintle_loader::Loaded;
use tempfile::TempDir;

/// Takes every script; one that contains `SYNTAX` has an error, as a real compiler would find.
#[derive(Debug)]
pub(crate) struct Taking;

#[derive(Debug)]
struct Passes;

impl Handler for Passes {
    fn kind(&self) -> &'static str {
        "none"
    }
    fn call(&self, _call: &HookCall<'_>) -> Verdict {
        Verdict::pass()
    }
}

/// Matches always; the names in `one of a, b` are its subjects.
#[derive(Debug)]
struct Named(String);

impl Matcher for Named {
    fn matches(&self, _event: &Event) -> MatchResult {
        MatchResult::Yes
    }
    fn subjects(&self) -> SubjectFilter {
        match self.0.strip_prefix("one of") {
            Some(names) => {
                let names =
                    names.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
                SubjectFilter::Only { names, sufficient: true }
            }
            None => SubjectFilter::Any,
        }
    }
    fn describe(&self) -> String {
        self.0.clone()
    }
}

fn faults(script: &ScriptSource) -> Vec<Diagnostic> {
    if !script.text.contains("SYNTAX") {
        return Vec::new();
    }
    vec![Diagnostic::error("syntax", "SYNTAX in the script", script.location.clone())]
}

impl HandlerFactory for Taking {
    fn build_handler(&self, declaration: &HookDeclaration) -> BuiltHandler {
        let diagnostics = match &declaration.handler {
            HandlerSpec::Script(script) => faults(script),
            _ => Vec::new(),
        };
        let handler = diagnostics.is_empty().then(|| Arc::new(Passes) as Arc<dyn Handler>);
        BuiltHandler { handler, guard: false, diagnostics }
    }
    fn build_matcher(&self, declaration: &HookDeclaration) -> BuiltMatcher {
        let Some(MatcherSpec::Expression(script)) = &declaration.matcher else {
            return BuiltMatcher::default();
        };
        let diagnostics = faults(script);
        let matcher = diagnostics.is_empty().then(|| Arc::new(Named(script.text.to_string())) as Arc<dyn Matcher>);
        BuiltMatcher { matcher, diagnostics }
    }
    fn check_tool(&self, tool: &ToolSpec) -> Vec<Diagnostic> {
        tool.script.iter().flat_map(faults).collect()
    }
    fn check_verify(&self, _owner: &str, script: &ScriptSource) -> Vec<Diagnostic> {
        faults(script)
    }
}

/// A folder of files.
pub(crate) struct Project(TempDir);

impl Project {
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
    pub(crate) fn load(&self, path: &str) -> Loaded {
        pintle_loader::load(&self.path(path), Layer::Project, &Taking)
    }

    /// The findings of at least a severity, each as `file:line:column: severity: message`, relative to the project.
    pub(crate) fn findings(&self, loaded: &Loaded, least: Severity) -> Vec<String> {
        let root = format!("{}/", self.0.path().display());
        let worst = loaded.diagnostics.iter().filter(|finding| finding.severity >= least);
        worst.map(|finding| finding.to_string().replace(&root, "")).collect()
    }
}

/// The names of the hooks of all chains, in order.
pub(crate) fn order(loaded: &Loaded) -> Vec<String> {
    loaded.chains.iter().flat_map(|chain| &chain.hooks).map(|hook| hook.id.to_string()).collect()
}

/// A hook file that does nothing wrong.
pub(crate) fn hook(event: &str, priority: i64) -> String {
    format!(
        "---\nevent: {event}\npriority: {priority}\nscript: |\n  def handle(event, payload):\n      return allow()\n---\n\n# why\n"
    )
}
