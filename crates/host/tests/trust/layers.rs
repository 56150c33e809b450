//! The sources of hooks when the user names no path.

use std::fs;

use pintle_host::loader::{LayerDirs, find_projects};
use pintle_host::{Layer, Runtime};

use crate::trust::fixture::TrustFixture;

fn denying_hook(reason: &str) -> String {
    format!(
        "---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      return block(\"{reason}\")\n---\n"
    )
}

#[test]
fn organisation_hooks_precede_user_hooks_which_precede_project_hooks() {
    let fixture = TrustFixture::new_trusted();
    let above = |path: &str| fixture.path("..").join(path);
    fixture.write("../managed/hooks/ours.md", denying_hook("ours"));
    fixture.write("../own/hooks/mine.md", denying_hook("mine"));
    fixture.write("../own/hooks.d/10.yaml", "session_end:\n  - {type: command, name: late, command: 'true'}\n");
    fixture.write("../own/plugins/gate.star", "register_tool_hook({\"pattern\": \"x*\", \"deny\": \"gated\"})\n");
    fixture.write("../own/harn.toml", "[[hooks]]\nevent = \"SessionStart\"\nhandler = \"p::start\"\n");
    fixture.write("../own/p.star", "def start(event):\n    return None\n");
    let managed = vec![above("managed"), above("nowhere")];
    let layers = LayerDirs { managed, ..fixture.layers() };
    let built = Runtime::builder().layers(layers).trust(fixture.trust()).load();
    let found: Vec<String> = built.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(found, [""; 0]);
    let set = built.runtime.hooks();
    let is_written = |hook: &pintle_host::Hook| hook.handler.kind() != "builtin";
    let hooks = set.hooks().filter(|(_, hook)| is_written(hook));
    let mut listed: Vec<(Layer, String)> = hooks.map(|(chain, hook)| (chain.layer, hook.id.to_string())).collect();
    listed.sort();
    let names: Vec<String> = listed.into_iter().map(|(layer, name)| format!("{layer} {name}")).collect();
    assert_eq!(
        names,
        [
            "managed ours",
            "user gate.star:1 x* deny",
            "user late",
            "user mine",
            "user p::start",
            "project guard",
            "project hello",
            "project policy::judge",
            "project teller::tell",
        ]
    );
    assert!(fixture.call_shell().reason().contains("mine"));
}

#[test]
fn a_dialect_that_the_host_runs_itself_is_left_out() {
    let mut fixture = TrustFixture::new_trusted();
    fixture.without_dialect = Some("docker_agent");
    let names: Vec<String> =
        fixture.build_runtime().runtime.hooks().hooks().map(|(_, hook)| hook.id.to_string()).collect();
    assert_eq!(names, ["policy::judge", "teller::tell"]);
    // The script is still part of the trusted set, but its change must not affect the hooks of the other dialects.
    fixture.write("hooks/guard.sh", "#!/bin/sh\n");
    let consent = fixture.consent();
    assert!(consent.untrusted_hooks.is_empty(), "{:?}", consent.untrusted_hooks);
    fs::remove_file(fixture.path("agent.yaml")).unwrap();
    assert!(fixture.consent().untrusted_hooks.is_empty());
}

#[test]
fn project_is_nearest_dir_with_hooks_up_to_the_repository_or_home() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    for path in [
        "home/.harness",
        "home/repo/.git",
        "home/repo/.harness",
        "home/repo/a/b",
        "home/repo/a/.claude",
        "home/loose/c",
    ] {
        fs::create_dir_all(root.join(path)).unwrap();
    }
    fs::create_dir_all(root.join("home/bare/.git")).unwrap();
    fs::create_dir_all(root.join("home/bare/x")).unwrap();
    let settings = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#;
    fs::write(root.join("home/repo/a/.claude/settings.json"), settings).unwrap();
    fs::create_dir_all(root.join("home/repo/none/.claude")).unwrap();
    fs::write(root.join("home/repo/none/.claude/settings.json"), r#"{"permissions": {}}"#).unwrap();
    fs::write(root.join("home/repo/none/settings.json"), r#"{"theme": "dark"}"#).unwrap();
    fs::write(root.join("home/repo/none/agent.yaml"), "name: no team\n").unwrap();
    fs::write(root.join("home/repo/a/README.md"), "").unwrap();
    fs::create_dir_all(root.join("home/repo/tools/hooks")).unwrap();
    let cases = [
        ("home/repo", Some("home/repo")),
        ("home/repo/tools/hooks", Some("home/repo")),
        ("home/repo/a/b", Some("home/repo/a")),
        ("home/repo/none", Some("home/repo")),
        ("home/bare/x", None),
        ("home/loose/c", None),
        ("home", Some("home")),
        ("nowhere", None),
    ];
    for (cwd, wanted) in cases {
        let layers = LayerDirs { cwd: root.join(cwd), home: Some(root.join("home")), ..LayerDirs::default() };
        let found = find_projects(&layers, &pintle_host::loader::TrustOptions::default().into_grants());
        assert_eq!(found, wanted.map(|wanted| root.join(wanted)).into_iter().collect::<Vec<_>>(), "{cwd}");
    }
}

#[test]
fn other_files_of_a_project_are_not_taken_for_hooks() {
    let fixture = TrustFixture::new();
    fixture.write("tools/notes.md", "no tool\n");
    fixture.write("hooks/notes.md", "no hook\n");
    let built = fixture.build_runtime();
    assert!(built.declarations().all(|hook| hook.name != "notes"));
}
