//! `pintle doctor` on the user's own hooks: it names them, proves that they refuse something, and reports whatever keeps
//! them from doing so.

use std::fs;

use serde_json::Value;

use crate::fixture::{CliFixture, snapshot};
use crate::install::{create_fixture, run_at_home};

/// Refuses a word in commands, and has an example of that.
pub(crate) const GUARD: &str = r#"---
event: tool.pre
when: payload["name"] == "shell"
priority: 1
script: |
  def handle(event, payload):
      if "mkfs" in payload["args"]["command"]:
          return block("formatting is not for agents")
      return allow()
examples:
  - payload: {name: shell, args: {command: ls}}
    expect: allow
  - payload: {name: shell, args: {command: mkfs /dev/sda}}
    expect: block
---
"#;

/// Refuses what many policies refuse, without an example.
const NO_FORCE: &str = r#"---
event: tool.pre
priority: 2
script: |
  def handle(event, payload):
      if "--force" in str(payload["args"]):
          return block("do not force")
---
"#;

/// Refuses nothing that a test call does.
const SILENT: &str = r#"---
event: tool.pre
priority: 3
script: |
  def handle(event, payload):
      if "zzz" in str(payload["args"]):
          return block("no")
---
"#;

/// Only observes.
const NOTES: &str = r#"---
event: tool.post
priority: 1
script: |
  def handle(event, payload):
      log(payload["name"])
---
"#;

const HOOKS: &str = "home/.config/pintle/hooks";

pub(crate) fn with_hooks(hooks: &[(&str, &str)]) -> CliFixture {
    let fixture = create_fixture();
    hooks.iter().fold(fixture, |fixture, (name, text)| fixture.with_file(&format!("{HOOKS}/{name}.md"), text))
}

pub(crate) fn install(fixture: &CliFixture, host: &str) {
    let (out, err, status) = run_at_home(fixture, &["install", host, "--program", "pintle", "--yes"]).run_to_parts();
    assert_eq!(status, Some(0), "{host}: {out}{err}");
}

pub(crate) fn examine(fixture: &CliFixture, host: &str) -> (Value, Option<i32>) {
    let (out, _, status) = run_at_home(fixture, &["doctor", host, "--json"])
        // Otherwise Gemini CLI would run no hooks in the fixture's directory.
        .with_variable("GEMINI_CLI_TRUST_WORKSPACE", "true")
        .run_to_parts();
    let mut reports: Vec<Value> = serde_json::from_str(&out).unwrap();
    (reports.remove(0), status)
}

/// The texts of the problems.
pub(crate) fn problems(report: &Value) -> Vec<String> {
    let findings = report["findings"].as_array().unwrap().iter();
    let bad = findings.filter(|finding| finding["health"] == "bad");
    bad.map(|finding| format!("{} | {}", finding["text"].as_str().unwrap(), finding["help"].as_str().unwrap_or("")))
        .collect()
}

#[test]
fn the_hooks_are_named_and_proved_to_refuse() {
    let fixture = with_hooks(&[("guard", GUARD), ("notes", NOTES)]);
    install(&fixture, "claude");
    let fixture = fixture.with_file(&format!("{HOOKS}/models.md"), NOTES.replace("tool.post", "iteration.start"));
    snapshot!("doctor_guards", run_at_home(&fixture, &["doctor", "claude"]).run_to_screen());
    snapshot!("doctor_guards_json", run_at_home(&fixture, &["doctor", "claude", "--json"]).run_to_screen());
    assert!(!fixture.path("home/.local/state/pintle/bridge").exists(), "a test call is not stored");
}

#[test]
fn a_hook_without_an_example_is_tried_with_common_calls() {
    let fixture = with_hooks(&[("force", NO_FORCE), ("silent", SILENT)]);
    install(&fixture, "claude");
    snapshot!("doctor_common_call", run_at_home(&fixture, &["doctor", "claude"]).run_to_screen());
    let fixture = with_hooks(&[("silent", SILENT)]);
    install(&fixture, "claude");
    snapshot!("doctor_no_proof", run_at_home(&fixture, &["doctor", "claude"]).run_to_screen());
}

