//! Calls of one session that run at the same time: what one changes while another is in its hook.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::Duration;

use pintle_bridge::{Deadline, HostCall, HostDef, HostResponse, handle_call};
use pintle_host::contract::{DenyEffect, EffectReply, EffectRequest};
use pintle_host::tape::session_folder::SessionFolder;
use pintle_host::tape::verify::verify_file;
use pintle_host::{Effect, EventName, Hook, Reminder, Verdict, native};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::fixture::{builder_with, respond_with_state};

fn fire_event(state_dir: &Path, event: &str, fields: &Value, hooks: Vec<Hook>) -> HostResponse {
    let host = HostDef::by_name("claude").unwrap();
    let mut payload = json!({"session_id": "s1", "cwd": "/tmp", "hook_event_name": event});
    payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    respond_with_state(host, host.find_event(event).unwrap(), payload.to_string().as_bytes(), hooks, Some(state_dir))
}

fn tool_fields() -> Value {
    json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1", "tool_response": {"stdout": "x"}})
}

fn fields_with(name: &str, value: &str) -> Value {
    let mut fields = tool_fields();
    fields.as_object_mut().unwrap().insert(name.to_owned(), json!(value));
    fields
}

fn fire_tool(state_dir: &Path, hooks: Vec<Hook>) -> HostResponse {
    fire_event(state_dir, "PreToolUse", &tool_fields(), hooks)
}

fn fire_prompt(state_dir: &Path, hooks: Vec<Hook>) -> HostResponse {
    fire_event(state_dir, "UserPromptSubmit", &json!({"prompt": "go"}), hooks)
}

fn hook(event: &str, verdict: Verdict) -> Hook {
    native::hook("h", EventName::parse(event).unwrap(), move |_| verdict.clone())
}

fn session_dir(state_dir: &Path) -> PathBuf {
    state_dir.join("bridge/claude/s1")
}

fn check_tape(state_dir: &Path) {
    let report = verify_file(session_dir(state_dir).join("tape.jsonl")).unwrap();
    assert!(report.is_valid(), "{report:#?}");
}

/// A call that is in its hook until the test lets it go on.
struct RunningCall {
    go: Sender<()>,
    answer: thread::JoinHandle<HostResponse>,
}

