use std::fs;
use std::process::Command;

use crate::fixture::{AUDIT, CliFixture, snapshot};

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

pub(crate) fn create_tidy_agent() -> CliFixture {
    let fixture = CliFixture::with_guards().with_file("agent/harness.md", AGENT).with_file("agent/script.yaml", SCRIPT);
    ["audit", "guard"].into_iter().fold(fixture, |fixture, name| {
        let text = fs::read(fixture.path(&format!(".harness/hooks/{name}.md"))).unwrap();
        fixture.with_file(&format!("agent/.harness/hooks/{name}.md"), text)
    })
}

#[test]
fn a_session_is_seen_as_it_happens() {
    let fixture = create_tidy_agent();
    snapshot!("run_script", fixture.pintle(&["run", "agent"]).run_to_screen());
    snapshot!("run_quiet", fixture.pintle(&["run", "agent", "--quiet"]).run_to_screen());
    snapshot!("run_tape_exists", fixture.pintle(&["run", "agent", "--tape", "agent/script.yaml"]).run_to_screen());
    let tapes = fs::read_dir(fixture.path("agent/.pintle/tapes")).unwrap().count();
    assert_eq!(tapes, 2);
}

#[test]
fn json_is_one_record_a_line() {
    let fixture = create_tidy_agent();
    let (out, err, status) = fixture.pintle(&["run", "agent", "--json", "--tape", "t.jsonl"]).run_to_parts();
    assert_eq!((err.as_str(), status), ("", Some(0)));
    let records: Vec<serde_json::Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(records.iter().any(|record| record["kind"] == "outcome" && record["decision"] == "deny"));
    assert!(records.iter().any(|record| record["kind"] == "text"));
    let last = records.last().unwrap();
    assert_eq!((&last["kind"], &last["tool_calls"], &last["denied"]), (&"summary".into(), &2.into(), &1.into()));
    let tape = fs::read_to_string(fixture.path("t.jsonl")).unwrap();
    for line in tape.lines().skip(1) {
        assert!(out.contains(line), "{line}");
    }
}

const ECHO: &str = "turns: [{expect: {contains: hello}, say: Hello yourself.}]";

