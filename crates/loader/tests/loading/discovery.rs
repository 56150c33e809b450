//! Tests which files belong to a path.

use pintle_contract::{EnforcementMode, FailurePolicy, Layer, Profile, Severity};

use crate::support::{LoaderFixture, hook_file, hook_order};

fn tool_file() -> String {
    String::from("---\nscript: |\n  def run(args):\n      return 1\n---\nDoes it.\n")
}

fn bundle_file(handler: &str) -> String {
    format!("---\nhooks:\n  - handler: {handler}\n    event: tool.pre\n    priority: 5\n    script: x\n---\n")
}

/// One file of every kind, and some files that are not artifacts.
fn create_project() -> LoaderFixture {
    LoaderFixture::new(&[
        (
            "harness.md",
            String::from(
                "---\nhooks:\n  - {handler: inline, event: tool.pre, priority: 5, script: x}\n---\nYou help.\n",
            ),
        ),
        (".harness/hooks/b.md", hook_file("tool.pre", 5)),
        (".harness/hooks/a.md", hook_file("tool.pre", 5)),
        (".harness/hooks/.dot.md", hook_file("tool.pre", 5)),
        (".harness/hooks/Z.md", hook_file("tool.pre", 5)),
        (".harness/hooks/first.md", hook_file("tool.pre", -1)),
        (".harness/hooks/notes.txt", String::from("not read")),
        (".harness/tools/t.md", tool_file()),
        (".harness/root_bundle.md", bundle_file("root")),
        (".harness/plugins/p.md", bundle_file("plugin")),
        (".harness/builtins/b.md", bundle_file("builtin")),
        (".harness/overrides/o.md", bundle_file("override")),
        (".harness/agents/child.md", String::from("---\ndescription: helps\ntools: [t]\nhooks: [a]\n---\nDo it.\n")),
    ])
}

/// By priority, and then by the bytes of the paths.
const ALL: [&str; 10] = ["first", "builtin", ".dot", "Z", "a", "b", "override", "plugin", "root", "inline"];

#[test]
fn project_is_its_own_file_and_all_below_harness_in_order() {
    let project = create_project();
    for path in ["", "harness.md"] {
        let loaded = project.load(path);
        assert_eq!(project.findings(&loaded, Severity::Note), Vec::<String>::new());
        assert_eq!(hook_order(&loaded), ALL);
        assert_eq!(loaded.files, 12);
        let declared: Vec<&str> = loaded.hook_declarations.iter().map(|hook| hook.name.as_str()).collect();
        assert_eq!(declared, ["builtin", ".dot", "Z", "a", "b", "first", "override", "plugin", "root", "inline"]);
        let agent = loaded.agent.unwrap();
        assert_eq!(agent.instruction, "You help.");
        assert_eq!(agent.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["t"]);
        assert_eq!(agent.agents[0].name, "child");
        assert_eq!(agent.agents[0].tools[0].name, "t");
        assert!(agent.agents[0].hooks.is_empty());
    }
}

#[test]
fn a_root_a_folder_and_a_file_are_what_their_names_say() {
    let project = create_project();
    let root = project.load(".harness");
    assert_eq!(hook_order(&root), ["first", "builtin", ".dot", "Z", "a", "b", "override", "plugin", "root"]);
    assert_eq!(hook_order(&project.load(".harness/hooks")), ["first", ".dot", "Z", "a", "b"]);
    assert_eq!(hook_order(&project.load(".harness/hooks/b.md")), ["b"]);
    assert_eq!(hook_order(&project.load(".harness/plugins")), ["plugin"]);
    assert_eq!(hook_order(&project.load(".harness/overrides/o.md")), ["override"]);
    let tool = project.load(".harness/tools/t.md");
    assert_eq!((hook_order(&tool).len(), tool.agent.unwrap().tools.len()), (0, 1));
    assert!(project.load(".harness/hooks").agent.is_none());
}