impl RunningCall {
    /// Starts a call, whose hook does something else once it goes on.
    fn start(
        state_dir: &TempDir,
        event: &'static str,
        then: impl Fn(&pintle_host::HookCall<'_>) + Send + Sync + 'static,
    ) -> Self {
        let ((here, is_here), (go, may_go)): ((_, Receiver<()>), (_, Receiver<()>)) = (channel(), channel());
        let may_go = Mutex::new(may_go);
        let canonical = if event == "SessionStart" { "session.start" } else { "tool.pre" };
        let waits = native::hook("waits", EventName::parse(canonical).unwrap(), move |call| {
            here.send(()).unwrap();
            may_go.lock().unwrap().recv_timeout(pintle_testkit::PATIENCE).unwrap();
            then(call);
            Verdict::pass()
        });
        let path = state_dir.path().to_owned();
        let fields = fields_with("source", "resume");
        let answer = thread::spawn(move || fire_event(&path, event, &fields, vec![waits]));
        is_here.recv_timeout(pintle_testkit::PATIENCE).unwrap();
        Self { go, answer }
    }

    fn let_go(self) -> HostResponse {
        self.go.send(()).unwrap();
        self.answer.join().unwrap()
    }
}

fn assert_denied(answer: &HostResponse, reason: &str) {
    assert!(answer.exit_code == 2 && answer.stderr.contains(reason), "{reason}: {answer:?}");
}

#[test]
fn a_call_is_denied_if_another_one_denied_the_session_meanwhile() {
    let state = tempfile::tempdir().unwrap();
    let running = RunningCall::start(&state, "PreToolUse", |_| {});
    let denies = vec![hook("session.start", Verdict::deny("not today"))];
    fire_event(state.path(), "SessionStart", &json!({"source": "startup"}), denies);
    assert_denied(&fire_tool(state.path(), vec![]), "session blocked");
    assert_denied(&running.let_go(), "session blocked");
    check_tape(state.path());
}

#[test]
fn a_call_is_denied_if_another_one_stopped_the_turn_meanwhile() {
    let state = tempfile::tempdir().unwrap();
    fire_prompt(state.path(), vec![]);
    let running = RunningCall::start(&state, "PreToolUse", |_| {});
    let ends = Hook { on_deny: DenyEffect::StopRun, ..hook("tool.post", Verdict::deny("enough")) };
    fire_event(state.path(), "PostToolUse", &tool_fields(), vec![ends]);
    assert_denied(&running.let_go(), "enough");
    assert_eq!(fire_prompt(state.path(), vec![]).exit_code, 0);
    assert_eq!(fire_tool(state.path(), vec![]).exit_code, 0, "the next turn");
    check_tape(state.path());
}

#[test]
fn a_turn_that_was_stopped_while_the_session_started_stays_stopped() {
    for is_prompt_first in [false, true] {
        let state = tempfile::tempdir().unwrap();
        let ends = Hook { on_deny: DenyEffect::StopRun, ..hook("tool.post", Verdict::deny("enough")) };
        let stop_turn = || {
            fire_prompt(state.path(), vec![]);
            fire_event(state.path(), "PostToolUse", &tool_fields(), vec![ends.clone()])
        };
        let start = if is_prompt_first {
            stop_turn();
            RunningCall::start(&state, "SessionStart", |_| {})
        } else {
            let start = RunningCall::start(&state, "SessionStart", |_| {});
            stop_turn();
            start
        };
        start.let_go();
        assert_denied(&fire_tool(state.path(), vec![]), "enough");
        assert_eq!(fire_prompt(state.path(), vec![]).exit_code, 0);
        assert_eq!(fire_tool(state.path(), vec![]).exit_code, 0, "the next turn");
    }
}

#[test]
fn a_denied_session_stays_denied_until_the_hooks_of_its_new_start_have_answered() {
    let state = tempfile::tempdir().unwrap();
    let denies = || vec![hook("session.start", Verdict::deny("not today"))];
    fire_event(state.path(), "SessionStart", &json!({"source": "startup"}), denies());
    let start = RunningCall::start(&state, "SessionStart", |_| {});
    assert_denied(&fire_tool(state.path(), vec![]), "session blocked");
    start.let_go();
    assert_eq!(fire_tool(state.path(), vec![]).exit_code, 0);
}

#[test]
fn a_stopped_turn_stays_stopped_until_the_hooks_of_the_next_prompt_have_answered() {
    let state = tempfile::tempdir().unwrap();
    fire_prompt(state.path(), vec![]);
    let ends = Hook { on_deny: DenyEffect::StopRun, ..hook("tool.post", Verdict::deny("enough")) };
    fire_event(state.path(), "PostToolUse", &tool_fields(), vec![ends]);
    let path = state.path().to_owned();
    let meanwhile = native::hook("calls", EventName::parse("prompt.submit").unwrap(), move |_| {
        assert_denied(&fire_tool(&path, vec![]), "enough");
        Verdict::pass()
    });
    assert_eq!(fire_prompt(state.path(), vec![meanwhile]).exit_code, 0);
    assert_eq!(fire_tool(state.path(), vec![]).exit_code, 0);
}

#[test]
fn a_text_is_given_to_the_model_by_one_of_the_calls_that_want_to() {
    let state = tempfile::tempdir().unwrap();
    fire_prompt(state.path(), vec![]);
    let all_here = Arc::new(Barrier::new(4));
    let given: Vec<bool> = thread::scope(|threads| {
        let calls: Vec<_> = (0..4)
            .map(|_| {
                let all_here = Arc::clone(&all_here);
                let tells = native::hook("tells", EventName::parse("tool.pre").unwrap(), move |_| {
                    all_here.wait();
                    Verdict::pass().with_effect(Effect::Reminder(Reminder::for_one_turn("careful")))
                });
                threads.spawn(|| fire_tool(state.path(), vec![tells]).stdout.contains("careful"))
            })
            .collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    assert_eq!(given.iter().filter(|given| **given).count(), 1, "{given:?}");
    check_tape(state.path());
}

#[test]
fn the_end_of_a_turn_has_what_all_parallel_calls_did() {
    let state = tempfile::tempdir().unwrap();
    fire_prompt(state.path(), vec![]);
    let all_here = Arc::new(Barrier::new(3));
    thread::scope(|threads| {
        for number in 0..3 {
            let all_here = Arc::clone(&all_here);
            let logs = native::hook("logs", EventName::parse("tool.post").unwrap(), move |call| {
                all_here.wait();
                let line = EffectRequest::Log {
                    level: pintle_host::contract::LogLevel::Info,
                    message: format!("line {number}"),
                };
                call.effects.perform(call.caller(), line).unwrap();
                Verdict::pass()
            });
            let fields = fields_with("tool_use_id", &format!("t{number}"));
            let path = state.path();
            threads.spawn(move || fire_event(path, "PostToolUse", &fields, vec![logs]));
        }
    });
    let seen = Arc::new(Mutex::new(Value::Null));
    let sees = native::hook("sees", EventName::parse("turn.end").unwrap(), {
        let seen = Arc::clone(&seen);
        move |call| {
            *seen.lock().unwrap() = call.event.payload.value().clone();
            Verdict::pass()
        }
    });
    fire_event(state.path(), "Stop", &json!({"stop_hook_active": false, "last_assistant_message": "done"}), vec![sees]);
    let seen = seen.lock().unwrap();
    let texts = |list: &str, field: &str| {
        let mut texts: Vec<String> = seen
            .get(list)
            .unwrap()
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item.get(field).unwrap().as_str().unwrap().to_owned())
            .collect();
        texts.sort();
        texts
    };
    assert_eq!(texts("tool_calls", "id"), ["t0", "t1", "t2"]);
    assert_eq!(texts("logs", "message"), ["line 0", "line 1", "line 2"]);
}

#[test]
fn a_call_of_the_turn_before_leaves_nothing_in_the_next_turn() {
    let state = tempfile::tempdir().unwrap();
    fire_prompt(state.path(), vec![]);
    let set = |call: &pintle_host::HookCall<'_>| {
        let set = EffectRequest::ContextSet { key: String::from("turn"), value: Some(json!("before")) };
        call.effects.perform(call.caller(), set).unwrap();
        call.effects.metric_incr(call.caller(), "calls", 1).unwrap();
    };
    let running = RunningCall::start(&state, "PreToolUse", set);
    fire_prompt(state.path(), vec![]);
    assert_eq!(running.let_go().exit_code, 0);
    let seen = Arc::new(Mutex::new(None));
    let looks = native::hook("looks", EventName::parse("tool.pre").unwrap(), {
        let seen = Arc::clone(&seen);
        move |call| {
            let perform = |request| call.effects.perform(call.caller(), request).unwrap();
            let turn = perform(EffectRequest::ContextGet { key: Some(String::from("turn")) });
            let calls = perform(EffectRequest::MetricGet { name: String::from("calls") });
            *seen.lock().unwrap() = Some((turn, calls));
            Verdict::pass()
        }
    });
    fire_tool(state.path(), vec![looks]);
    assert_eq!(seen.lock().unwrap().take(), Some((EffectReply::Absent, EffectReply::Value(json!(1)))));
}

#[test]
fn a_session_that_is_removed_under_a_running_call_denies_it() {
    for (removed, reason) in [
        ("state.json", "its `state.json` is missing"),
        ("tape.jsonl", "it was deleted"),
        ("", "deleted while this call"),
    ] {
        let state = tempfile::tempdir().unwrap();
        let running = RunningCall::start(&state, "PreToolUse", |_| {});
        let path = session_dir(state.path()).join(removed);
        if removed.is_empty() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
        let answer = running.let_go();
        assert_eq!(answer.exit_code, 2, "{removed}: {answer:?}");
        assert!(
            answer.stderr.contains(reason) || answer.stderr.contains("cannot be recorded"),
            "{removed}: {answer:?}"
        );
    }
}

#[test]
fn a_tape_that_is_changed_while_a_call_is_running_denies_it_and_those_after_it() {
    let state = tempfile::tempdir().unwrap();
    fire_tool(state.path(), vec![]);
    let running = RunningCall::start(&state, "PreToolUse", |_| {});
    let tape = session_dir(state.path()).join("tape.jsonl");
    let changed = fs::read_to_string(&tape).unwrap() + "{\"seq\":-1}\n";
    fs::write(&tape, &changed).unwrap();
    assert_denied(&running.let_go(), "`seq` must be a non-negative integer");
    assert_denied(&fire_tool(state.path(), vec![]), "`seq` must be a non-negative integer");
    assert_eq!(fs::read_to_string(&tape).unwrap(), changed);
}

/// The branches of running and killed calls. An empty file is kept for a later call.
fn branches(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let named = entries.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("call-"));
    let (empty, branches): (Vec<_>, Vec<_>) = named.partition(|path| fs::metadata(path).unwrap().len() == 0);
    assert!(empty.len() < 3, "they are used again: {empty:?}");
    branches
}

