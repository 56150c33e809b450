use std::fs;

use crate::stage::{AUDIT, Stage, snapshot};

const AGENT: &str = r#"---
name: tidy
model:
  provider: script
  name: script.yaml
---
You keep this folder tidy.
"#;

const SCRIPT: &str = r#"about: one call is denied, the next one runs
prompts: [Clean up.]
turns:
  - say: I will format the disk.
    calls: [{tool: run_command, args: {command: mkfs}}]
  - expect: {tool: run_command, contains: formatting is not for agents}
    say: Then I look around.
    calls: [{tool: list, args: {path: .}}]
  - say: All is tidy.
    usage: {input: 10, output: 5}
"#;

pub(crate) fn tidy() -> Stage {
    let stage = Stage::governed().file("agent/harness.md", AGENT).file("agent/script.yaml", SCRIPT);
    ["audit", "guard"].into_iter().fold(stage, |stage, name| {
        let text = fs::read(stage.path(&format!(".harness/hooks/{name}.md"))).unwrap();
        stage.file(&format!("agent/.harness/hooks/{name}.md"), text)
    })
}

#[test]
fn a_session_is_seen_as_it_happens() {
    let stage = tidy();
    snapshot!("run_script", stage.pintle(&["run", "agent"]).screen());
    snapshot!("run_quiet", stage.pintle(&["run", "agent", "--quiet"]).screen());
    snapshot!("run_tape_exists", stage.pintle(&["run", "agent", "--tape", "agent/script.yaml"]).screen());
    let tapes = fs::read_dir(stage.path("agent/.pintle/tapes")).unwrap().count();
    assert_eq!(tapes, 2);
}

#[test]
fn json_is_one_record_a_line() {
    let stage = tidy();
    let (out, err, status) = stage.pintle(&["run", "agent", "--json", "--tape", "t.jsonl"]).parts();
    assert_eq!((err.as_str(), status), ("", Some(0)));
    let records: Vec<serde_json::Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(records.iter().any(|record| record["kind"] == "outcome" && record["decision"] == "deny"));
    assert!(records.iter().any(|record| record["kind"] == "text"));
    let last = records.last().unwrap();
    assert_eq!((&last["kind"], &last["tool_calls"], &last["denied"]), (&"summary".into(), &2.into(), &1.into()));
    let tape = fs::read_to_string(stage.path("t.jsonl")).unwrap();
    for line in tape.lines().skip(1) {
        assert!(out.contains(line), "{line}");
    }
}

const ECHO: &str = "turns: [{expect: {contains: hello}, say: Hello yourself.}]";