#[test]
fn a_yaml_file_is_an_agent_without_a_body() {
    let project = LoaderFixture::new(&[(
        "harness.yaml",
        "hooks:\n  - {handler: h, event: turn.end, priority: 1, script: x}\ncontext: {system_prompt: Be brief.}\n",
    )]);
    let loaded = project.load("");
    assert_eq!(hook_order(&loaded), ["h"]);
    assert_eq!(loaded.agent.unwrap().instruction, "Be brief.");
}

#[test]
fn a_chain_knows_its_source_and_how_it_composes() {
    let project = LoaderFixture::new(&[(
        "hooks/h.md",
        "---\nevent: tool.post\npriority: 3\ntimeout_ms: 50\non_error: closed\nmode: shadow\nscript: x\n---\n",
    )]);
    let loaded = project.load("hooks");
    let chain = &loaded.chains[0];
    assert_eq!(*chain.source, *project.path("hooks").display().to_string());
    assert_eq!(
        (chain.dialect, chain.layer, chain.profile),
        ("ai_harness", Layer::Project, Profile::SequentialFirstDeny)
    );
    let hook = &chain.hooks[0];
    assert_eq!(
        (hook.priority, hook.on_failure, hook.strict_matcher, hook.mode),
        (3, FailurePolicy::Closed, true, EnforcementMode::Shadow)
    );
    assert_eq!(hook.limits.timeout_ms, 50);
    assert_eq!(hook.location.line_column(), Some((2, 8)));
}

#[test]
fn policy_that_would_silently_not_load_is_pointed_out() {
    let project = LoaderFixture::new(&[
        (".harness/hook/guard.md", String::from("later\n")),
        (".harness/hooks/more/guard.md", hook_file("tool.pre", 1)),
        (".harness/hooks/GUARD.MD", hook_file("tool.pre", 1)),
        (".harness/policies/notes.md", String::from("---\ntitle: x\n---\nText.\n")),
        (".harness/cache/x.txt", hook_file("tool.pre", 1)),
        (".harness/memory/x.md", String::from("# Notes\n")),
        ("harness.md", String::from("---\n---\nHi.\n")),
        ("harness.yaml", String::from("model: {}\n")),
    ]);
    let loaded = project.load("");
    let wanted = [
        "the file `harness.yaml` is not read",
        "the file `.harness/hooks/GUARD.MD` is not read",
        "the directory `.harness/hooks/more` is not read",
        "the directory `.harness/hook` is not read",
        "the directory `.harness/policies` is not read",
    ];
    assert_eq!(project.findings(&loaded, Severity::Note), wanted.map(|text| format!("warning: {text}")));
    assert_eq!(hook_order(&loaded), Vec::<String>::new());
}

#[test]
fn a_guard_in_a_folder_that_is_not_read_is_an_error() {
    let block = "pre_tool_use: [{hooks: [{type: command, command: \"true\"}]}]\n";
    let bundle = "---\nhooks:\n  - {handler: h, event: tool.pre, priority: 1, script: x}\n---\n";
    for (path, text) in [
        ("policies/guard.md", hook_file("tool.pre", 1)),
        ("skills/deep/er/guard.md", hook_file("turn.start", 1)),
        ("guards/GUARD.MD", hook_file("tool.pre", 1)),
        ("context/g.yaml", block.to_owned()),
        ("context/g.yaml", format!("{{{}}}", block.trim())),
        ("models/pack.md", bundle.to_owned()),
        ("Hooks/guard.md", hook_file("tool.pre", 1)),
        ("hooks2/guard.md", hook_file("tool.pre", 1)),
    ] {
        let project = LoaderFixture::new(&[(format!(".harness/{path}").as_str(), text)]);
        let found = project.findings(&project.load(""), Severity::Error);
        let wanted = format!("is not read, so the hook in `.harness/{path}` does not run");
        assert!(matches!(found.as_slice(), [one] if one.ends_with(&wanted)), "{path}: {found:?}");
    }
}