#[test]
fn a_call_that_is_killed_while_it_ends_is_on_the_tape_once() {
    let state = tempfile::tempdir().unwrap();
    fire_tool(state.path(), vec![]);
    let running = RunningCall::start(&state, "PreToolUse", |_| {});
    let dir = session_dir(state.path());
    let [branch] = branches(&dir).try_into().unwrap();
    let recorded = fs::read(&branch).unwrap();
    let [tape_path, state_path] = ["tape.jsonl", "state.json"].map(|name| dir.join(name));
    let state_before = fs::read(&state_path).unwrap();
    let tape_before = fs::read(&tape_path).unwrap();
    assert_eq!(running.let_go().exit_code, 0);
    let (tape_after, state_after) = (fs::read(&tape_path).unwrap(), fs::read(&state_path).unwrap());
    let check = |moment: &str| {
        assert_eq!(fire_tool(state.path(), vec![]).exit_code, 0, "{moment}");
        assert!(branches(&dir).is_empty(), "{moment}");
        check_tape(state.path());
        let report = verify_file(&tape_path).unwrap();
        assert_eq!(report.dispatches, 3, "{moment}: one of each call");
    };
    // It had merged all of its branch or a part of it, but not saved that.
    let ends = (tape_before.len()..=tape_after.len()).step_by(97).chain([tape_after.len()]);
    for end in ends {
        fs::write(&tape_path, &tape_after[..end]).unwrap();
        fs::write(&state_path, &state_before).unwrap();
        fs::write(&branch, &recorded).unwrap();
        check(&format!("the tape ended after {end} bytes"));
    }
    // It had saved that, but not removed the branch.
    fs::write(&tape_path, &tape_after).unwrap();
    fs::write(&state_path, &state_after).unwrap();
    fs::write(&branch, &recorded).unwrap();
    check("the branch was left");
}

