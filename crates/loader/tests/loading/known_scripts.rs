//! Scripts that are known to compile are compiled when they are asked.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use pintle_contract::{
    BuiltHandler, BuiltMatcher, CallId, CallLimits, CancelToken, Capability, Diagnostic, DispatchId, Handler,
    HandlerFactory, HandlerSpec, Hook, HookCall, HookDeclaration, Layer, MatchResult, Matcher, MatcherSpec,
    ScriptSource, Severity, ToolSpec, Verdict, VerdictKind,
};
use pintle_loader::{KnownScripts, LoadOptions, LoadedPath};
use pintle_testkit::{InMemoryEffects, SubjectMatcher, example_event};
use serde_json::json;

use crate::support::LoaderFixture;

/// Compiles everything but texts with `SYNTAX`, and remembers what it compiled.
#[derive(Debug, Clone, Default)]
pub(crate) struct ScriptFactory {
    compiled: Arc<Mutex<Vec<String>>>,
    pub(crate) is_broken: Arc<Mutex<bool>>,
}

#[derive(Debug)]
struct DenyingScript;

impl Handler for DenyingScript {
    fn kind(&self) -> &'static str {
        "script"
    }
    fn needs_order(&self) -> bool {
        false
    }
    fn call(&self, _: &HookCall<'_>) -> Verdict {
        Verdict::deny("no")
    }
}

impl ScriptFactory {
    pub(crate) fn take_compiled(&self) -> Vec<String> {
        std::mem::take(&mut *self.compiled.lock().unwrap())
    }
}

impl HandlerFactory for ScriptFactory {
    fn build_handler(&self, declaration: &HookDeclaration) -> BuiltHandler {
        let HandlerSpec::Script(script) = &declaration.handler else { unreachable!() };
        self.compiled.lock().unwrap().push(declaration.name.clone());
        if script.text.contains("SYNTAX") || *self.is_broken.lock().unwrap() {
            let diagnostics = vec![Diagnostic::error("syntax", "SYNTAX", script.location.clone())];
            return BuiltHandler { diagnostics, ..BuiltHandler::default() };
        }
        BuiltHandler { handler: Some(Arc::new(DenyingScript)), guard: true, ..BuiltHandler::default() }
    }
    fn build_matcher(&self, declaration: &HookDeclaration) -> BuiltMatcher {
        let Some(MatcherSpec::Expression(when)) = &declaration.matcher else { return BuiltMatcher::default() };
        let matcher = SubjectMatcher::new([when.text.trim()]) as Arc<dyn Matcher>;
        BuiltMatcher { matcher: Some(matcher).filter(|_| !*self.is_broken.lock().unwrap()), ..BuiltMatcher::default() }
    }
    fn check_tool(&self, _: &ToolSpec) -> Vec<Diagnostic> {
        Vec::new()
    }
    fn check_verify(&self, _: &str, _: &ScriptSource) -> Vec<Diagnostic> {
        Vec::new()
    }
    fn capabilities(&self, declaration: &HookDeclaration) -> Vec<Capability> {
        vec![Capability::Tool(declaration.name.clone())]
    }
}

pub(crate) fn hook_text(number: usize) -> String {
    format!("---\nevent: tool.pre\npriority: 1\nwhen: tool{number}\nscript: |\n  return {number}\n---\n")
}

