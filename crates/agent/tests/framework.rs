//! Scripts that are registered in `settings.json`, in the agent loop: real programs, a scripted model.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::support;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use pintle_agent::Session;
use pintle_host::contract::AgentSpec;
use pintle_host::tape::{HeaderRecord, Tape};
use pintle_host::{ApprovalResponse, Layer, Runtime, SystemClock};
use pintle_testkit::ScriptedApprover;
use serde_json::{Value, json};
use support::*;

/// Keeps its input, in the directory of the settings.
const LOG: &str = "cat >> \"$ENGRAM_DIR/seen.jsonl\"; echo >> \"$ENGRAM_DIR/seen.jsonl\"";
const CALL: (&str, &str) = ("shell", r#"{"command":"echo ran > out.txt"}"#);

/// A framework root with one script per entry: the event, the rest of the entry, and the script's lines.
fn write_framework(entries: &[(&str, Value, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let mut events = serde_json::Map::new();
    fs::create_dir(dir.path().join("hooks")).unwrap();
    for (index, (event, rest, lines)) in entries.iter().enumerate() {
        let name = format!("Hook{index}");
        let path = dir.path().join(format!("hooks/{name}.sh"));
        let text = format!("#!/bin/sh\n# Hook: {name}\n# Event: {event}\n# Description: A test.\n{lines}\n");
        fs::write(&path, text).unwrap();
        pintle_testkit::make_executable(&path);
        let mut entry = json!({"path": format!("hooks/{name}.sh")});
        entry.as_object_mut().unwrap().extend(rest.as_object().cloned().unwrap_or_default());
        let list = events.entry(*event).or_insert_with(|| json!([]));
        list.as_array_mut().unwrap().push(entry);
    }
    fs::write(dir.path().join("settings.json"), json!({"hooks": events}).to_string()).unwrap();
    dir
}

/// A session with the settings of a directory and with a tape.
fn open_session(root: &Path, work: &Path, model: &Arc<QueuedReplyModel>) -> Session {
    let tape =
        Tape::create(root.join("tape.jsonl"), HeaderRecord::new("s", 0), Arc::new(SystemClock::default())).unwrap();
    let nobody = Arc::new(ScriptedApprover::new(ApprovalResponse::Unavailable));
    let builder = Runtime::builder().worker(worker()).approver(nobody);
    let built = builder.path(root.join("settings.json"), Layer::Project).tape(Arc::new(tape)).load();
    assert!(!built.has_errors(), "{:?}", built.diagnostics);
    let spec = AgentSpec { agents: vec![Arc::new(helper_spec())], ..agent() };
    Session::builder(built.runtime, spec, model.clone()).workspace(work).name("s").build().unwrap()
}

fn helper_spec() -> AgentSpec {
    AgentSpec { name: String::from("helper"), description: String::from("helps"), ..AgentSpec::default() }
}

/// One turn with one shell call and these entries: whether the command ran, and the next request to the model.
fn run_shell_turn(entries: &[(&str, Value, &str)]) -> (bool, Vec<String>) {
    let (root, work) = (write_framework(entries), tempfile::tempdir().unwrap());
    let model = QueuedReplyModel::root([call(&[CALL]), say("end")]);
    open_session(root.path(), work.path(), &model).turn("go").unwrap();
    (work.path().join("out.txt").exists(), message_lines(&model.request(1)))
}

#[test]
fn every_event_comes_with_its_payload_and_a_transcript_that_is_there() {
    let events = ["SessionStart", "UserPromptSubmit", "PreToolUse", "SubagentStop", "Stop", "SessionEnd"];
    let root = write_framework(&events.map(|event| (event, json!({}), LOG)));
    let work = tempfile::tempdir().unwrap();
    let model = QueuedReplyModel::root([
        call(&[CALL]),
        call(&[("delegate", r#"{"agent":"helper","task":"help"}"#)]),
        say("end"),
    ]);
    model.add("helper", [say("helped")]);
    let mut session = open_session(root.path(), work.path(), &model);
    session.turn("do it").unwrap();
    session.end();
    let text = fs::read_to_string(root.path().join("seen.jsonl")).unwrap();
    let mut seen: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for payload in &mut seen {
        let payload = payload.as_object_mut().unwrap();
        assert_eq!(payload.remove("session_id"), Some(json!("s")));
        let transcript = payload.remove("transcript_path").unwrap();
        let lines = fs::read_to_string(transcript.as_str().unwrap()).unwrap();
        assert!(Path::new(transcript.as_str().unwrap()).is_absolute() && lines.lines().count() > 1);
        assert!(lines.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    }
    assert_eq!(
        seen,
        [
            json!({"hook_event_name": "SessionStart"}),
            json!({"hook_event_name": "UserPromptSubmit", "prompt": "do it"}),
            json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "echo ran > out.txt"}}),
            json!({"hook_event_name": "PreToolUse", "tool_name": "delegate", "tool_input": {"agent": "helper", "task": "help"}}),
            json!({"hook_event_name": "SubagentStop"}),
            json!({"hook_event_name": "Stop"}),
            json!({"hook_event_name": "SessionEnd"}),
        ]
    );
}

/// What a hook on `PreToolUse` does, whether the command runs, and the text that the model gets.
const JUDGED: &[(&str, bool, &str)] = &[
    ("exit 0", true, ""),
    ("echo '{\"continue\": true}'", true, ""),
    ("echo '{\"decision\": \"block\", \"message\": \"not here\"}'", false, "not here"),
    ("echo '{\"decision\": \"block\", \"message\": \"not here\"}'; exit 2", false, "not here"),
    ("echo 'said on stderr' >&2; exit 2", false, "said on stderr"),
    ("exit 2", false, "hook `Hook0` blocked on PreToolUse without an explanation"),
    ("echo '{\"continue\": true}'; exit 2", false, "without an explanation"),
    ("echo '{\"decision\": \"ask\", \"message\": \"sure?\"}'", false, "sure?"),
    ("exit 1", true, ""),
    ("echo '{\"decision\": \"block\"}'; exit 1", true, ""),
    ("kill -9 $$", true, ""),
    ("echo 'words for the model'", true, "words for the model"),
    ("echo 'log line'; echo '{\"decision\": \"block\", \"message\": \"not here\"}'", false, "not here"),
];

#[test]
fn a_script_decides_by_its_exit_status_and_by_what_it_prints() {
    for (lines, runs, text) in JUDGED {
        let (ran, told) = run_shell_turn(&[("PreToolUse", json!({"matcher": {"tool_name": "Bash"}}), lines)]);
        assert_eq!(ran, *runs, "{lines}");
        assert!(told.iter().any(|line| line.contains(text)), "{lines}: {told:?}");
    }
}

#[test]
fn slow_hook_is_killed_and_fails_open_unless_closed() {
    let slow = "exec tail -f /dev/null";
    let entry = |rest: Value| [("PreToolUse", rest, slow)];
    assert!(run_shell_turn(&entry(json!({"timeout": 200}))).0);
    let (ran, told) = run_shell_turn(&entry(json!({"timeout": 200, "on_error": "closed"})));
    assert!(!ran && told.iter().any(|line| line.contains("a policy check failed, so this was denied")), "{told:?}");
}

#[test]
fn all_hooks_of_an_event_run_and_the_strictest_counts() {
    let (ran, told) = run_shell_turn(&[
        ("PreToolUse", json!({}), "echo '{\"continue\": true}'"),
        ("PreToolUse", json!({}), "echo '{\"decision\": \"block\", \"message\": \"no\"}'"),
        ("PreToolUse", json!({}), "exit 1"),
        ("PreToolUse", json!({"matcher": {"tool_name": "Write"}}), "exit 2"),
    ]);
    assert!(!ran && told.iter().any(|line| line.contains("no")), "{told:?}");
}

#[test]
fn what_a_hook_prints_is_a_system_message_and_stands_on_the_tape() {
    let root = write_framework(&[
        ("SessionStart", json!({}), "echo 'Current project: MyApp'"),
        ("UserPromptSubmit", json!({}), "echo 'be careful today'"),
        ("Stop", json!({}), "echo 'the first turn went well'"),
        ("SessionEnd", json!({}), "echo 'saved'"),
    ]);
    let work = tempfile::tempdir().unwrap();
    let model = QueuedReplyModel::root([say("one"), say("two")]);
    let mut session = open_session(root.path(), work.path(), &model);
    session.turn("first").unwrap();
    session.turn("second").unwrap();
    session.end();
    let system = |index: usize| {
        let lines = message_lines(&model.request(index));
        lines.into_iter().filter(|line| line.starts_with("system: ")).collect::<Vec<_>>().join("\n")
    };
    for (index, text) in [(0, "Current project: MyApp"), (0, "be careful today"), (1, "the first turn went well")] {
        assert!(system(index).contains(text), "{}", system(index));
    }
    let tape = fs::read_to_string(root.path().join("tape.jsonl")).unwrap();
    for text in ["Current project: MyApp", "be careful today", "the first turn went well", "saved"] {
        assert!(tape.contains(text), "{text}");
    }
}

#[test]
fn a_prompt_that_is_blocked_does_not_reach_the_model() {
    let root = write_framework(&[("UserPromptSubmit", json!({}), "echo 'no secrets here' >&2; exit 2")]);
    let work = tempfile::tempdir().unwrap();
    let model = QueuedReplyModel::root([say("one")]);
    let error = open_session(root.path(), work.path(), &model).turn("the password is x").unwrap_err();
    assert!(error.message.contains("no secrets here"), "{}", error.message);
    assert_eq!(model.count(), 0);
}

#[test]
fn blocked_response_fails_its_turn_and_next_turn_tells_the_model() {
    let once = "[ -e \"$ENGRAM_DIR/once\" ] || { touch \"$ENGRAM_DIR/once\"; echo 'no sources given' >&2; exit 2; }";
    let root = write_framework(&[("Stop", json!({}), once)]);
    let work = tempfile::tempdir().unwrap();
    let model = QueuedReplyModel::root([say("one"), say("two")]);
    let mut session = open_session(root.path(), work.path(), &model);
    let error = session.turn("first").unwrap_err();
    assert!(error.message.contains("no sources given"), "{}", error.message);
    assert_eq!(session.turn("second").unwrap().text, "two");
    assert!(
        message_lines(&model.request(1)).iter().any(|line| line.contains("no sources given")),
        "{:?}",
        message_lines(&model.request(1))
    );
}

#[test]
fn blocked_sub_agent_answer_is_replaced_by_the_reason() {
    let root = write_framework(&[("SubagentStop", json!({}), "echo 'too thin' >&2; exit 2")]);
    let work = tempfile::tempdir().unwrap();
    let model = QueuedReplyModel::root([call(&[("delegate", r#"{"agent":"helper","task":"help"}"#)]), say("end")]);
    model.add("helper", [say("helped")]);
    open_session(root.path(), work.path(), &model).turn("go").unwrap();
    let told = message_lines(&model.request(2)).join("\n");
    assert!(told.contains("too thin") && !told.contains("helped"), "{told}");
}