#[test]
fn what_a_killed_call_left_is_merged_or_denies() {
    let state = tempfile::tempdir().unwrap();
    let running = RunningCall::start(&state, "PreToolUse", |_| {});
    let dir = session_dir(state.path());
    let [branch] = branches(&dir).try_into().unwrap();
    let recorded = fs::read(&branch).unwrap();
    assert_eq!(running.let_go().exit_code, 0);
    let abandoned = dir.join("call-00000000000001-1-0.jsonl");
    for end in [0, 1, 40, recorded.len() - 1, recorded.len()] {
        fs::write(&abandoned, &recorded[..end]).unwrap();
        assert_eq!(fire_tool(state.path(), vec![]).exit_code, 0, "cut after {end}");
        assert!(branches(&dir).is_empty());
        check_tape(state.path());
    }
    let changed = String::from_utf8(recorded).unwrap().replacen("\"command\":\"ls\"", "\"command\":\"rm\"", 1);
    fs::write(&abandoned, changed).unwrap();
    let answer = fire_tool(state.path(), vec![]);
    assert_denied(&answer, "call-00000000000001-1-0.jsonl` cannot be read: line ");
    assert_denied(&answer, "the previous line was changed or is missing");
    assert_denied(&answer, "start again with `pintle sessions delete --host claude s1`");
}

#[test]
fn a_session_that_another_process_keeps_locked_denies_in_time() {
    let state = tempfile::tempdir().unwrap();
    fire_prompt(state.path(), vec![]);
    let held = SessionFolder::lock(session_dir(state.path()), Duration::ZERO).unwrap();
    let host = HostDef::by_name("claude").unwrap();
    let payload = json!({"session_id": "s1", "cwd": "/tmp", "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": "ls"}})
    .to_string();
    let deadline = Deadline::from_ms(20);
    let call = HostCall {
        host,
        event: host.find_event("PreToolUse"),
        payload: &Arc::new(payload.into_bytes()),
        state_directory: Some(state.path()),
        project: None,
        shadow: false,
        deadline: &deadline,
        entry: None,
        kept_sessions: None,
        signer: None,
    };
    let answer = handle_call(&call, |_| Ok(builder_with(vec![])));
    assert_denied(&answer, "cannot open the session: another process keeps `");
    drop(held);
    assert_eq!(fire_tool(state.path(), vec![]).exit_code, 0);
}
