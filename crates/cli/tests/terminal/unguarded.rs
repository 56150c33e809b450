//! What was meant to guard and is in another form, in another place or misspelt: it guards, or nothing runs.

use std::fs;

use crate::fixture::{CliFixture, GUARD};

const TEAM: &str =
    "agents:\n  root:\n    model: script:turns.yaml\n    instruction: You help.\n    toolsets: [{type: shell}]\n";
const TURNS: &str = "turns:\n  - calls: [{tool: shell, args: {cmd: \"touch RAN\"}}]\n  - say: done\n";
const ENTRY: &str = r#"{"matcher": "*", "hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}"#;
const CALL: &str = r#"{"session_id": "s", "cwd": "/", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "c", "tool_input": {"command": "ls"}}"#;

/// A name, its files, and whether it guards.
type HookPathCase = (&'static str, Vec<(&'static str, String)>, bool);

/// A path that is named for its hooks, its files, and whether it guards; otherwise it is refused.
fn hook_path_cases() -> Vec<HookPathCase> {
    let one = |path: &'static str, text: String, guards: bool| (path, vec![(path, text)], guards);
    let block = format!("pre_tool_use: [{ENTRY}]\n");
    let agent = format!("agents: {{root: {{model: openai/x, hooks: {{pre_tool_use: [{ENTRY}]}}}}}}\n");
    vec![
        one("block.yaml", block.clone(), true),
        one("indented.yaml", format!("  pre_tool_use:\n    - {ENTRY}\n"), true),
        one("flow.yaml", format!("{{pre_tool_use: [{ENTRY}]}}\n"), true),
        one("json.yaml", format!("{{\n\"pre_tool_use\"\n: [{ENTRY}]}}\n"), true),
        one("question.yaml", format!("? pre_tool_use\n: - {ENTRY}\n"), true),
        one("merged.yaml", format!("<<: {{pre_tool_use: [{ENTRY}]}}\n"), true),
        one("bom.yaml", format!("\u{FEFF}{block}"), true),
        one("marked.yml", format!("%YAML 1.2\n---\n{block}...\n"), true),
        one("LOUD.YAML", block.clone(), true),
        one("team.yaml", agent.clone(), true),
        one("flow-team.yaml", format!("{{{}}}\n", agent.trim()), true),
        ("folder", vec![("folder/g.yaml", block.clone())], true),
        ("hooks", vec![("hooks/g.yml", block.clone()), ("hooks/notes.txt", String::new())], true),
        ("beside", vec![("beside/.harness/x.txt", String::new()), ("beside/agent.yaml", agent.clone())], true),
        one("slip.yaml", format!("pre_tool_us: [{ENTRY}]\n"), false),
        one("foreign.yaml", format!("PreToolUse: [{ENTRY}]\n"), false),
        one("canonical.yaml", format!("tool.pre: [{ENTRY}]\n"), false),
        one("wrapped.yaml", format!("hooks: {{pre_tool_use: [{ENTRY}]}}\n"), false),
        one("agent.yaml", agent.replace("agents:", "agent:"), false),
        one("Agents.yaml", agent.replace("agents:", "Agents:"), false),
        one("two.yaml", format!("a: 1\n---\n{block}"), false),
        one("cut.yaml", "{pre_tool_use: [{matcher: \"*\", hooks: [".to_owned(), false),
        one("other.yaml", format!("guards: [{ENTRY}]\n"), false),
        one("empty.yaml", String::new(), false),
        one("comment.yaml", format!("# {block}"), false),
        one("null.yaml", "---\n...\n".to_owned(), false),
        one("none.yaml", "pre_tool_use: []\n".to_owned(), false),
        ("vacant", vec![("vacant/README.txt", String::new())], false),
        one(
            "further.yaml",
            format!(
                "agents:\n  root: {{model: openai/x}}\n  b: {{model: openai/x, hooks: {{pre_tool_use: [{ENTRY}]}}}}\n"
            ),
            false,
        ),
        one("script.md", GUARD.replace("script:", "scirpt:"), false),
    ]
}

