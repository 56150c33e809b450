//! How runs end: what the exit status is, and that a signal leaves nothing behind.

use std::fs;
use std::process::{Child, Command, Stdio};

use crate::fixture::CliFixture;

const AGENT: &str = "---\nname: worker\nmodel: {provider: script, name: script.yaml}\nEXIT---\nWork.\n";

fn create_agent(exit: &str, script: &str) -> CliFixture {
    CliFixture::new_empty().with_file("harness.md", AGENT.replace("EXIT", exit)).with_file("script.yaml", script)
}

/// The autopilot example of AI Harness: nobody may stop before `done` was called and the work verified.
const AUTOPILOT: &str = r#"---
event: agent.stop
priority: 10
script: |
  def handle(event, payload):
      if not ctx.agent.done_flag():
          return block("Call the `done` tool when the objective is complete.")
      result = ctx.agent.run_verification_chain()
      if not result.get("ok", False):
          return block("Verification failed: " + result.get("reason", ""))
      flag = ctx.get("agent.done")
      log("claims " + str(flag["claims"]) + ", summary " + flag["summary"])
      return allow()
---
"#;

#[test]
fn the_done_tool_sets_the_flag_that_hooks_read() {
    let done = "turns:\n  - say: Soon.\n  - calls: [{tool: done, args: {summary: all done, claims: [tests pass]}}]\n  - say: never\n";
    let fixture =
        create_agent("exit_policy: {mode: hybrid}\n", done).with_file(".harness/hooks/autopilot.md", AUTOPILOT);
    let (out, err, status) = fixture.pintle(&["run", "-q", ".", "go", "--tape", "t.jsonl"]).run_to_parts();
    assert_eq!((out.as_str(), status), ("Soon.\nall done\n", Some(0)), "{err}");
    let tape = fs::read_to_string(fixture.path("t.jsonl")).unwrap();
    assert_eq!(tape.matches(r#""kind":"model_request""#).count(), 2, "it ends at the first `done`");
    assert!(tape.contains(r#"claims [\"tests pass\"], summary all done"#), "{tape}");
    let (_, err, status) = fixture.pintle(&["replay", "t.jsonl"]).run_to_parts();
    assert_eq!(status, Some(0), "{err}");
}

/// A project's own `done`, as the system's own example has it, but that it wants proof.
const OWN_DONE: &str = r#"---
parameters:
  summary: {type: string}
  claims: {type: array}
script: |
  def run(args):
      if not args.get("claims"):
          return "say what you claim"
      ctx.agent.set_done_flag(summary=args.get("summary", ""), claims=args["claims"])
      return "noted"
---
Says that the work is done, and what was done.
"#;

#[test]
fn a_projects_own_done_tool_says_when_the_work_is_done() {
    let done = "turns:\n  - calls: [{tool: done, args: {summary: too early}}]\n  - say: Soon.\n  - calls: [{tool: done, args: {summary: all done, claims: [tests pass]}}]\n  - say: never\n";
    for mode in ["hybrid", "done_tool"] {
        let fixture = create_agent(&format!("exit_policy: {{mode: {mode}}}\n"), done)
            .with_file(".harness/hooks/autopilot.md", AUTOPILOT)
            .with_file(".harness/tools/done.md", OWN_DONE);
        let (out, err, status) = fixture.pintle(&["run", "-q", ".", "go", "--tape", "t.jsonl"]).run_to_parts();
        assert_eq!((out.as_str(), status), ("Soon.\nall done\n", Some(0)), "{mode}: {err}");
        let tape = fs::read_to_string(fixture.path("t.jsonl")).unwrap();
        assert_eq!(tape.matches(r#""kind":"model_request""#).count(), 3, "{mode}: it ends when the flag is set");
        assert!(tape.contains(r#"claims [\"tests pass\"], summary all done"#), "{mode}: {tape}");
        let (_, err, status) = fixture.pintle(&["replay", "t.jsonl"]).run_to_parts();
        assert_eq!(status, Some(0), "{err}");
    }
}

#[test]
fn a_turn_that_stops_at_its_limit_fails_the_command_and_says_so() {
    let call = "turns: [{say: on it, calls: [{tool: list, args: {path: .}}]}]";
    let said = "error: the turn stopped at its limit of model calls, before the agent was done\nhelp: raise `max_iterations`\n";
    for policy in ["warn_and_exit", "continue_with_warning"] {
        let script = call.replace("}]}]", "}]}, {say: my last words}]");
        let fixture =
            create_agent(&format!("exit_policy: {{max_iterations: 1, on_max_iterations: {policy}}}\n"), &script);
        let (_, err, status) = fixture.pintle(&["run", "-q", ".", "go"]).run_to_parts();
        assert!(err.ends_with(said), "{policy}: {err}");
        assert_eq!(status, Some(1), "{policy}");
    }
    let team = "agents:\n  root: {model: script/script.yaml, description: d, instruction: i, max_iterations: 1, toolsets: [{type: think}]}\n";
    let script = "turns: [{calls: [{tool: think, args: {thought: hm}}]}]";
    let fixture = CliFixture::new_empty().with_file("a.yaml", team).with_file("script.yaml", script);
    let (_, err, status) = fixture.pintle(&["run", "-q", "a.yaml", "go"]).run_to_parts();
    assert!(err.ends_with(said), "{err}");
    assert_eq!(status, Some(1));
}

#[test]
fn two_prompts_are_two_turns_and_a_dash_is_standard_input() {
    let script = "turns: [{expect: {contains: one}, say: first}, {expect: {contains: two}, say: second}, {expect: {contains: three}, say: third}]";
    let fixture = create_agent("", script);
    let run = |arguments: &[&'static str], input: &'static str| {
        let (out, _, status) = fixture.pintle(arguments).with_input(input).run_to_parts();
        (out, status)
    };
    let all = (String::from("first\nsecond\nthird\n"), Some(0));
    assert_eq!(run(&["run", "-q", ".", "one", "two", "three"], ""), all);
    assert_eq!(run(&["run", "-q", ".", "one", "-", "three"], "two\n"), all);
    assert_eq!(run(&["run", "-q", ".", "-"], "one\n"), (String::from("first\n"), Some(0)));
    let (_, err, status) = fixture.pintle(&["run", ".", "-", "-"]).with_input("one").run_to_parts();
    assert!(err.contains("error: `-` is given more than once\n") && status == Some(3), "{err}");
    let (_, err, status) = fixture.pintle(&["run", ".", "one", "-"]).run_to_parts();
    assert!(err.contains("error: a prompt is empty\n") && status == Some(3), "{err}");
}

/// Starts the program and waits until its tool runs. `hang_up` is the option of `env` that says what SIGHUP does to the
/// program at its start: the tests themselves may run under `nohup`, which the program inherits.
#[cfg(target_os = "linux")]
fn start_until_tool_runs(fixture: &CliFixture, hang_up: &str, arguments: &[&str]) -> Child {
    let mut child = Command::new("env")
        .args([hang_up, env!("CARGO_BIN_EXE_pintle")])
        .args(arguments)
        .current_dir(fixture.path("."))
        .env("TMPDIR", fixture.path("tmp"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    if arguments.contains(&"--daemon") {
        use std::io::Write;
        child.stdin.as_mut().unwrap().write_all(b"go\n").unwrap();
    }
    while !fixture.path("begun").exists() {
        assert_eq!(child.try_wait().unwrap(), None, "it ended before the tool ran");
        std::thread::yield_now();
    }
    child
}

/// Whether a process is there and has not ended.
fn is_alive(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.trim_start().starts_with('Z'))
}

#[cfg(target_os = "linux")]
fn send_signal(signal: &str, child: &Child) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

/// An agent whose first turn is a command that does not end.
#[cfg(target_os = "linux")]
fn create_endless_run() -> CliFixture {
    let team = r#"agents:
  root:
    model: script/script.yaml
    description: d
    instruction: i
    toolsets: [{type: shell}]
    hooks:
      turn_end: [{name: t, type: command, timeout: 30, command: "cat >> turn_end.json; echo >> turn_end.json"}]
      session_end: [{name: s, type: command, timeout: 30, command: "cat >> session_end.json; echo >> session_end.json"}]
"#;
    let script = "turns: [{calls: [{tool: shell, args: {cmd: \"echo $$ > pid; touch begun; tail -f /dev/null\", timeout: 600}}]}]";
    CliFixture::new_empty().with_file("a.yaml", team).with_file("script.yaml", script).with_file("tmp/keep", "")
}

#[test]
#[cfg(target_os = "linux")]
fn a_run_started_under_nohup_outlives_the_terminal() {
    let fixture = create_endless_run();
    let child = start_until_tool_runs(&fixture, "--ignore-signal=HUP", &["run", "a.yaml", "--yolo", "go"]);
    send_signal("-HUP", &child);
    send_signal("-TERM", &child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(143), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
#[cfg(target_os = "linux")]
fn every_signal_that_ends_a_run_ends_it_in_good_order() {
    for (signal, status) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        for how in [["go"].as_slice(), &["--daemon"]] {
            let fixture = create_endless_run();
            let arguments = [&["run", "a.yaml", "--yolo", "--tape", "t.jsonl"], how].concat();
            let child = start_until_tool_runs(&fixture, "--default-signal=HUP", &arguments);
            send_signal(signal, &child);
            let output = child.wait_with_output().unwrap();
            let err = String::from_utf8_lossy(&output.stderr);
            let case = format!("{signal} {how:?}: {err}");
            assert_eq!(output.status.code(), Some(status), "{case}");
            for (file, reason) in [("turn_end.json", "canceled"), ("session_end.json", "other")] {
                let told = fs::read_to_string(fixture.path(file)).unwrap_or_default();
                let told: Vec<&str> = told.lines().filter(|line| !line.is_empty()).collect();
                assert_eq!(told.len(), 1, "{case}: {file}");
                assert!(told[0].contains(&format!("\"reason\":\"{reason}\"")), "{case}: {told:?}");
            }
            assert!(!is_alive(&fs::read_to_string(fixture.path("pid")).unwrap()), "{case}");
            let left: Vec<_> =
                fs::read_dir(fixture.path("tmp")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            assert_eq!(left, ["keep"], "{case}");
        }
    }
}