#[test]
fn the_prompt_comes_from_the_line_or_from_standard_input() {
    let stage = Stage::empty().file("harness.md", AGENT).file("script.yaml", ECHO);
    let quiet = |arguments: &[&'static str], input: &'static str| stage.pintle(arguments).input(input).parts();
    let note = "note: no hooks found in `.`; a hook is a file such as `.harness/hooks/NAME.md`\n";
    let said = (String::from("Hello yourself.\n"), String::from(note), Some(0));
    assert_eq!(quiet(&["run", "-q", ".", "well, hello"], ""), said);
    assert_eq!(quiet(&["run", "-q", ".", "hello there"], ""), said);
    assert_eq!(quiet(&["run", "-q", "."], "hello\n"), said);
    assert_eq!(quiet(&["run", "-q", "harness.md"], "hello\n"), said);
    assert_eq!(quiet(&["run", "-q", ".", "--model", "script:script.yaml"], "hello\n"), said);
    snapshot!("run_left_the_script", stage.pintle(&["run", ".", "good day"]).screen());
}

#[test]
fn hooks_from_elsewhere_come_first_and_their_deny_is_the_exit_status() {
    let refuse = "---\nevent: turn.start\npriority: 1\nscript: |\n  def handle(event, payload):\n      return block(\"not today\")\n---\n";
    let stage =
        Stage::empty().file("agent/harness.md", AGENT).file("agent/script.yaml", ECHO).file("mine/refuse.md", refuse);
    snapshot!("run_denied", stage.pintle(&["run", "agent", "hello", "--hooks", "mine"]).screen());
    snapshot!("run_shadow", stage.pintle(&["run", "agent", "hello", "--hooks", "mine", "--shadow"]).screen());
}

#[test]
fn a_hook_that_fails_is_told_even_where_only_words_are_shown() {
    let stage = |event: &str, body: &str| {
        let hook = format!("---\nevent: {event}\nscript: |\n  def handle(event, payload):\n      {body}\n---\n");
        Stage::empty().file("agent/harness.md", AGENT).file("agent/script.yaml", ECHO).file("mine/odd.md", hook)
    };
    // One that decides nothing, one that makes no sense, and one whose failure ends the turn.
    let open = stage("iteration.end", "return payload[\"nothing\"]");
    let closed = stage("completion.pre", "return modify({\"temperature\": \"hot\"})");
    let stop = stage("agent.stop", "return payload[\"nothing\"]");
    for (name, stage) in [("run_failure_open", &open), ("run_failure_closed", &closed), ("run_failure_stop", &stop)] {
        snapshot!(name, stage.pintle(&["run", "agent", "hello", "--hooks", "mine"]).screen());
        let quiet = format!("{name}_quiet");
        snapshot!(quiet, stage.pintle(&["run", "-q", "agent", "hello", "--hooks", "mine"]).screen());
    }
    let raises = "---\nevent: turn.start\nwhen: payload[\"x\"] == 1\nscript: |\n  def handle(event, payload):\n      return block(\"no\")\n---\n";
    let stage =
        Stage::empty().file("agent/harness.md", AGENT).file("agent/script.yaml", ECHO).file("mine/odd.md", raises);
    snapshot!("run_passed_over_quiet", stage.pintle(&["run", "-q", "agent", "hello", "--hooks", "mine"]).screen());
}

#[test]
fn a_run_that_never_began_leaves_no_tape() {
    let stage = Stage::empty().file("harness.md", AGENT);
    let (_, _, status) = stage.pintle(&["run", ".", "hello", "--tape", "t.jsonl"]).parts();
    assert_eq!((status, stage.path("t.jsonl").exists()), (Some(3), false));
}

#[test]
fn what_is_missing_is_said() {
    let stage = Stage::empty().file("empty/notes.txt", "").file("agent/harness.md", AGENT);
    snapshot!("run_no_agent", stage.pintle(&["run", "empty"]).screen());
    snapshot!("run_no_folder", stage.pintle(&["run", "nowhere"]).screen());
    snapshot!("run_no_script", stage.pintle(&["run", "agent"]).screen());
    snapshot!("run_no_prompt", Stage::empty().pintle(&["run", ".", "--model", "ollama:x"]).screen());
    let keyless = stage.pintle(&["run", "agent", "--model", "anthropic:claude-x", "hello"]);
    snapshot!("run_no_key", keyless.environment("ANTHROPIC_API_KEY", "").screen());
    snapshot!("run_no_provider", stage.pintle(&["run", "agent", "--model", "opnai:gpt-4o", "hello"]).screen());
}

const ASKING: &str =
    "---\nname: tidy\nmodel: {provider: script, name: script.yaml}\ntools_policy: {allow: [shell]}\n---\n";
const ASK_ALWAYS: &str = "---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n      return ask(\"commands need a person\")\n---\n";

#[test]
fn an_ask_is_answered_on_the_line_or_by_nobody() {
    let script = "turns:\n  - calls: [{tool: shell, args: {command: \"echo it ran\"}}]\n  - say: That is all.\n";
    let stage = Stage::empty()
        .file("harness.md", ASKING)
        .file("script.yaml", script)
        .file(".harness/hooks/careful.md", ASK_ALWAYS);
    snapshot!("run_ask_nobody", stage.pintle(&["run", ".", "go"]).screen());
    snapshot!("run_ask_yes", stage.pintle(&["run", ".", "go", "--yes"]).screen());
    snapshot!("run_ask_no", stage.pintle(&["run", ".", "go", "--no"]).screen());
}

#[test]
fn an_interrupted_run_ends_in_good_order() {
    use std::process::{Command, Stdio};
    let script = "turns: [{calls: [{tool: shell, args: {command: \"touch begun; tail -f /dev/null\"}}]}]";
    let stage =
        Stage::empty().file("harness.md", ASKING).file("script.yaml", script).file(".harness/hooks/audit.md", AUDIT);
    let mut child = Command::new(env!("CARGO_BIN_EXE_pintle"))
        .args(["run", ".", "go", "--tape", "t.jsonl"])
        .current_dir(stage.path("."))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !stage.path("begun").exists() {
        assert_eq!(child.try_wait().unwrap(), None, "it ended before the tool ran");
        std::thread::yield_now();
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    let screen =
        format!("{}\n[stderr]\n{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(130), "{screen}");
    snapshot!("run_interrupted", screen);
    let tape = fs::read_to_string(stage.path("t.jsonl")).unwrap();
    assert!(tape.lines().any(|line| line.contains(r#""event":"session.end""#) && line.contains("cancelled")), "{tape}");
}
