//! Which host sent a payload, and what would be decided about it.

use std::fs;
use std::sync::Arc;

use pintle_bridge::{Deadline, HOSTS, HostCall, HostDef, hosts_reading, preview_call, recognise_payload};
use pintle_host::Verdict;
use serde_json::{Value, json};

use crate::fixture::{builder_with, event_of_file, hook_saying, main_event, recorded_hosts, respond_with_state};

/// The hosts that a payload can be of, each with its event.
fn names(payload: &Value) -> Vec<(&'static str, &'static str)> {
    recognise_payload(payload).into_iter().map(|(host, def)| (host.name, def.name)).collect()
}

#[test]
fn every_payload_that_was_captured_is_recognised() {
    let all = recorded_hosts();
    assert_eq!(all.len(), HOSTS.len(), "every host has payloads");
    for (host, files) in all {
        for file in files {
            let payload: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
            assert_eq!(names(&payload), [(host.name, event_of_file(host, &file).name)], "{}", file.display());
        }
    }
}

#[test]
fn payload_that_several_hosts_send_is_not_guessed() {
    let call = json!({"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}});
    let mut named = call.clone();
    named.as_object_mut().unwrap().insert(String::from("hook_event_name"), json!("PreToolUse"));
    assert_eq!(names(&named), [("claude", "PreToolUse"), ("codex", "PreToolUse")]);
    assert_eq!(names(&call), []);
    let reading: Vec<&str> = hosts_reading(&call, "PreToolUse").into_iter().map(|(host, _)| host.name).collect();
    assert!(reading.contains(&"claude") && reading.contains(&"codex"), "{reading:?}");
    assert!(hosts_reading(&call, "tool.pre").is_empty());
    assert!(hosts_reading(&json!({"name": "shell", "args": {}}), "PreToolUse").is_empty());
}

#[test]
fn copilot_is_recognised_in_either_format() {
    let fields = json!({"hook_event_name": "PreToolUse", "session_id": "s", "timestamp": "2026-01-01T00:00:00Z",
        "tool_name": "bash", "tool_input": {}});
    assert_eq!(names(&fields), [("copilot", "PreToolUse")]);
}

#[test]
fn payloads_of_pintle_and_odd_values_are_of_no_host() {
    for def in pintle_host::event::CATALOGUE {
        assert_eq!(names(&def.example()), [], "{}", def.name);
    }
    let docker = json!({"hook_event_name": "pre_tool_use", "session_id": "s", "tool_name": "shell", "tool_input": {}});
    for odd in [docker, json!(null), json!([]), json!("x"), json!({"hook_event_name": 3, "session_id": {}})] {
        assert_eq!(names(&odd), [], "{odd}");
    }
}

#[test]
fn preview_decides_as_the_call_does_and_stores_nothing() {
    for (host, files) in recorded_hosts() {
        for file in files {
            let def = event_of_file(host, &file);
            let payload = Arc::new(fs::read(&file).unwrap());
            for said in ["allow", "deny", "ask", "rewrite", "context", "stop"] {
                let hooks = || main_event(def).into_iter().map(|event| hook_saying(said, event)).collect();
                let state = tempfile::tempdir().unwrap();
                let deadline = Deadline::from_ms(60_000);
                let call = HostCall {
                    host,
                    event: Some(def),
                    payload: &payload,
                    state_directory: Some(state.path()),
                    project: None,
                    shadow: false,
                    deadline: &deadline,
                    entry: None,
                    kept_sessions: None,
                    signer: None,
                };
                let previewed = preview_call(&call, |_| Ok(builder_with(hooks()))).unwrap();
                assert_eq!(fs::read_dir(state.path()).unwrap().count(), 0, "{}: {said}", file.display());
                let answered = respond_with_state(host, def, &payload, hooks(), Some(state.path()));
                assert_eq!(previewed.response, answered, "{}: {said}", file.display());
            }
        }
    }
}

#[test]
fn a_preview_works_in_the_project_if_the_directory_of_the_payload_is_not_here() {
    let project = tempfile::tempdir().unwrap();
    let host = HostDef::by_name("claude").unwrap();
    let def = host.find_event("PreToolUse").unwrap();
    let payload = json!({"session_id": "s", "cwd": "/nowhere/at/all", "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": {"command": "ls"}});
    let payload = Arc::new(payload.to_string().into_bytes());
    let deadline = Deadline::from_ms(60_000);
    let call = HostCall {
        host,
        event: Some(def),
        payload: &payload,
        state_directory: None,
        project: Some(project.path().to_owned()),
        shadow: false,
        deadline: &deadline,
        entry: None,
        kept_sessions: None,
        signer: None,
    };
    let named = pintle_host::EventName::parse("tool.pre").unwrap();
    let hook = pintle_host::native::hook("h", named, |call| Verdict::deny(call.event.origin.cwd.clone()));
    let handled = preview_call(&call, |_| Ok(builder_with(vec![hook]))).unwrap();
    assert!(handled.decision.reason.contains(project.path().to_str().unwrap()), "{}", handled.decision.reason);
}
