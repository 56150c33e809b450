//! Payloads that agents wrote to their hooks, given to `fire` and `explain`.

use std::fs;
use std::path::Path;

use crate::fixture::{CliFixture, snapshot};

const GUARD: &str = r#"---
event: tool.pre
priority: 10
when: payload["name"] == "shell"
script: |
  def handle(event, payload):
      return block("no shell")
---
"#;
const LATER: &str =
    "---\nevent: turn.end\npriority: 5\nscript: |\n  def handle(event, payload):\n      return allow()\n---\n";

/// A payload as it was captured.
fn captured(name: &str) -> String {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bridge/tests/data");
    fs::read_to_string(data.join(name)).unwrap()
}

fn create_policy() -> CliFixture {
    CliFixture::new_empty().with_file("policy/guard.md", GUARD).with_file("policy/later.md", LATER)
}

#[test]
fn fire_and_explain_take_what_an_agent_sent() {
    let fixture = create_policy();
    let call = captured("claude/payloads/PreToolUse.json");
    let show = |words: &[&'static str]| fixture.pintle(words).with_input(&call).run_to_screen();
    snapshot!("captured_fire", show(&["fire", "PreToolUse", "policy"]));
    snapshot!("captured_fire_json", show(&["fire", "policy", "--json"]));
    snapshot!("captured_fire_shadow", show(&["fire", "policy", "--host", "claude", "--shadow"]));
    snapshot!("captured_explain", show(&["explain", "policy"]));
    snapshot!("captured_explain_all", show(&["explain", "PreToolUse", "policy", "--all"]));
    let (_, _, status) = fixture.pintle(&["fire", "tool.pre", "policy"]).with_input(&call).run_to_parts();
    assert_eq!(status, Some(2));
    let state = fixture.pintle(&["sessions", "--host", "all"]).run_to_parts();
    assert!(state.0.contains("no sessions") || state.1.contains("no sessions"), "nothing is stored: {state:?}");
}

#[test]
fn fire_reports_the_outcome_of_an_event_that_no_hook_matches() {
    let fixture = CliFixture::new_empty().with_file("policy/guard.md", GUARD.replace("shell", "edit_file"));
    let call = captured("claude/payloads/PreToolUse.json");
    let screen = fixture.pintle(&["fire", "policy", "--json"]).with_input(&call).run_to_screen();
    let outcome = r#""outcomes":[{"dispatch":1,"event":"tool.pre","decision":"allow","approved":false,"rewritten":false,"payload":0,"hooks_called":0}]"#;
    assert!(screen.contains(outcome), "{screen}");
}

#[test]
fn fire_asks_for_the_agent_instead_of_guessing() {
    let fixture = create_policy();
    let bare = r#"{"session_id": "z", "tool_name": "Bash", "tool_input": {"command": "rm -rf /"}}"#;
    let call = captured("claude/payloads/PreToolUse.json");
    let show = |words: &[&'static str], input: &str| fixture.pintle(words).with_input(input).run_to_screen();
    snapshot!("captured_ambiguous", show(&["fire", "PreToolUse", "policy"], bare));
    snapshot!("captured_other_event", show(&["fire", "Stop", "policy"], &call));
    snapshot!("captured_no_event", show(&["fire", "policy", "--host", "cline"], "{}"));
    snapshot!("captured_unknown", show(&["fire", "policy"], r#"{"hook": "tool.execute.before"}"#));
    snapshot!("captured_yes", show(&["fire", "policy", "--yes"], &call));
    snapshot!("captured_wrong_event", show(&["fire", "PreToolUs", "policy", "--host", "gemini"], &call));
    // The name of the tool is translated, so what denies here denies in the agent.
    for host in ["claude", "codex"] {
        let (out, _, status) =
            fixture.pintle(&["fire", "PreToolUse", "policy", "--host", host]).with_input(bare).run_to_parts();
        assert!(status == Some(2) && out.contains("no shell"), "{host}: {out}");
    }
    let native = GUARD.replace("shell\"", "Bash\"");
    let fixture = CliFixture::new_empty().with_file("policy/guard.md", native);
    let hook = fixture.pintle(&["hook", "claude", "--hooks", "policy"]).with_input(&call).run_to_parts();
    let fire = fixture.pintle(&["fire", "policy", "--host", "claude"]).with_input(&call).run_to_parts();
    assert_eq!(hook.2 == Some(2), fire.2 == Some(2), "{hook:?} {fire:?}");
}

#[test]
fn fire_takes_an_input_of_docker_agent_as_before() {
    let fixture = CliFixture::new_empty().with_file("block.yaml", "stop: [{type: command, command: \"true\"}]\n");
    for event in ["stop", "notification", "pre_tool_use"] {
        let input =
            format!(r#"{{"session_id": "s", "hook_event_name": "{event}", "tool_name": "shell", "tool_input": {{}}}}"#);
        let (out, err, status) =
            fixture.pintle(&["fire", event, "block.yaml", "--json"]).with_input(&input).run_to_parts();
        assert!(status == Some(0) && !out.contains("\"host\""), "{event}: {out}{err}");
    }
}

#[test]
fn fire_says_which_hook_does_not_load_and_denies_as_the_bridge_does() {
    let fixture = CliFixture::new_empty().with_file("policy/guard.md", GUARD.replace("block(", "blok("));
    let call = captured("claude/payloads/PreToolUse.json");
    snapshot!("captured_broken", fixture.pintle(&["fire", "policy"]).with_input(&call).run_to_screen());
}

const QUOTA: &str = r#"---
event: tool.pre
script: |
  def handle(event, payload):
      if metrics.incr("calls") > 2:
          return block("two calls are enough")
      return allow()
---
"#;

#[test]
fn fire_decides_in_the_session_of_the_payload_as_it_stands() {
    let fixture = CliFixture::new_empty().with_file("policy/quota.md", QUOTA);
    let call = captured("claude/payloads/PreToolUse.json");
    let fire = || fixture.pintle(&["fire", "policy", "--host", "claude"]).with_input(&call).run_to_parts();
    let hook = || fixture.pintle(&["hook", "claude", "--hooks", "policy"]).with_input(&call).run_to_parts();
    assert_eq!((fire().2, hook().2, fire().2, hook().2), (Some(0), Some(0), Some(0), Some(0)));
    // Looking twice is no call.
    let (_, note, _) = fire();
    assert!(note.contains("is known here: this is the decision as it stands now"), "{note}");
    snapshot!("captured_fire_known_session", fixture.pintle(&["fire", "policy"]).with_input(&call).run_to_screen());
    assert_eq!(fire().2, Some(2));
    let (out, err, _) = hook();
    assert!(format!("{out}{err}").contains("two calls are enough"), "{out}{err}");
}
