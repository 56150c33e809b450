use pintle_contract::{Event, Origin};
use pintle_testkit::{catalogue_payload, event_from};
use serde_json::{Value, json};

use super::{event, origin};
use crate::harness_framework::{ROWS, codec};

fn payload_text(event: &Event, event_alias: &str) -> String {
    String::from_utf8(codec().encode_bytes(event, event_alias)).unwrap()
}

#[test]
fn every_event_has_the_documented_fields_in_their_order() {
    let base = |name: &str| {
        format!("\"session_id\":\"s-1\",\"transcript_path\":\"/tapes/s-1.jsonl\",\"hook_event_name\":\"{name}\"")
    };
    let further = [
        ("SessionStart", ""),
        ("UserPromptSubmit", r#","prompt":"fix the failing test""#),
        ("PreToolUse", r#","tool_name":"Bash","tool_input":{"command":"ls -la"}"#),
        ("SubagentStop", ""),
        ("Stop", ""),
        ("SessionEnd", ""),
    ];
    assert_eq!(ROWS.len(), further.len());
    for (def, (name, rest)) in ROWS.iter().zip(further) {
        assert_eq!(def.name, name);
        let line = payload_text(&event(def.canonical.name(), catalogue_payload(def.canonical.name())), name);
        assert_eq!(line, format!("{{{}{rest}}}", base(name)));
    }
}

#[test]
fn tools_are_called_as_the_scripts_know_them() {
    for (name, args, tool, input) in [
        ("shell", json!({"command": "ls", "timeout_ms": 5}), "Bash", json!({"command": "ls", "timeout": 5})),
        ("write", json!({"path": "a", "content": "x"}), "Write", json!({"file_path": "a", "content": "x"})),
        (
            "edit",
            json!({"path": "a", "old": "x", "new": "y"}),
            "Edit",
            json!({"file_path": "a", "old_string": "x", "new_string": "y"}),
        ),
        ("read", json!({"path": "a"}), "Read", json!({"file_path": "a"})),
        ("fs.read", json!({"path": "a"}), "Read", json!({"file_path": "a"})),
        ("mcp__db__query", json!({"sql": "x"}), "mcp__db__query", json!({"sql": "x"})),
        ("my_tool", json!({"a": 1}), "my_tool", json!({"a": 1})),
    ] {
        let payload = codec().encode(&event("tool.pre", json!({"name": name, "args": args})), "PreToolUse").unwrap();
        assert_eq!((&payload["tool_name"], &payload["tool_input"]), (&json!(tool), &input), "{name}");
    }
}

/// A call that a host agent reported.
fn reported_payload(client: &str, tool: &str, input: &Value) -> Value {
    let host = json!({"client": client, "event": "PreToolUse", "transcript_path": "/t.jsonl"});
    let told = event("tool.pre", json!({"name": tool, "args": input, "host": host, "vocabulary": client}));
    let payload = codec().encode(&told, "PreToolUse").unwrap();
    json!([payload["transcript_path"], payload["tool_name"], payload["tool_input"]])
}

#[test]
fn a_call_of_claude_code_keeps_its_native_form() {
    let input = json!({"command": "dir", "description": "d"});
    let edits = json!({"file_path": "a", "edits": [{"old_string": "x", "new_string": "y"}]});
    for (client, tool, input, heard) in [
        ("claude", "PowerShell", &input, "PowerShell"),
        ("gemini", "run_shell_command", &input, "Bash"),
        ("claude", "MultiEdit", &edits, "MultiEdit"),
    ] {
        assert_eq!(reported_payload(client, tool, input), json!(["/t.jsonl", heard, input]), "{client} {tool}");
    }
}

#[test]
fn unrecorded_session_has_an_empty_readable_transcript() {
    let nowhere = Origin { transcript: String::new(), ..origin() };
    let event = event_from(nowhere, "session.end", json!({}));
    assert_eq!(codec().encode(&event, "SessionEnd").unwrap()["transcript_path"], "/dev/null");
}

#[test]
fn an_agent_below_the_first_one_has_no_session_prompt_or_stop_of_its_own() {
    let of_depth = |depth| event_from(Origin { depth, ..origin() }, "turn.end", json!({}));
    for (spelling, asked) in [
        ("SessionStart", false),
        ("UserPromptSubmit", false),
        ("PreToolUse", true),
        ("SubagentStop", true),
        ("Stop", false),
        ("SessionEnd", false),
    ] {
        let narrower = codec().event_filter(spelling);
        assert!(narrower.is_none_or(|wants| wants(&of_depth(0))), "{spelling}");
        assert_eq!(narrower.is_none_or(|wants| wants(&of_depth(1))), asked, "{spelling}");
    }
    let failed = event("turn.end", json!({"text": "", "error": "cancelled"}));
    assert!(!codec().event_filter("Stop").unwrap()(&failed), "there is no response");
}