#[test]
fn every_host_sends_the_test_call_in_its_own_words() {
    for host in pintle_bridge::HOSTS.iter().map(|host| host.name) {
        let fixture = with_hooks(&[("guard", GUARD)]);
        install(&fixture, host);
        let (report, status) = examine(&fixture, host);
        assert_eq!((problems(&report), status), (Vec::new(), Some(0)), "{host}");
        let guards = &report["scopes"][0]["guards"];
        assert_eq!(guards["count"], 1, "{host}: {report:#}");
        let refused = serde_json::json!([{"hooks": ["guard"], "call": "shell mkfs /dev/sda"}]);
        assert_eq!(guards["refused"], refused, "{host}: {report:#}");
    }
}

#[test]
fn an_example_in_an_agents_words_is_sent_in_those_of_the_host() {
    let in_words =
        GUARD.replace("payload: {name: shell, args: {command: mkfs /dev/sda}}", "call: {tool: Bash, command: mkfs}");
    for host in ["codex", "gemini"] {
        let fixture = with_hooks(&[("guard", &in_words)]);
        install(&fixture, host);
        let (report, _) = examine(&fixture, host);
        let refused = serde_json::json!([{"hooks": ["guard"], "call": "Bash mkfs"}]);
        assert_eq!(report["scopes"][0]["guards"]["refused"], refused, "{host}: {report:#}");
    }
}

#[test]
fn every_pack_of_the_policy_is_proved_in_every_host() {
    const POLICY: &str = "use: [shell, git, secrets, exfiltration, remote-code, system, self-protection]\n";
    for host in pintle_bridge::HOSTS.iter().map(|host| host.name) {
        let fixture = create_fixture().with_file("home/.config/pintle/policy.yaml", POLICY);
        install(&fixture, host);
        let (report, status) = examine(&fixture, host);
        assert_eq!((problems(&report), status), (Vec::new(), Some(0)), "{host}");
        let refused = report["scopes"][0]["guards"]["refused"].as_array().unwrap().iter();
        let packs: Vec<&str> = refused.map(|refused| refused["hooks"][0].as_str().unwrap()).collect();
        assert_eq!(packs.len(), 7, "{host}: {packs:?}");
        assert!(packs.contains(&"pack:git"), "{host}: {packs:?}");
    }
}

/// What keeps hooks from refusing, and the problem that is reported.
struct HookFault {
    name: &'static str,
    files: &'static [(&'static str, &'static str)],
    problem: &'static str,
    help: &'static str,
}

const HOOK_FAULTS: &[HookFault] = &[
    HookFault {
        name: "no hook",
        files: &[],
        problem: "nothing is guarded here: no hook applies in Claude Code",
        help: "pintle init",
    },
    HookFault {
        name: "only an observer",
        files: &[("home/.config/pintle/hooks/notes.md", NOTES)],
        problem: "nothing is guarded here: the only hook that applies in Claude Code refuses nothing",
        help: "pintle init",
    },
    HookFault {
        name: "hooks at the top of the settings",
        files: &[(
            "home/.config/pintle/config.yaml",
            "hooks:\n  pre_tool_use: [{hooks: [{type: command, command: \"exit 2\"}]}]\n",
        )],
        problem: "`hooks` does not belong here and guards nothing",
        help: "below `settings:`",
    },
    HookFault {
        name: "a file that does not load",
        files: &[("home/.config/pintle/hooks/broken.md", "---\nevent: tool.per\n---\n")],
        problem: "`~/.config/pintle/hooks/broken.md:2`",
        help: "tool.pre",
    },
    HookFault {
        name: "untrusted guards",
        files: &[(
            ".cursor/hooks.json",
            r#"{"version": 1, "hooks": {"preToolUse": [{"command": "exit 2", "failClosed": true}]}}"#,
        )],
        problem: "the project's guards are not trusted, so they refuse nothing",
        help: "pintle trust",
    },
];

