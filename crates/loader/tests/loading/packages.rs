//! Packages and plugins: which files belong to a path.

use pintle_contract::{
    BuiltHandler, BuiltMatcher, Diagnostic, HandlerFactory, HookDeclaration, Layer, LoadedPlugin, RegistrationArgument,
    RegistrationCall, ScriptSource, Severity, ToolSpec,
};
use pintle_loader::{LoadedPath, load};
use serde_json::json;

use crate::support::{AcceptingFactory, LoaderFixture, hook_file, hook_order};

/// Accepts everything; a plugin registers one hook that denies the tool with its file's name.
struct RegisteringFactory;

impl HandlerFactory for RegisteringFactory {
    fn build_handler(&self, declaration: &HookDeclaration) -> BuiltHandler {
        AcceptingFactory.build_handler(declaration)
    }

    fn build_matcher(&self, declaration: &HookDeclaration) -> BuiltMatcher {
        AcceptingFactory.build_matcher(declaration)
    }

    fn check_tool(&self, tool: &ToolSpec) -> Vec<Diagnostic> {
        AcceptingFactory.check_tool(tool)
    }

    fn load_plugin(&self, name: &str, module: &ScriptSource) -> LoadedPlugin {
        let registration = RegistrationCall {
            function: String::from("register_tool_hook"),
            arguments: vec![RegistrationArgument::Value(json!({"pattern": name, "deny": "no"}))],
            location: module.location.clone(),
            ..RegistrationCall::default()
        };
        LoadedPlugin { registrations: vec![registration], diagnostics: Vec::new() }
    }

    fn check_verify(&self, owner: &str, script: &ScriptSource) -> Vec<Diagnostic> {
        AcceptingFactory.check_verify(owner, script)
    }
}

fn load_package(project: &LoaderFixture, path: &str) -> LoadedPath {
    load(&project.path(path), Layer::Project, &RegisteringFactory)
}

const MANIFEST: &str = "[[hooks]]\nevent = \"PreToolUse\"\nhandler = \"policy::f\"\n";
const MODULE: &str = "def f(event):\n    return None\n";

#[test]
fn plugins_are_read_where_hooks_are_and_alone() {
    let own = hook_file("tool.pre", 5);
    let project = LoaderFixture::new(&[
        (".harness/hooks/a.md", own.as_str()),
        (".harness/hooks/b.star", ""),
        (".harness/plugins/c.star", ""),
        (".harness/tools/not.star", ""),
        ("loose/d.star", ""),
        ("loose/e.md", own.as_str()),
    ]);
    for (path, wanted) in [
        ("", &["a", "b.star:1 b.star deny", "c.star:1 c.star deny"][..]),
        (".harness/plugins/c.star", &["c.star:1 c.star deny"]),
        (".harness/plugins", &["c.star:1 c.star deny"]),
        ("loose", &["d.star:1 d.star deny", "e"]),
    ] {
        let loaded = load_package(&project, path);
        assert_eq!(project.findings(&loaded, Severity::Warning), [""; 0], "{path}");
        assert_eq!(hook_order(&loaded), wanted, "{path}");
    }
}

#[test]
fn a_manifest_brings_its_modules_and_those_of_what_it_depends_on() {
    let root = format!(
        "[package]\nname = \"app\"\n[exports]\npolicy = \"inner/p.star\"\n[dependencies]\ng = {{path = \"g\"}}\n{MANIFEST}"
    );
    let inner = format!("[package]\nname = \"g\"\n[dependencies]\napp = {{path = \"..\"}}\n{MANIFEST}");
    let project = LoaderFixture::new(&[
        ("harn.toml", root.as_str()),
        ("inner/p.star", MODULE),
        ("src/other.star", MODULE),
        ("g/harn.toml", inner.as_str()),
        ("g/lib/policy.star", MODULE),
    ]);
    for path in ["", "harn.toml"] {
        let loaded = load_package(&project, path);
        assert_eq!(project.findings(&loaded, Severity::Warning), [""; 0], "{path}");
        assert_eq!(hook_order(&loaded), ["policy::f", "g::policy::f"], "{path}");
        assert_eq!(loaded.files, 5, "{path}");
    }
}

#[test]
fn a_folder_may_hold_several_dialects_at_once() {
    let own = hook_file("tool.pre", 5);
    let project = LoaderFixture::new(&[
        ("harness.md", "---\nname: a\n---\nYou help.\n"),
        (".harness/hooks/a.md", own.as_str()),
        (".harness/plugins/c.star", ""),
        ("harn.toml", MANIFEST),
        ("policy.star", MODULE),
    ]);
    let loaded = load_package(&project, "");
    assert_eq!(project.findings(&loaded, Severity::Warning), [""; 0]);
    assert_eq!(hook_order(&loaded), ["a", "policy::f", "c.star:1 c.star deny"]);
    let dialects: Vec<&str> = loaded.chains.iter().map(|chain| chain.dialect).collect();
    assert_eq!(dialects, ["ai_harness", "harn"]);
    assert!(loaded.agent.is_some());
    let team = "agents:\n  root:\n    model: openai/gpt-4o\n    instruction: help\n";
    let project = LoaderFixture::new(&[("team.yaml", team), ("harn.toml", MANIFEST), ("policy.star", MODULE)]);
    let loaded = load_package(&project, "");
    assert!(loaded.team.is_some());
    assert_eq!(hook_order(&loaded), ["policy::f"]);
}

#[test]
fn a_dependency_that_is_not_there_is_an_error() {
    let project = LoaderFixture::new(&[("harn.toml", "[dependencies]\nx = {path = \"gone\"}\n")]);
    let found = project.findings(&load_package(&project, ""), Severity::Error);
    assert_eq!(found, ["harn.toml:2:13: error: `harn.toml` does not exist in `gone`"]);
}
