//! The result of a failed tool is withheld like any other.

use pintle_bridge::{HostDef, HostResponse};
use pintle_host::contract::Rewrite;
use pintle_host::{EventName, Hook, Verdict, native};
use serde_json::{Map, Value, json};

use crate::fixture::respond_with_state;

const SECRET: &str = "SECRET-123";

/// A hook that removes the secret from results, and one that denies results with it.
fn redacting_hook() -> Hook {
    native::hook("redacts", EventName::parse("tool.post").unwrap(), |call| {
        let result = call.event.payload.field("result").unwrap();
        let clean = result.to_string().replace(SECRET, "[gone]");
        let clean: Value = serde_json::from_str(&clean).unwrap();
        Verdict::pass().with_rewrite(Rewrite::Fields(Map::from_iter([(String::from("result"), clean)])))
    })
}

fn refusing_hook() -> Hook {
    native::hook("refuses", EventName::parse("tool.post").unwrap(), |call| {
        let has = call.event.payload.value().to_string().contains(SECRET);
        if has { Verdict::deny("not for the model") } else { Verdict::pass() }
    })
}

fn event_fields(host: &str, event: &str) -> Value {
    let error = format!("Exit code 3\n{SECRET}");
    match host {
        "copilot" => json!({"sessionId": "s1", "cwd": "/tmp", "toolName": "bash", "toolArgs": {"command": "x"},
            "error": {"message": error}}),
        "cursor" => json!({"conversation_id": "s1", "hook_event_name": event, "workspace_roots": ["/tmp"],
            "tool_name": "Shell", "tool_input": {"command": "x"}, "error_message": error}),
        "qwen" => json!({"session_id": "s1", "hook_event_name": event, "cwd": "/tmp", "tool_name": "run_shell_command",
            "tool_input": {"command": "x"}, "error": error}),
        _ => json!({"session_id": "s1", "hook_event_name": event, "cwd": "/tmp", "tool_name": "Bash",
            "tool_input": {"command": "x"}, "error": error}),
    }
}

#[test]
fn a_failed_tools_secret_ends_the_run_where_the_host_cannot_change_it() {
    for (name, event, before) in [
        ("claude", "PostToolUseFailure", "PreToolUse"),
        ("qwen", "PostToolUseFailure", "PreToolUse"),
        ("copilot", "postToolUseFailure", "preToolUse"),
        ("cursor", "postToolUseFailure", "preToolUse"),
    ] {
        let host = HostDef::by_name(name).unwrap();
        for hook in [redacting_hook(), refusing_hook()] {
            let state = tempfile::tempdir().unwrap();
            let answer = |event: &str, fields: &Value, hooks| {
                let payload = fields.to_string();
                respond_with_state(host, host.find_event(event).unwrap(), payload.as_bytes(), hooks, Some(state.path()))
            };
            let failed = answer(event, &event_fields(name, event), vec![hook.clone()]);
            assert!(!format!("{failed:?}").contains(SECRET), "{failed:?}");
            if ["claude", "qwen"].contains(&name) {
                assert!(failed.stdout.contains("\"continue\":false"), "{name}: {failed:?}");
            }
            if ["claude", "qwen"].contains(&name) {
                let call = json!({"tool_name": "x", "tool_input": {}, "tool_response": SECRET});
                let batch = json!({"session_id": "s1", "hook_event_name": "PostToolBatch", "cwd": "/tmp",
                    "tool_calls": [call]});
                let batch = answer("PostToolBatch", &batch, Vec::new());
                let left = if hook.id.as_str() == "redacts" { "[gone]" } else { "not for the model" };
                assert!(batch.stdout.contains("\"continue\":false") && batch.stdout.contains(left), "{batch:?}");
            }
            let mut next = event_fields(name, before);
            next.as_object_mut().unwrap().remove("error");
            let next = answer(before, &next, Vec::new());
            assert_eq!(next.exit_code, if name == "cursor" { next.exit_code } else { 2 }, "{name}: {next:?}");
            assert!(next.stdout.contains("deny"), "{name}: {next:?}");
        }
        let state = tempfile::tempdir().unwrap();
        let clean = event_fields(name, event).to_string().replace(SECRET, "nothing");
        let plain = respond_with_state(
            host,
            host.find_event(event).unwrap(),
            clean.as_bytes(),
            vec![redacting_hook(), refusing_hook()],
            Some(state.path()),
        );
        assert!(!plain.stdout.contains("continue"), "what no hook changes ends nothing: {plain:?}");
    }
}

/// The response to Claude Code's command line when Copilot runs it.
fn respond_to_copilot(event: &str, payload: &Value, hooks: Vec<Hook>) -> HostResponse {
    let host = HostDef::by_name("claude").unwrap();
    respond_with_state(host, host.find_event(event).unwrap(), payload.to_string().as_bytes(), hooks, None)
}

#[test]
fn copilot_that_runs_claude_codes_entries_is_read_and_answered_as_copilot() {
    let common = |event: &str| {
        json!({"hook_event_name": event, "session_id": "s1", "timestamp": "2026-11-21T20:50:54.421Z", "cwd": "/tmp",
            "tool_name": "Bash", "tool_input": {"command": "x"}})
    };
    let mut after = common("PostToolUse");
    after["tool_result"] = json!({"result_type": "success", "text_result_for_llm": SECRET});
    let answer = respond_to_copilot("PostToolUse", &after, vec![redacting_hook()]);
    let said: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(said["modifiedResult"]["textResultForLlm"], "[gone]", "{answer:?}");
    let mut write = common("PreToolUse");
    write["tool_name"] = json!("Write");
    write["tool_input"] = json!({"path": "/tmp/a", "file_text": SECRET, "content": "harmless"});
    let guard = native::hook("guard", EventName::parse("tool.pre").unwrap(), |call| {
        let content = call.event.payload.field("args").and_then(|args| args["content"].as_str().map(str::to_owned));
        if content.as_deref() == Some(SECRET) { Verdict::deny("no secrets") } else { Verdict::pass() }
    });
    let answer = respond_to_copilot("PreToolUse", &write, vec![guard]);
    let said: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!((said["permissionDecision"].as_str(), answer.exit_code), (Some("deny"), 2), "{answer:?}");
    let asks = json!({"hookName": "permissionRequest", "sessionId": "s1", "timestamp": 1, "cwd": "/tmp",
        "toolName": "bash", "toolInput": {"command": "x"}, "permissionSuggestions": []});
    let denies = native::hook("denies", EventName::parse("permission.ask").unwrap(), |_| Verdict::deny("never"));
    let answer = respond_to_copilot("PermissionRequest", &asks, vec![denies]);
    let said: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!((said["behavior"].as_str(), answer.exit_code), (Some("deny"), 0), "{answer:?}");
}
