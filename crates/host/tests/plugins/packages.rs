//! Directories that contain several artifacts, and packages with every possible error.

use std::fs;

use pintle_host::Decision;
use serde_json::json;

use crate::plugins::{describe_diagnostics, fire_event, load_hooks, write_files};

const MANIFEST: &str = "[[hooks]]\nevent = \"UserPromptSubmit\"\nhandler = \"policy::reject_secrets\"\n";
const POLICY: &str = "def reject_secrets(event):\n    if \"secret\" in event[\"prompt\"]:\n        return False\n";

/// The hooks in calling order, with their dialects.
fn describe_hooks(built: &pintle_host::LoadedRuntime) -> Vec<String> {
    let hooks = built.runtime.hooks();
    let chains = hooks.chains().iter();
    chains
        .flat_map(|chain| chain.hooks.iter().map(|hook| format!("{} {} {}", chain.dialect, hook.id, hook.event)))
        .collect()
}

#[test]
fn a_folder_may_be_a_project_a_package_and_have_plugins_at_once() {
    let hook =
        "---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      return allow()\n---\n";
    let dir = write_files(&[
        ("harness.md", "---\nname: a\n---\n\nYou help.\n"),
        (".harness/hooks/own.md", hook),
        (".harness/plugins/gate.star", "register_tool_hook({\"pattern\": \"exec_*\", \"deny\": \"exec is gated\"})\n"),
        ("harn.toml", MANIFEST),
        ("policy.star", POLICY),
    ]);
    let built = load_hooks(dir.path());
    assert_eq!(describe_diagnostics(&built, dir.path()), [""; 0]);
    assert_eq!(
        describe_hooks(&built),
        [
            "ai_harness own tool.pre",
            "harn policy::reject_secrets prompt.submit",
            "harn gate.star:1 exec_* deny tool.pre",
        ]
    );
    assert_eq!(fire_event(&built, "tool.pre", json!({"name": "exec_root"})).decision, Decision::Deny);
    let vetoed = fire_event(&built, "prompt.submit", json!({"prompt": "a secret"}));
    assert_eq!(vetoed.reason(), "blocked by hook \"policy::reject_secrets\": UserPromptSubmit hook returned false");
}

#[test]
fn an_early_allow_hides_no_later_deny() {
    let text = "register_session_hook(\"permission_asked\", lambda event: {\"decision\": \"allow\"})\n\
                register_session_hook(\"permission_asked\", lambda event: {\"decision\": \"deny\", \"reason\": \"no\"})\n";
    let dir = write_files(&[("p.star", text)]);
    let outcome =
        fire_event(&load_hooks(&dir.path().join("p.star")), "permission.ask", json!({"name": "exec_root", "args": {}}));
    assert_eq!((outcome.decision, outcome.approved), (Decision::Deny, false));
    assert_eq!(outcome.reason(), "blocked by hook \"p.star:2 PermissionAsked\": no");
}

#[test]
fn later_hooks_see_what_earlier_ones_rewrote_and_nobody_is_asked_twice() {
    let text = "register_tool_hook(post = lambda event: event[\"result\"][\"text\"] + \"b\")\n\
                register_tool_hook(post = lambda event: event[\"result\"][\"text\"] + \"c\")\n";
    let dir = write_files(&[("p.star", text)]);
    let outcome =
        fire_event(&load_hooks(&dir.path().join("p.star")), "tool.post", json!({"name": "x", "content": "a"}));
    assert_eq!(outcome.payload.field("content"), Some(&json!("abc")));
    assert_eq!(outcome.hooks_called, 2);
}

#[test]
fn handlers_that_cannot_be_resolved_are_errors_at_their_place() {
    let manifest = "[[hooks]]\nevent = \"UserPromptSubmit\"\nhandler = \"policy::reject_secret\"\n\n[[hooks]]\n\
                    event = \"PreStep\"\nhandler = \"policy::two\"\n\n[[hooks]]\nevent = \"PreStep\"\n\
                    handler = \"policy::LIMIT\"\n";
    let policy = format!("{POLICY}\ndef two(a, b):\n    return None\n\nLIMIT = 3\n");
    let dir = write_files(&[("harn.toml", manifest), ("policy.star", &policy)]);
    let built = load_hooks(dir.path());
    assert!(built.has_errors());
    let found = describe_diagnostics(&built, dir.path());
    assert_eq!(found.len(), 3, "{found:#?}");
    for (found, place) in
        found.iter().zip(["harn.toml:3:11: error: ", "harn.toml:7:11: error: ", "harn.toml:11:11: error: "])
    {
        assert!(found.starts_with(place), "{found}");
    }
    assert!(found[0].contains("did you mean `reject_secrets`?"), "{found:#?}");
}

#[test]
fn hooks_of_a_dependency_are_loaded_and_circles_end() {
    let root = format!("[package]\nname = \"app\"\n[dependencies]\nguard = {{ path = \"guard\" }}\n{MANIFEST}");
    let inner = "[package]\nname = \"guard\"\n[dependencies]\napp = { path = \"..\" }\n[[hooks]]\n\
                 event = \"UserPromptSubmit\"\nhandler = \"rules::never\"\n";
    let dir = write_files(&[
        ("harn.toml", &root),
        ("policy.star", POLICY),
        ("guard/harn.toml", inner),
        ("guard/src/rules.star", "def never(event):\n    return {\"block\": True, \"reason\": \"never\"}\n"),
    ]);
    let built = load_hooks(&dir.path().join("harn.toml"));
    assert_eq!(describe_diagnostics(&built, dir.path()), [""; 0]);
    let wanted = ["harn policy::reject_secrets prompt.submit", "harn guard::rules::never prompt.submit"];
    assert_eq!(describe_hooks(&built), wanted);
    assert_eq!(fire_event(&built, "prompt.submit", json!({"prompt": "x"})).reasons[0].text, "never");
    fs::remove_file(dir.path().join("guard/harn.toml")).unwrap();
    let found = describe_diagnostics(&load_hooks(dir.path()), dir.path());
    assert_eq!(found.len(), 1);
    assert!(
        found[0].contains("`harn.toml` does not exist in `guard`; fix the path under `[dependencies]`"),
        "{found:#?}"
    );
}

#[test]
fn one_hook_for_each_of_a_thousand_tools_asks_one() {
    let text =
        "for number in range(1000):\n    register_tool_hook({\"pattern\": \"tool_%d\" % number, \"deny\": \"no\"})\n";
    let dir = write_files(&[("p.star", text)]);
    let built = load_hooks(&dir.path().join("p.star"));
    assert_eq!(describe_diagnostics(&built, dir.path()), [""; 0]);
    let outcome = fire_event(&built, "tool.pre", json!({"name": "tool_700"}));
    assert_eq!((outcome.hooks_called, outcome.decision), (1, Decision::Deny));
    assert_eq!(fire_event(&built, "tool.pre", json!({"name": "other"})).hooks_called, 0);
}