#[test]
fn what_is_named_for_its_hooks_guards_or_is_refused_in_every_form() {
    for (path, files, guards) in hook_path_cases() {
        let fixture = CliFixture::new_empty().with_file("a.yaml", TEAM).with_file("turns.yaml", TURNS);
        let fixture = files.iter().fold(fixture, |fixture, (path, text)| fixture.with_file(&format!("x/{path}"), text));
        let path = format!("x/{path}");
        let (out, err, status) = fixture.pintle(&["run", "a.yaml", "go", "--yolo", "--hooks", &path]).run_to_parts();
        assert!(!fixture.path("RAN").exists(), "{path}: {out}{err}");
        assert_eq!(status, Some(if guards { 0 } else { 3 }), "{path}: {out}{err}");
        let (out, err, status) = fixture.pintle(&["hook", "claude", "--hooks", &path]).with_input(CALL).run_to_parts();
        assert!(out.contains(r#""permissionDecision":"deny""#), "{path}: {status:?} {out}{err}");
        assert_eq!(!out.contains("does not load"), guards, "{path}: {out}");
        let home = fixture.path("home").display().to_string();
        fs::create_dir(&home).unwrap();
        let install = fixture.pintle(&["install", "claude", "--yes", "--hooks", &path]).with_variable("HOME", &home);
        let (out, err, status) = install.run_to_parts();
        assert_eq!(status, Some(if guards { 0 } else { 3 }), "{path}: {out}{err}");
        assert_eq!(fixture.path("home/.claude/settings.json").exists(), guards, "{path}");
        // These are agents that are sound themselves.
        if path == "x/further.yaml" {
            continue;
        }
        let (out, err, status) = fixture.pintle(&["validate", &path]).run_to_parts();
        assert_eq!(status, Some(if guards { 0 } else { 3 }), "{path}: {out}{err}");
        let fire = fixture.pintle(&["fire", "pre_tool_use", "--hooks", &path]).with_input(r#"{"name": "shell"}"#);
        let (out, err, status) = fire.run_to_parts();
        assert_eq!(status, Some(if guards { 2 } else { 3 }), "{path}: {out}{err}");
    }
}

#[test]
fn the_guards_of_a_project_are_found_whatever_lies_beside_them() {
    let team = format!("agents: {{root: {{model: openai/x, hooks: {{pre_tool_use: [{ENTRY}]}}}}}}\n");
    let beside: &[&[(&str, &str)]] = &[
        &[],
        &[(".harness/.keep", "")],
        &[(".harness/hooks/.keep", "")],
        &[(".harness/tools/t.md", "---\nscript: |\n  def run(args):\n      return 1\n---\nDoes it.\n")],
        &[("harness.md", "---\nname: a\n---\nHelp.\n")],
        &[("harness.yaml", "name: a\n")],
        &[("harn.toml", "[package]\nname = \"p\"\n")],
        &[("agents.yaml", "agents: {root: {model: openai/x}}\n"), (".harness/.keep", "")],
    ];
    for files in beside {
        for text in [team.clone(), format!("{{{}}}", team.trim())] {
            let fixture = CliFixture::new_empty().with_file("cagent.yaml", &text);
            let fixture = files.iter().fold(fixture, |fixture, (path, text)| fixture.with_file(path, text));
            let names: Vec<&str> = files.iter().map(|(path, _)| *path).collect();
            let denies = |path: &'static [&'static str]| {
                let arguments = [&["fire", "pre_tool_use"], path].concat();
                let fire = fixture.pintle(&arguments).with_variable("PINTLE_UNTRUSTED_GUARDS", "deny");
                fire.with_input(r#"{"name": "shell"}"#).run_to_parts()
            };
            let (out, err, status) = denies(&["--hooks", "."]);
            assert_ne!(status, Some(0), "named, {names:?}: {out}{err}");
            let (out, err, status) = denies(&[]);
            assert_ne!(status, Some(0), "found, {names:?}: {out}{err}");
            let call = CALL.replace("\"/\"", &format!("\"{}\"", fixture.path("").display()));
            let hook = fixture.pintle(&["hook", "claude"]).with_variable("PINTLE_UNTRUSTED_GUARDS", "deny");
            let (out, err, _) = hook.with_input(&call).run_to_parts();
            assert!(out.contains("\"permissionDecision\":\"deny\""), "hook, {names:?}: {out}{err}");
        }
    }
}

#[test]
fn an_event_without_a_payload_is_no_example() {
    let fixture = CliFixture::with_guards();
    for blank in ["", " \n\t\r\n"] {
        let (out, err, status) = fixture.pintle(&["fire", "tool.pre"]).with_input(blank).run_to_parts();
        assert_eq!((out.as_str(), status), ("", Some(3)), "{err}");
        assert!(err.contains("standard input contains no payload"), "{err}");
        let (out, err, status) = fixture.pintle(&["fire", "tool.pre", "--json"]).with_input(blank).run_to_parts();
        assert_eq!((out.as_str(), status), ("", Some(3)), "{err}");
    }
    let (out, _, status) = fixture.pintle(&["fire", "tool.pre", "--example", "--json"]).run_to_parts();
    assert!(out.contains("\"example_payload\": true") || out.contains("\"example_payload\":true"), "{out}");
    assert_eq!(status, Some(0));
}

/// A guard of an agent whose own rule is to go on if a hook fails: what ran without it is in the last line.
#[test]
fn calls_that_ran_unguarded_are_counted() {
    let guard = "#!/bin/sh\ncase \"$(cat)\" in *FIRST*) exit 1;; *FORBIDDEN*) echo no >&2; exit 2;; esac\n";
    let settings =
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "sh guard.sh"}]}]}}"#;
    let turns = "turns:\n  - calls:\n      - {tool: shell, args: {cmd: echo FIRST}}\n      - {tool: shell, args: {cmd: echo FORBIDDEN}}\n      - {tool: shell, args: {cmd: echo FIRST again}}\n  - say: done\n";
    let fixture = CliFixture::new_empty()
        .with_file("team.yaml", TEAM)
        .with_file("turns.yaml", turns)
        .with_file("guard.sh", guard)
        .with_file("mine/.claude/settings.json", settings);
    let hooks = ["--hooks", "mine/.claude/settings.json", "--yolo"];
    let run = |quiet: &[&'static str]| {
        let arguments: Vec<&str> = [&["run", "team.yaml", "go"], hooks.as_slice(), quiet].concat();
        fixture.pintle(&arguments).run_to_screen()
    };
    let screen = run(&[]);
    assert!(screen.contains("1 turn, 3 tool calls, 1 denied, 2 hook failures, 2 tool calls ran unguarded"), "{screen}");
    let screen = run(&["-q"]);
    assert!(screen.contains("2 hook failures in this session, 2 tool calls ran unguarded"), "{screen}");
}
