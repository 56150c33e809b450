//! Every hook and tool in the README and the guides loads without an error.

#![expect(clippy::expect_used, reason = "tests fail by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pintle_host::lifecycle::ToolCallRequest;
use pintle_host::tools::VOCABULARIES;
use pintle_host::{EventScope, Layer, Origin, Runtime, ToolCallDecision};
use pintle_testkit::fenced_blocks;
use serde_json::json;

/// The pages whose examples are loaded.
fn guide_pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages: Vec<PathBuf> = fs::read_dir(root.join("docs/guide"))
        .expect("the guides are in docs/guide")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    pages.push(root.join("README.md"));
    pages.sort();
    pages
}

/// The fenced blocks of a page that are complete artifacts.
fn fenced_artifacts(page: &str) -> Vec<String> {
    let blocks = fenced_blocks(page).into_iter();
    blocks.filter(|(language, ..)| *language == "markdown").map(|(.., text)| text).collect()
}

#[test]
fn every_artifact_of_the_guides_loads_without_a_fault() {
    let (mut hooks, mut tools) = (0, 0);
    for page in guide_pages() {
        let text = fs::read_to_string(&page).expect("a page is text");
        for (index, artifact) in fenced_artifacts(&text).iter().enumerate() {
            let kind = if artifact.contains("def handle(") { "hooks" } else { "tools" };
            *(if kind == "hooks" { &mut hooks } else { &mut tools }) += 1;
            let project = tempfile::tempdir().expect("a folder for the example");
            let dir = project.path().join(".harness").join(kind);
            fs::create_dir_all(&dir).expect("the folder is new");
            fs::write(dir.join(format!("example_{index}.md")), artifact).expect("the file is new");
            let built = Runtime::builder().path(project.path(), Layer::Project).load();
            let faults: Vec<String> = built.diagnostics.iter().map(ToString::to_string).collect();
            assert!(!built.has_errors(), "{}: {faults:#?}", page.display());
        }
    }
    assert!(hooks >= 3 && tools >= 1, "the pages show {hooks} hooks and {tools} tools: was the extraction broken?");
}

/// What a call of a tool comes to under the first hook of a page.
fn decide_under(runtime: &Runtime, project: &Path, call: ToolCallRequest) -> &'static str {
    let origin = Arc::new(Origin { cwd: project.display().to_string(), ..Origin::default() });
    match runtime.decide_tool_call(call, &origin, &EventScope::default()) {
        ToolCallDecision::Run(_) => "allow",
        ToolCallDecision::Refuse(_) => "deny",
    }
}

#[test]
fn the_first_hooks_of_the_readme_and_of_the_guide_hold_in_the_words_of_every_agent() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let shell = |command: &str| ("shell", json!({"command": command}));
    let pages = [
        (
            "README.md",
            vec![
                shell("rm -fr /"),
                shell("rm -rf ~"),
                shell("find .. -delete"),
                shell("rm -rf \"$DIR\"/x"),
                shell("rm -r ."),
            ],
            vec![shell("rm -rf build/x"), shell("ls -la /"), shell("git commit -m 'rm -rf /'"), shell("rm /tmp/x")],
        ),
        (
            "docs/guide/writing-a-hook.md",
            vec![
                shell("echo x >> .git/config"),
                shell("cd .git && rm HEAD"),
                ("write", json!({"path": ".git/config", "content": "x"})),
                ("edit", json!({"path": "src/../.git/config", "old": "a", "new": "b"})),
            ],
            vec![
                shell("git commit -m x"),
                shell("cat .git/config"),
                ("write", json!({"path": "src/git/config", "content": "x"})),
                ("read", json!({"path": ".git/config"})),
            ],
        ),
    ];
    for (page, denied, allowed) in pages {
        let text = fs::read_to_string(root.join(page)).expect("a page is text");
        let hook = fenced_artifacts(&text).into_iter().next().expect("the page shows a hook");
        assert!(hook.lines().count() <= 16, "{page}: a first hook is short");
        let dir = tempfile::tempdir().expect("a folder for the example");
        let project = dir.path().join("project");
        fs::create_dir_all(project.join(".harness/hooks")).expect("the folder is new");
        fs::create_dir(project.join(".git")).expect("the folder is new");
        fs::write(project.join(".harness/hooks/first.md"), hook).expect("the file is new");
        let runtime = Runtime::builder().path(&project, Layer::Project).build().unwrap();
        for vocabulary in VOCABULARIES {
            let calls = denied.iter().map(|call| ("deny", call)).chain(allowed.iter().map(|call| ("allow", call)));
            for (expected, (tool, args)) in calls {
                let native = vocabulary.to_native(tool, args);
                let call = ToolCallRequest::new("call_1", vocabulary, &native.name, native.input.clone());
                let decision = decide_under(&runtime, &project, call);
                assert_eq!(decision, expected, "{page}, {}: {native:?}", vocabulary.name);
            }
        }
    }
}

/// The numbers after `rule_` in a text, such as `07`.
fn rule_numbers(text: &str) -> std::collections::BTreeSet<String> {
    let numbers = text.split("rule_").skip(1).map(|rest| rest.chars().take_while(char::is_ascii_digit).collect());
    numbers.filter(|number: &String| !number.is_empty()).collect()
}

#[test]
fn every_rule_that_the_guide_names_is_a_test_and_every_rule_is_named() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let guide = fs::read_to_string(root.join("docs/guide/composition.md")).expect("the guide is there");
    let tests = fs::read_dir(root.join("crates/engine/tests/rules")).expect("the rules are there");
    let sources: String = tests.filter_map(|entry| fs::read_to_string(entry.ok()?.path()).ok()).collect();
    let tested: String = sources.lines().filter(|line| line.trim_start().starts_with("fn rule_")).collect();
    assert!(rule_numbers(&tested).len() > 40, "the rules were not found");
    assert_eq!(rule_numbers(&guide), rule_numbers(&tested));
}