#[test]
fn the_prompt_comes_from_the_line_or_from_standard_input() {
    let fixture = CliFixture::new_empty().with_file("harness.md", AGENT).with_file("script.yaml", ECHO);
    let quiet =
        |arguments: &[&'static str], input: &'static str| fixture.pintle(arguments).with_input(input).run_to_parts();
    let note = "note: no hooks found in `.`; a hook is a file such as `.harness/hooks/NAME.md`\n";
    let said = (String::from("Hello yourself.\n"), String::from(note), Some(0));
    assert_eq!(quiet(&["run", "-q", ".", "well, hello"], ""), said);
    assert_eq!(quiet(&["run", "-q", ".", "hello there"], ""), said);
    assert_eq!(quiet(&["run", "-q", "."], "hello\n"), said);
    assert_eq!(quiet(&["run", "-q", "harness.md"], "hello\n"), said);
    assert_eq!(quiet(&["run", "-q", ".", "--model", "script:script.yaml"], "hello\n"), said);
    snapshot!("run_left_the_script", fixture.pintle(&["run", ".", "good day"]).run_to_screen());
}

#[test]
fn hooks_from_elsewhere_come_first_and_their_deny_is_the_exit_status() {
    let refuse = "---\nevent: turn.start\npriority: 1\nscript: |\n  def handle(event, payload):\n      return block(\"not today\")\n---\n";
    let fixture = CliFixture::new_empty()
        .with_file("agent/harness.md", AGENT)
        .with_file("agent/script.yaml", ECHO)
        .with_file("mine/refuse.md", refuse);
    snapshot!("run_denied", fixture.pintle(&["run", "agent", "hello", "--hooks", "mine"]).run_to_screen());
    snapshot!("run_shadow", fixture.pintle(&["run", "agent", "hello", "--hooks", "mine", "--shadow"]).run_to_screen());
}

#[test]
fn a_hook_that_fails_is_told_even_where_only_words_are_shown() {
    let fixture = |event: &str, body: &str| {
        let hook = format!("---\nevent: {event}\nscript: |\n  def handle(event, payload):\n      {body}\n---\n");
        CliFixture::new_empty()
            .with_file("agent/harness.md", AGENT)
            .with_file("agent/script.yaml", ECHO)
            .with_file("mine/odd.md", hook)
    };
    // One that decides nothing, one that makes no sense, and one whose failure ends the turn.
    let open = fixture("iteration.end", "return payload[\"nothing\"]");
    let closed = fixture("completion.pre", "return modify({\"temperature\": \"hot\"})");
    let stop = fixture("agent.stop", "return payload[\"nothing\"]");
    for (name, fixture) in [("run_failure_open", &open), ("run_failure_closed", &closed), ("run_failure_stop", &stop)] {
        snapshot!(name, fixture.pintle(&["run", "agent", "hello", "--hooks", "mine"]).run_to_screen());
        let quiet = format!("{name}_quiet");
        snapshot!(quiet, fixture.pintle(&["run", "-q", "agent", "hello", "--hooks", "mine"]).run_to_screen());
    }
    let raises = "---\nevent: turn.start\nwhen: payload[\"x\"] == 1\nscript: |\n  def handle(event, payload):\n      return block(\"no\")\n---\n";
    let fixture = CliFixture::new_empty()
        .with_file("agent/harness.md", AGENT)
        .with_file("agent/script.yaml", ECHO)
        .with_file("mine/odd.md", raises);
    snapshot!(
        "run_passed_over_quiet",
        fixture.pintle(&["run", "-q", "agent", "hello", "--hooks", "mine"]).run_to_screen()
    );
}

#[test]
fn a_run_that_never_began_leaves_no_tape() {
    let fixture = CliFixture::new_empty().with_file("harness.md", AGENT);
    let (_, _, status) = fixture.pintle(&["run", ".", "hello", "--tape", "t.jsonl"]).run_to_parts();
    assert_eq!((status, fixture.path("t.jsonl").exists()), (Some(3), false));
}

#[test]
fn what_is_missing_is_said() {
    let fixture = CliFixture::new_empty().with_file("empty/notes.txt", "").with_file("agent/harness.md", AGENT);
    snapshot!("run_no_agent", fixture.pintle(&["run", "empty"]).run_to_screen());
    snapshot!("run_no_folder", fixture.pintle(&["run", "nowhere"]).run_to_screen());
    snapshot!("run_no_script", fixture.pintle(&["run", "agent"]).run_to_screen());
    snapshot!("run_no_prompt", CliFixture::new_empty().pintle(&["run", ".", "--model", "ollama:x"]).run_to_screen());
    let keyless = fixture.pintle(&["run", "agent", "--model", "anthropic:claude-x", "hello"]);
    snapshot!("run_no_key", keyless.with_variable("ANTHROPIC_API_KEY", "").run_to_screen());
    snapshot!("run_no_provider", fixture.pintle(&["run", "agent", "--model", "opnai:gpt-4o", "hello"]).run_to_screen());
}

const ASKING: &str =
    "---\nname: tidy\nmodel: {provider: script, name: script.yaml}\ntools_policy: {allow: [shell]}\n---\n";
const ASK_ALWAYS: &str = "---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n      return ask(\"commands need a person\")\n---\n";

#[test]
fn an_ask_is_answered_on_the_line_or_by_nobody() {
    let script = "turns:\n  - calls: [{tool: shell, args: {command: \"echo it ran\"}}]\n  - say: That is all.\n";
    let fixture = CliFixture::new_empty()
        .with_file("harness.md", ASKING)
        .with_file("script.yaml", script)
        .with_file(".harness/hooks/careful.md", ASK_ALWAYS);
    snapshot!("run_ask_nobody", fixture.pintle(&["run", ".", "go"]).run_to_screen());
    snapshot!("run_ask_yes", fixture.pintle(&["run", ".", "go", "--yes"]).run_to_screen());
    snapshot!("run_ask_no", fixture.pintle(&["run", ".", "go", "--no"]).run_to_screen());
}

#[test]
fn an_interrupted_run_ends_in_good_order() {
    use std::process::{Command, Stdio};
    let script = "turns: [{calls: [{tool: shell, args: {command: \"touch begun; tail -f /dev/null\"}}]}]";
    let fixture = CliFixture::new_empty()
        .with_file("harness.md", ASKING)
        .with_file("script.yaml", script)
        .with_file(".harness/hooks/audit.md", AUDIT);
    let mut child = Command::new(env!("CARGO_BIN_EXE_pintle"))
        .args(["run", ".", "go", "--tape", "t.jsonl"])
        .current_dir(fixture.path("."))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !fixture.path("begun").exists() {
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
    let tape = fs::read_to_string(fixture.path("t.jsonl")).unwrap();
    assert!(tape.lines().any(|line| line.contains(r#""event":"session.end""#) && line.contains("cancelled")), "{tape}");
}

#[test]
fn the_demo_of_the_readme_runs_beside_the_default_packs() {
    let fixture = CliFixture::new_empty();
    let agent = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/governed-agent");
    // A copy: a run writes its tape into the directory.
    assert!(Command::new("cp").arg("-R").args([&agent, &fixture.path("agent")]).status().unwrap().success());
    let policy = "use: [shell, git, secrets, exfiltration, remote-code, system, self-protection, project-autorun]\n";
    fs::write(fixture.user_path("policy.yaml"), policy).unwrap();
    let (out, err, status) = fixture.pintle(&["run", "agent"]).run_to_parts();
    assert_eq!(status, Some(0), "{out}{err}");
    assert!(out.contains("I am done"), "{out}{err}");
}

const TWO_AGENTS: &str = "---\nname: root\nmodel: {provider: script, name: turns.yaml}\n---\nYou work.\n";

/// An agent with a scripted model, some files, and what a run of it shows.
fn run_agent(files: &[(&str, &str)], turns: &str) -> (String, Option<i32>) {
    let fixture = CliFixture::new_empty().with_file("harness.md", TWO_AGENTS).with_file("turns.yaml", turns);
    let fixture = files.iter().fold(fixture, |fixture, (path, text)| fixture.with_file(path, text));
    let (out, err, status) = fixture.pintle(&["run", ".", "go"]).run_to_parts();
    (format!("{out}{err}"), status)
}

#[test]
fn no_hook_is_named_to_the_model() {
    let emitter = "---\ndescription: emits\nparameters: {}\nscript: |\n  def run(args):\n      events.emit(\"custom.mine\", {})\n      return \"done\"\n---\nEmits.\n";
    let blocks = |event: &str| {
        format!("---\nevent: {event}\nscript: |\n  def handle(event, payload):\n      return block(\"WHY\")\n---\n")
    };
    let turns = "turns:\n  - calls: [{tool: emitter, args: {}}]\n  - expect: {last: tool, contains: \"emit: blocked: WHY\", lacks: secret_guard}\n    say: fine\n";
    let files = [(".harness/tools/emitter.md", emitter), (".harness/hooks/secret_guard.md", &*blocks("custom.mine"))];
    let (screen, status) = run_agent(&files, turns);
    assert_eq!(status, Some(0), "{screen}");
    let kid = "---\ndescription: helps\nhooks:\n  - handler: secret_guard\n    event: turn.start\n    priority: 1\n    script: |\n      def handle(event, payload):\n          return block(\"WHY\")\n---\nYou help.\n";
    let turns = "turns:\n  - calls: [{tool: delegate, args: {agent: kid, task: help}}]\n  - expect: {last: tool, contains: \"failed: turn blocked: WHY\", lacks: secret_guard}\n    say: fine\n";
    let (screen, status) = run_agent(&[(".harness/agents/kid.md", kid)], turns);
    assert_eq!(status, Some(0), "{screen}");
}

#[test]
fn a_tool_that_a_hook_took_out_of_the_request_does_not_run() {
    let hook = "---\nevent: completion.pre\nscript: |\n  def handle(event, payload):\n      return modify({\"tools\": [tool for tool in payload[\"tools\"] if \"write\" not in str(tool)]})\n---\n";
    let write =
        "---\ndescription: writes\nparameters: {}\nscript: |\n  def run(args):\n      return \"RAN\"\n---\nWrites.\n";
    let turns = "turns:\n  - calls: [{tool: write_it, args: {}}]\n  - expect: {last: tool, contains: \"was not offered\", lacks: RAN}\n    say: fine\n";
    let (screen, status) = run_agent(&[(".harness/hooks/less.md", hook), (".harness/tools/write_it.md", write)], turns);
    assert_eq!(status, Some(0), "{screen}");
}

#[test]
fn a_verify_script_decides_as_hooks_do() {
    let root = "---\nname: root\nmodel: {provider: script, name: turns.yaml}\ndelegation:\n  max_verify_retries: 0\n  verify: |\n    def run(result):\n        return block(\"not good\")\nagents:\n  - name: kid\n    description: helps\n    system_prompt: You help.\n---\nYou work.\n";
    let turns = "turns:\n  - calls: [{tool: delegate, args: {agent: kid, task: help}}]\n  - expect: {last: tool, contains: \"not good\", lacks: \"script error\"}\n    say: fine\nagents:\n  kid:\n    - say: helped\n    - say: helped\n    - say: helped\n    - say: helped\n";
    let (screen, status) = run_agent(&[("harness.md", root)], turns);
    assert_eq!(status, Some(0), "{screen}");
}
