//! A session across many processes: its state, its tape, and texts that are sent only once.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use pintle_bridge::{HOSTS, HostDef, HostResponse};
use pintle_host::contract::{
    EffectCaller, EffectReply, EffectRequest, Failure, FailureKind, LimitKind, MatchResult, Matcher,
};
use pintle_host::tape::{replay, verify};
use pintle_host::{Effect, Event, EventKind, EventName, FailurePolicy, Hook, Verdict, native};
use serde_json::{Value, json};

use crate::fixture::{event_of_file, recorded_hosts, respond_with_state};

fn claude_host() -> &'static HostDef {
    HostDef::by_name("claude").unwrap()
}

/// Handles an event of one session of Claude Code.
fn fire_event(state: &Path, event: &str, fields: Value, hooks: Vec<Hook>) -> HostResponse {
    let mut payload = json!({"session_id": "s1", "cwd": "/tmp", "hook_event_name": event});
    payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let def = claude_host().find_event(event).unwrap();
    respond_with_state(claude_host(), def, payload.to_string().as_bytes(), hooks, Some(state))
}

fn fire_prompt(state: &Path, hooks: Vec<Hook>) -> HostResponse {
    fire_event(state, "UserPromptSubmit", json!({"prompt": "go"}), hooks)
}

fn fire_tool(state: &Path, hooks: Vec<Hook>) -> HostResponse {
    fire_event(
        state,
        "PreToolUse",
        json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1"}),
        hooks,
    )
}

fn context_hook(event: &str, text: &'static str) -> Hook {
    native::hook("teller", EventName::parse(event).unwrap(), move |_| {
        Verdict::pass().with_effect(Effect::Context(String::from(text)))
    })
}

fn denying_hook(event: &str) -> Hook {
    native::hook("no", EventName::parse(event).unwrap(), |_| Verdict::deny("go on"))
}

fn read_tape(state: &Path) -> Vec<u8> {
    fs::read(state.join("bridge/claude/s1/tape.jsonl")).unwrap()
}

#[test]
fn the_tape_of_many_processes_is_one_tape_that_verifies_and_replays() {
    let state = tempfile::tempdir().unwrap();
    let path = state.path();
    let counts = || {
        native::hook("counts", EventName::parse("tool.pre").unwrap(), |call| {
            let caller = EffectCaller::new(call.id, "counts");
            let EffectReply::Int(count) =
                call.effects.perform(caller, EffectRequest::MetricIncr { name: String::from("n"), amount: 1 }).unwrap()
            else {
                panic!("no number")
            };
            if count % 2 == 0 {
                Verdict::deny(format!("{count} is even, {}", "x".repeat(2_000)))
            } else {
                Verdict::pass()
            }
        })
    };
    fire_event(path, "SessionStart", json!({"source": "startup"}), vec![counts()]);
    fire_prompt(path, vec![counts()]);
    let statuses: Vec<u8> = (0..6).map(|_| fire_tool(path, vec![counts()]).exit_code).collect();
    assert_eq!(statuses, [0, 2, 0, 2, 0, 2], "the counter goes on from process to process");
    fire_event(path, "Stop", json!({"stop_hook_active": false, "last_assistant_message": "done"}), vec![counts()]);
    fire_event(path, "SessionEnd", json!({"reason": "other"}), vec![]);
    let bytes = read_tape(path);
    let text = String::from_utf8(bytes.clone()).unwrap();
    assert_eq!(text.matches("\"kind\":\"hooks\"").count(), 2, "hooks are recorded when they changed: {text}");
    let verified = verify::verify_bytes(&bytes).unwrap();
    assert!(verified.findings.is_empty() && verified.unfinished.is_empty(), "{verified:?}");
    let replayed = replay::replay(&bytes, &replay::ReplayOptions::default()).unwrap();
    assert!(replayed.difference.is_none(), "{:?}", replayed.difference);
    assert!(replayed.dispatches >= 9, "{}", replayed.dispatches);
}