#[test]
fn a_block_of_hooks_in_a_folder_of_hooks_is_read() {
    let block = "stop:\n  - {type: command, command: \"true\"}\n";
    let files = [(".harness/hooks/b.yaml", block), ("loose/b.yml", block), ("loose/other.yaml", "x: 1\n")];
    let project = LoaderFixture::new(&files);
    for path in ["", ".harness", ".harness/hooks", "loose"] {
        let loaded = project.load(path);
        assert_eq!(project.findings(&loaded, Severity::Note), Vec::<String>::new(), "{path}");
        assert_eq!(loaded.hook_declarations.len(), 1, "{path}");
    }
    let project = LoaderFixture::new(&[(".harness/hooks/b.yaml", "x: 1\n")]);
    let found = project.findings(&project.load(".harness"), Severity::Note);
    let nothing = "warning: `.harness` contains no hooks, tools or agents";
    assert_eq!(found, ["warning: the file `.harness/hooks/b.yaml` is not read", nothing]);
}

#[test]
fn runtime_hooks_are_declared_from_parts_or_from_text() {
    let declared = pintle_loader::declare_hook("guard", "meta.hook_register", "x", Some("True"), Some(-2)).unwrap();
    assert_eq!(
        (declared.event.as_str(), &*declared.event_alias, declared.priority),
        ("meta.register_hook", "meta.hook_register", -2)
    );
    let faults = pintle_loader::declare_hook("guard", "tool.pree", "x", None, None).unwrap_err();
    assert_eq!(faults[0].to_string(), "guard:1:1: error: hooks[0].event \"tool.pree\" is invalid");
    assert_eq!(faults[0].help.as_deref(), Some("did you mean `tool.pre`?"));

    let (hook, findings) = pintle_loader::parse_hook_text("guard", &hook_file("tool.pre", 4));
    assert_eq!((hook.unwrap().priority, findings), (4, Vec::new()));
    let (hook, _) = pintle_loader::parse_hook_text("guard", "---\nevent: tool.pre\npriority: high\nscript: x\n---\n");
    assert!(hook.is_none());
    let (hook, findings) = pintle_loader::parse_hook_text("guard", "---\npriority: 1\nscript: x\n---\n");
    assert!(hook.is_none());
    assert_eq!(findings[0].to_string(), "guard.md:2:1: error: hook \"guard\": event field is required in frontmatter");
}

#[test]
fn documents_among_and_beside_the_hooks_are_passed_over_with_a_note() {
    let readme = "# Our hooks\n\n```yaml\nevent: tool.pre\n```\n";
    let project = LoaderFixture::new(&[
        (".harness/README.md", readme.to_owned()),
        (".harness/agents/AGENTS.md", readme.to_owned()),
        (".harness/hooks/README.md", readme.to_owned()),
        (".harness/hooks/guard.md", hook_file("tool.pre", 5)),
        (".harness/hooks/notes.md", String::from("## Who to ask\n")),
    ]);
    let loaded = project.load("");
    let note = "1:1: note: this is a document: it has no frontmatter and nothing that a hook has";
    let wanted =
        [".harness/README.md", ".harness/agents/AGENTS.md", ".harness/hooks/README.md", ".harness/hooks/notes.md"];
    assert_eq!(project.findings(&loaded, Severity::Note), wanted.map(|path| format!("{path}:{note}")));
    assert_eq!((hook_order(&loaded), loaded.files, loaded.agent.is_some()), (vec![String::from("guard")], 1, false));
    assert!(loaded.policy.is_policy(&project.path(".harness/hooks/README.md")), "an edit could make it a hook");
    assert_eq!(project.findings(&project.load(".harness/hooks"), Severity::Warning), Vec::<String>::new());
    let named = project.load(".harness/hooks/README.md");
    assert!(matches!(project.findings(&named, Severity::Error).as_slice(), [one] if one.contains("frontmatter")));
}

#[test]
fn a_damaged_hook_among_documents_is_an_error() {
    let broken = hook_file("tool.pre", 5).replacen("---", "# guard", 1);
    for name in ["guard", "README"] {
        let path = format!(".harness/hooks/{name}.md");
        let project = LoaderFixture::new(&[(path.as_str(), broken.as_str()), (".harness/hooks/notes.md", "# Notes\n")]);
        let found = project.findings(&project.load(""), Severity::Error);
        assert!(matches!(found.as_slice(), [one] if one.starts_with(&path)), "{found:?}");
    }
}