/// A project with forty hooks, and a directory of the user's own.
pub(crate) fn many_hooks() -> (LoaderFixture, tempfile::TempDir) {
    let files: Vec<(String, String)> =
        (0..40).map(|number| (format!(".harness/hooks/h{number:02}.md"), hook_text(number))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    (LoaderFixture::new(&files), tempfile::tempdir().unwrap())
}

fn load(project: &LoaderFixture, dir: &Path, factory: &ScriptFactory) -> LoadedPath {
    let known = KnownScripts::new(factory.clone(), Some(dir), &project.path(""));
    let loaded = pintle_loader::load_with(&project.path(""), Layer::Project, &known, &LoadOptions::default());
    known.save().unwrap();
    loaded
}

fn describe(loaded_path: &LoadedPath) -> Vec<String> {
    let hooks = loaded_path.chains.iter().flat_map(|chain| &chain.hooks);
    let describe = |hook: &Arc<Hook>| {
        let matcher = hook.matcher.as_ref().unwrap();
        let handler = &hook.handler;
        format!(
            "{} {} {:?} {} {:?} {} {} {:?} {:?}",
            hook.id,
            hook.guard,
            matcher.subjects(),
            matcher.describe(),
            handler.influence(&hook.event_alias),
            handler.may_wait(),
            handler.needs_order(),
            hook.on_failure,
            handler.written_tool_names()
        )
    };
    hooks.map(describe).collect()
}

pub(crate) fn call(hook: &Hook) -> VerdictKind {
    let event = example_event("tool.pre", json!({"name": "tool3"}));
    let (effects, limits) = (InMemoryEffects::new(), CallLimits::default());
    let call = HookCall {
        dispatch: DispatchId(1),
        id: CallId(1),
        depth: 0,
        hook,
        layer: Layer::Project,
        event: &event,
        limits: &limits,
        effects: &effects,
        cancel: &CancelToken::default(),
    };
    hook.handler.call(&call).kind
}

pub(crate) fn only_file(dir: &Path) -> PathBuf {
    let mut files = pintle_files::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let first = files.next().unwrap();
    assert_eq!(files.next(), None);
    first
}

#[test]
fn a_known_script_is_compiled_when_it_is_asked() {
    let (project, dir) = many_hooks();
    let factory = ScriptFactory::default();
    let first = load(&project, dir.path(), &factory);
    assert_eq!(factory.take_compiled().len(), 40);
    let file = only_file(dir.path());
    assert_eq!(pintle_files::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let again = load(&project, dir.path(), &factory);
    assert_eq!(factory.take_compiled(), [""; 0]);
    assert_eq!(describe(&again), describe(&first));
    let hook = again.chains.iter().flat_map(|chain| &chain.hooks).find(|hook| hook.id.as_str() == "h03").unwrap();
    assert_eq!(
        hook.matcher.as_ref().unwrap().matches(&example_event("tool.pre", json!({"name": "tool3"}))),
        MatchResult::Yes
    );
    assert!(matches!(call(hook), VerdictKind::Deny { reason } if reason == "no"));
    assert_eq!(factory.take_compiled(), ["h03"]);

    // What changed compiles again, and so does everything for a few hooks.
    fs::write(project.path(".harness/hooks/h07.md"), hook_text(77)).unwrap();
    load(&project, dir.path(), &factory);
    assert_eq!(factory.take_compiled(), ["h07"]);
    load(&project, dir.path(), &factory);
    assert_eq!(factory.take_compiled(), [""; 0]);
    let few = LoaderFixture::new(&[(".harness/hooks/a.md", hook_text(1))]);
    for _ in 0..2 {
        load(&few, dir.path(), &factory);
        assert_eq!(factory.take_compiled(), ["a"]);
    }
}

#[test]
fn a_script_that_does_not_compile_is_an_error_at_every_load() {
    let (project, dir) = many_hooks();
    fs::write(project.path(".harness/hooks/h07.md"), hook_text(7).replace("return", "SYNTAX")).unwrap();
    let factory = ScriptFactory::default();
    for compiled in [40, 1, 1] {
        let loaded = load(&project, dir.path(), &factory);
        assert_eq!(factory.take_compiled().len(), compiled);
        assert_eq!(project.findings(&loaded, Severity::Error).len(), 1);
        assert_eq!(describe(&loaded).len(), 39);
    }
}

#[test]
fn a_known_guard_that_does_not_compile_any_more_denies() {
    let (project, dir) = many_hooks();
    let factory = ScriptFactory::default();
    load(&project, dir.path(), &factory);
    *factory.is_broken.lock().unwrap() = true;
    let loaded = load(&project, dir.path(), &factory);
    let hook = &loaded.chains[0].hooks[3];
    assert!(matches!(call(hook), VerdictKind::Deny { .. }));
    let event = example_event("tool.pre", json!({"name": "tool3"}));
    let MatchResult::Failed(failure) = hook.matcher.as_ref().unwrap().matches(&event) else { unreachable!() };
    assert!(failure.kind.is_cut_short());
}

#[test]
fn a_file_that_others_may_have_written_is_not_used() {
    let (project, dir) = many_hooks();
    let factory = ScriptFactory::default();
    let compiled = |dir: &Path| {
        load(&project, dir, &factory);
        factory.take_compiled().len()
    };
    assert_eq!((compiled(dir.path()), compiled(dir.path())), (40, 0));
    let file = only_file(dir.path());
    let text = pintle_files::read_text(&file).unwrap();
    let set_mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    for mode in [0o644, 0o620, 0o602] {
        set_mode(&file, mode);
        assert_eq!((compiled(dir.path()), compiled(dir.path())), (40, 0), "{mode:o}");
    }
    set_mode(dir.path(), 0o777);
    assert_eq!((compiled(dir.path()), compiled(dir.path())), (40, 40));
    set_mode(dir.path(), 0o700);
    let other_dir = tempfile::tempdir().unwrap();
    let elsewhere = other_dir.path().join("mine.json");
    fs::rename(&file, &elsewhere).unwrap();
    symlink(&elsewhere, &file).unwrap();
    assert_eq!((compiled(dir.path()), compiled(dir.path())), (40, 0));
    for (from, to) in [("{\"program\":\"1", "{\"program\":\"2"), ("\"scripts\"", "\"other\"")] {
        fs::write(&file, text.replacen(from, to, 1)).unwrap();
        assert_eq!((compiled(dir.path()), compiled(dir.path())), (40, 0), "{to}");
    }
    // Inside the project, its author may have written it.
    assert_eq!((compiled(&project.path("state")), compiled(&project.path("state"))), (40, 40));
    assert!(!pintle_files::exists(project.path("state")));
}