#[test]
fn a_process_that_died_leaves_a_session_that_goes_on() {
    let state = tempfile::tempdir().unwrap();
    let path = state.path();
    fire_prompt(path, vec![]);
    fire_tool(path, vec![]);
    // It wrote half a record, and its state is the previous one.
    let file = path.join("bridge/claude/s1/tape.jsonl");
    let mut bytes = fs::read(&file).unwrap();
    bytes.extend_from_slice(b"{\"seq\":99,\"at_ms\":1,\"pr");
    fs::write(&file, bytes).unwrap();
    assert_eq!(fire_tool(path, vec![denying_hook("tool.pre")]).exit_code, 2);
    let bytes = read_tape(path);
    assert!(verify::verify_bytes(&bytes).unwrap().findings.is_empty());
    assert!(replay::replay(&bytes, &replay::ReplayOptions::default()).unwrap().difference.is_none());
}

#[test]
fn a_state_that_cannot_be_read_or_is_gone_denies() {
    let state = tempfile::tempdir().unwrap();
    fire_prompt(state.path(), vec![]);
    let before = read_tape(state.path());
    let kept = state.path().join("bridge/claude/s1/state.json");
    for (left, told) in [
        (Some("{"), "its saved state cannot be read"),
        (Some("{}"), "its saved state is of another version of Pintle"),
        (Some(r#"{"version":2}"#), "its saved state does not say where its tape ends"),
        (Some(r#"{"version":2,"blocked":"no"}"#), "its saved state cannot be read"),
        (Some(r#"{"version":2,"cursor":{}}"#), "its first line is missing"),
        (Some(""), "it is empty"),
        (None, "its `state.json` is missing"),
    ] {
        let _ = left.map_or_else(|| fs::remove_file(&kept), |text| fs::write(&kept, text));
        let answer = fire_tool(state.path(), vec![]);
        assert_eq!(answer.exit_code, 2, "{answer:?}");
        assert!(answer.stderr.contains(told), "{answer:?}");
        assert!(answer.stderr.contains("start again with `pintle sessions delete --host claude s1`"), "{answer:?}");
        assert_eq!(read_tape(state.path()), before, "nothing goes on");
    }
}

#[test]
fn a_tape_that_lost_records_between_two_calls_denies_and_says_so() {
    let state = tempfile::tempdir().unwrap();
    let path = state.path();
    fire_prompt(path, vec![]);
    assert_eq!(fire_tool(path, vec![denying_hook("tool.pre")]).exit_code, 2);
    let file = path.join("bridge/claude/s1/tape.jsonl");
    let whole = fs::read(&file).unwrap();
    let ends: Vec<usize> = (0..whole.len()).filter(|end| *end == 0 || whole[end - 1] == b'\n').collect();
    for end in ends {
        fs::write(&file, &whole[..end]).unwrap();
        let answer = fire_tool(path, vec![]);
        assert_eq!(answer.exit_code, 2, "cut after {end} bytes: {answer:?}");
        assert!(answer.stderr.contains("differs from what the last process wrote"), "{answer:?}");
        assert!(answer.stderr.contains("`pintle sessions delete --host claude s1`"), "{answer:?}");
        assert_eq!(fs::read(&file).unwrap(), whole[..end], "nothing is added to it");
    }
    fs::remove_file(&file).unwrap();
    let answer = fire_tool(path, vec![]);
    assert!(answer.exit_code == 2 && answer.stderr.contains("it was deleted"), "{answer:?}");
    assert!(!file.exists(), "it does not begin again");
    // An event that cannot block is still reported, and does not prevent the end.
    let answer = fire_event(path, "SessionEnd", json!({"reason": "other"}), vec![]);
    assert_eq!(answer.exit_code, 0, "{answer:?}");
    fs::write(&file, &whole).unwrap();
    assert_eq!(fire_tool(path, vec![]).exit_code, 0, "it is as it was left");
}

#[test]
fn an_empty_tape_that_a_full_disk_left_is_healed() {
    for left in ["", "{\"seq\":0,\"at"] {
        let state = tempfile::tempdir().unwrap();
        let dir = state.path().join("bridge/claude/s1");
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("tape.jsonl"), left).unwrap();
        assert_eq!(fire_tool(state.path(), vec![]).exit_code, 0);
        fire_event(state.path(), "SessionEnd", json!({"reason": "other"}), vec![]);
        let report = verify::verify_bytes(&read_tape(state.path())).unwrap();
        assert!(report.is_complete(), "{report:?}");
        assert!(String::from_utf8(read_tape(state.path())).unwrap().contains("\"kind\":\"repaired\",\"line\":1"));
    }
}

#[test]
fn a_tape_is_whole_when_the_agent_has_told_its_end() {
    let state = tempfile::tempdir().unwrap();
    fire_prompt(state.path(), vec![]);
    let whole = || verify::verify_bytes(&read_tape(state.path())).unwrap().is_complete();
    assert!(!whole(), "it may go on");
    fire_event(state.path(), "SessionEnd", json!({"reason": "other"}), vec![]);
    assert!(whole());
    fire_prompt(state.path(), vec![]);
    assert!(!whole(), "it went on");
}

#[test]
fn a_tape_that_was_changed_denies() {
    let state = tempfile::tempdir().unwrap();
    fire_tool(state.path(), vec![]);
    let file = state.path().join("bridge/claude/s1/tape.jsonl");
    let text = fs::read_to_string(&file).unwrap().replacen("\"command\":\"ls\"", "\"command\":\"rm\"", 1);
    fs::write(&file, text + "\n").unwrap();
    let answer = fire_tool(state.path(), vec![]);
    assert_eq!(answer.exit_code, 2, "{answer:?}");
}

#[test]
fn a_text_is_given_to_the_model_once_a_session_or_once_a_turn() {
    let state = tempfile::tempdir().unwrap();
    let path = state.path();
    let hooks = || vec![context_hook("session.start", "stays"), context_hook("prompt.submit", "for the turn")];
    let start =
        |source: &str| fire_event(path, "SessionStart", json!({"source": source}), hooks()).stdout.contains("stays");
    assert_eq!([start("startup"), start("resume"), start("compact"), start("clear")], [true, true, true, true]);
    let asked = || fire_prompt(path, hooks()).stdout.contains("for the turn");
    assert_eq!([asked(), asked()], [true, true], "each prompt begins a turn");
}

#[test]
fn context_from_a_turn_end_arrives_with_the_next_prompt() {
    let state = tempfile::tempdir().unwrap();
    let path = state.path();
    let fields = json!({"stop_hook_active": false, "last_assistant_message": "done"});
    let stop = fire_event(path, "Stop", fields, vec![context_hook("turn.end", "remember this")]);
    assert_eq!((stop.stdout.as_str(), stop.exit_code), ("", 0));
    assert!(fire_prompt(path, vec![]).stdout.contains("remember this"));
    assert!(!fire_prompt(path, vec![]).stdout.contains("remember this"), "once");
}

#[test]
fn a_session_that_a_hook_refused_stays_refused() {
    let state = tempfile::tempdir().unwrap();
    let path = state.path();
    fire_event(path, "SessionStart", json!({"source": "startup"}), vec![denying_hook("session.start")]);
    for answer in [fire_prompt(path, vec![]), fire_tool(path, vec![])] {
        assert_eq!(answer.exit_code, 2, "{answer:?}");
        assert!(answer.stderr.contains("session blocked"), "{answer:?}");
    }
    fire_event(path, "SessionStart", json!({"source": "resume"}), vec![]);
    assert_eq!(fire_tool(path, vec![]).exit_code, 0, "another beginning is judged anew");
}

#[test]
fn a_run_that_a_hook_ended_stays_ended_until_the_next_prompt() {
    let state = tempfile::tempdir().unwrap();
    let path = state.path();
    let ends = Hook { on_deny: pintle_host::contract::DenyEffect::StopRun, ..denying_hook("tool.post") };
    let fields = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": {"stdout": "x"}});
    let after = fire_event(path, "PostToolUse", fields, vec![ends]);
    assert!(after.stdout.contains("\"continue\":false") && !after.stdout.contains("updatedToolOutput"), "{after:?}");
    assert_eq!(fire_tool(path, vec![]).exit_code, 2);
    assert_eq!(fire_prompt(path, vec![]).exit_code, 0);
    assert_eq!(fire_tool(path, vec![]).exit_code, 0);
}

#[test]
fn a_hook_that_fails_at_the_end_of_a_turn_costs_no_further_call() {
    for event in ["agent.stop", "delegation.post"] {
        let state = tempfile::tempdir().unwrap();
        let path = state.path();
        let name = EventName::parse(event).unwrap();
        let fails = native::hook("crash", name, |_| Verdict::failed(Failure::new(FailureKind::Error, "no key")));
        let fails = Hook { on_failure: FailurePolicy::Closed, ..fails };
        fire_prompt(path, vec![]);
        let (row, fields) = match event {
            "agent.stop" => ("Stop", json!({"stop_hook_active": false, "last_assistant_message": "done"})),
            _ => ("SubagentStop", json!({"stop_hook_active": false, "agent_id": "a1", "agent_type": "x"})),
        };
        let answer = fire_event(path, row, fields, vec![fails]);
        assert_ne!(answer.exit_code, 2, "{answer:?}");
        assert!(answer.stdout.contains("\"continue\":false"), "{answer:?}");
        assert!(
            answer.stdout.contains("the answer was not accepted") && answer.stdout.contains("no key"),
            "{answer:?}"
        );
    }
}

#[test]
fn hooks_that_never_let_an_agent_stop_are_passed_over_in_the_end() {
    let state = tempfile::tempdir().unwrap();
    let path = state.path();
    fire_prompt(path, vec![]);
    let stop = |active: bool| {
        let fields = json!({"stop_hook_active": active, "last_assistant_message": "done"});
        fire_event(path, "Stop", fields, vec![denying_hook("agent.stop")])
    };
    let mut blocks = 0;
    while stop(blocks > 0).exit_code == 2 {
        blocks += 1;
        assert!(blocks < 50, "it never stops");
    }
    assert_eq!(blocks, 8);
    assert!(stop(true).stdout.contains("which is the limit"));
    assert_eq!(stop(false).exit_code, 2, "the host begins to count anew");
}

/// A matcher that fails.
#[derive(Debug)]
struct SessionFailingMatcher(FailureKind);

impl Matcher for SessionFailingMatcher {
    fn matches(&self, _event: &Event) -> MatchResult {
        MatchResult::Failed(Failure::new(self.0, "it did not get far"))
    }

    fn describe(&self) -> String {
        String::from("fails")
    }
}

#[test]
fn a_when_that_fails_is_told_once_and_one_that_a_limit_ends_denies() {
    let state = tempfile::tempdir().unwrap();
    let path = state.path();
    fire_prompt(path, vec![]);
    let asked = |kind| {
        fire_tool(path, vec![native::with_matcher(denying_hook("tool.pre"), Arc::new(SessionFailingMatcher(kind)))])
    };
    let told = "hook \\\"no\\\" was skipped because its matcher failed: error: it did not get far";
    let answers = [asked(FailureKind::Error), asked(FailureKind::Error)];
    assert!(answers.iter().all(|answer| answer.exit_code == 0 && !answer.stdout.contains("deny")), "{answers:?}");
    assert_eq!(answers.map(|answer| answer.stdout.contains(told)), [true, false]);
    for kind in [FailureKind::Limit(LimitKind::Steps), FailureKind::Timeout, FailureKind::Crash] {
        let answer = asked(kind);
        assert!(answer.stdout.contains("deny") && answer.stdout.contains("it did not get far"), "{answer:?}");
    }
}

/// Of every event of every agent at which a deny lets the agent go on: nobody who is not trusted sends it on.
#[test]
fn an_untrusted_hook_sends_no_agent_of_any_kind_on() {
    let mut tried = Vec::new();
    for (host, files) in recorded_hosts() {
        for file in files {
            let def = event_of_file(host, &file);
            if !def.deny_continues() {
                continue;
            }
            let payload = fs::read(&file).unwrap();
            let answer = |source_trust| {
                let say = |event: &EventKind| Hook {
                    source_trust,
                    ..native::hook("no", EventName::from(*event), |_| Verdict::deny("GO-ON"))
                };
                let state = tempfile::tempdir().unwrap();
                let hooks = def.fires.iter().map(say).collect();
                format!("{:?}", respond_with_state(host, def, &payload, hooks, Some(state.path())))
            };
            let whose = pintle_host::contract::SourceTrust::Untrusted;
            assert!(!answer(whose).contains("GO-ON"), "{} {}: {}", host.name, def.name, answer(whose));
            if answer(pintle_host::contract::SourceTrust::Trusted).contains("GO-ON") {
                tried.push(format!("{} {}", host.name, def.name));
            }
        }
    }
    tried.dedup();
    for wanted in
        ["claude Stop", "claude SubagentStop", "codex SubagentStop", "copilot subagentStop", "qwen SubagentStop"]
    {
        assert!(tried.iter().any(|known| known == wanted), "{wanted} is not among {tried:?}");
    }
}

#[test]
fn what_an_untrusted_hook_wanted_beyond_a_refusal_is_told_once() {
    let state = tempfile::tempdir().unwrap();
    let path = state.path();
    fire_prompt(path, vec![]);
    let approving = || Hook {
        source_trust: pintle_host::contract::SourceTrust::Untrusted,
        ..native::hook("yes", EventName::parse("tool.pre").unwrap(), |_| Verdict::allow("trust me"))
    };
    let answers = [fire_tool(path, vec![approving()]), fire_tool(path, vec![approving()])];
    assert!(answers.iter().all(|answer| answer.exit_code == 0 && !answer.stdout.contains("allow\"")), "{answers:?}");
    let told = "hook \\\"yes\\\": the project is not trusted, so Pintle ignored its `allow`";
    assert_eq!(answers.map(|answer| answer.stdout.contains(told)), [true, false]);
}

#[test]
fn two_processes_of_one_session_do_not_mix() {
    let state = tempfile::tempdir().unwrap();
    let path = state.path();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(fire_tool(path, vec![denying_hook("tool.pre")]).exit_code, 2));
        }
    });
    let bytes = read_tape(path);
    assert!(verify::verify_bytes(&bytes).unwrap().findings.is_empty());
    assert_eq!(String::from_utf8(bytes).unwrap().matches("\"kind\":\"outcome\"").count(), 8);
}

#[test]
fn events_that_fired_are_written_down_for_the_doctor() {
    let state = tempfile::tempdir().unwrap();
    fire_prompt(state.path(), vec![]);
    fire_tool(state.path(), vec![]);
    let fired: Value =
        serde_json::from_slice(&fs::read(state.path().join("bridge/claude/fired.json")).unwrap()).unwrap();
    let names: Vec<&String> = fired.as_object().unwrap().keys().collect();
    assert_eq!(names, ["UserPromptSubmit", "PreToolUse"]);
}

#[test]
fn no_session_of_any_host_reaches_out_of_its_folder() {
    for host in HOSTS {
        let state = tempfile::tempdir().unwrap();
        let def = host.host_events().find(|def| def.fires.contains(&EventKind::ToolPre)).unwrap();
        for session in ["../../x", "/etc", "a/b", ".."] {
            let payload = json!({"session_id": session, "sessionId": session, "taskId": session,
                "conversation_id": session, "tool_name": "x", "tool_input": {}});
            respond_with_state(host, def, payload.to_string().as_bytes(), vec![], Some(state.path()));
        }
        let outside: Vec<_> = fs::read_dir(state.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(outside.iter().all(|name| name == "bridge"), "{outside:?}");
    }
}

#[test]
fn a_policy_that_knows_a_tool_by_another_name_is_asked_too() {
    let state = tempfile::tempdir().unwrap();
    let named = |name: &'static str| {
        native::with_matcher(denying_hook("tool.pre"), pintle_testkit::SubjectMatcher::new([name]))
    };
    for (name, denied) in [("shell", true), ("run_command", true), ("Bash", true), ("read", false)] {
        assert_eq!(fire_tool(state.path(), vec![named(name)]).exit_code == 2, denied, "{name}");
    }
}

#[test]
fn what_is_said_about_a_call_is_said_each_time() {
    let state = tempfile::tempdir().unwrap();
    fire_prompt(state.path(), vec![]);
    for id in ["t1", "t2", "t3"] {
        let fields = json!({"tool_name": "Edit", "tool_input": {"file_path": "a.rs"}, "tool_use_id": id,
            "tool_response": {"filePath": "a.rs"}});
        let answer = fire_event(state.path(), "PostToolUse", fields, vec![context_hook("tool.post", "LINT FAILED")]);
        assert!(answer.stdout.contains("LINT FAILED"), "{id}: {answer:?}");
    }
}