#[test]
fn what_keeps_hooks_from_refusing_is_a_problem() {
    for HookFault { name, files, problem, help } in HOOK_FAULTS {
        let fixture = files.iter().fold(create_fixture(), |fixture, (path, text)| fixture.with_file(path, text));
        install(&fixture, "claude");
        let (report, status) = examine(&fixture, "claude");
        let found = problems(&report);
        let is_told = found.iter().any(|text| text.contains(problem) && text.contains(help));
        assert!(is_told, "{name}: {found:#?}\n{report:#}");
        assert_eq!(status, Some(1), "{name}");
    }
}

#[test]
fn a_hook_that_does_not_do_what_it_says_is_a_problem() {
    let let_through = GUARD.replace("mkfs\" in", "mkfs.ext4\" in");
    let misspelt = GUARD.replace("payload[\"args\"][\"command\"]", "payload[\"argz\"][\"command\"]");
    let fails_to_match = GUARD.replace("when: payload[\"name\"]", "when: payload[\"nmae\"]");
    let shadow = GUARD.replace("priority: 1", "priority: 1\nmode: shadow");
    for (text, problem) in [
        (let_through, "an example that `guard` must refuse was let through (`shell mkfs /dev/sda`)"),
        (misspelt, "`guard` failed on a test call"),
        (fails_to_match, "`guard` failed on a test call"),
        (shadow, "nothing is guarded here: the only hook that applies in Claude Code refuses nothing"),
    ] {
        let fixture = with_hooks(&[("guard", &text)]);
        install(&fixture, "claude");
        let (report, status) = examine(&fixture, "claude");
        assert!(problems(&report).iter().any(|text| text.contains(problem)), "{problem}: {report:#}");
        assert_eq!(status, Some(1), "{problem}");
    }
}

#[test]
fn a_test_call_leaves_nothing_behind() {
    let fixture = with_hooks(&[("guard", GUARD)]);
    install(&fixture, "claude");
    examine(&fixture, "claude");
    let state = fixture.path("home/.local/state/pintle");
    let left: Vec<_> = fs::read_dir(&state).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    assert_eq!(left, Vec::<std::path::PathBuf>::new());
}

#[test]
fn an_installation_ends_with_the_hooks_that_apply() {
    let arguments = ["install", "claude", "--program", "pintle", "--events", "PreToolUse", "--yes"];
    let fixture = with_hooks(&[("guard", GUARD), ("notes", NOTES)]);
    run_at_home(&fixture, &arguments).run_to_parts();
    snapshot!("install_guards", run_at_home(&fixture, &arguments).run_to_screen());
    let json = [&arguments[..], &["--json"]].concat();
    snapshot!("install_guards_json", run_at_home(&fixture, &json).run_to_screen());
    fs::remove_file(fixture.path("home/.config/pintle/hooks/guard.md")).unwrap();
    snapshot!("install_unguarded", run_at_home(&fixture, &arguments).run_to_screen());
}

#[test]
fn a_hook_that_can_never_run_is_a_problem() {
    let dead =
        r#"{"hooks": {"PreToolUse": [{"matcher": "bash", "hooks": [{"type": "command", "command": "exit 2"}]}]}}"#;
    let fixture = with_hooks(&[("guard", GUARD)]).with_file("home/.config/pintle/settings.json", dead);
    install(&fixture, "claude");
    let (report, status) = examine(&fixture, "claude");
    let found = problems(&report);
    assert!(found.iter().any(|problem| problem.contains("`bash`") && problem.contains("never")), "{found:?}");
    assert_eq!(status, Some(1));
}

#[test]
fn a_hook_that_looks_back_is_a_problem_where_the_conversation_is_not_shown() {
    let looks = GUARD.replace("if \"mkfs\"", "if transcript.messages() and \"mkfs\"");
    for (host, is_problem) in [("claude", false), ("cline", true)] {
        let fixture = with_hooks(&[("looks", &looks)]);
        install(&fixture, host);
        let found = problems(&examine(&fixture, host).0);
        let is_told = found.iter().any(|problem| problem.contains("`looks` looks back at the conversation, which"));
        assert_eq!(is_told, is_problem, "{host}: {found:?}");
    }
}
