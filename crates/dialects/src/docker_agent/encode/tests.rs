use std::sync::Arc;

use pintle_contract::{Codec, Event, Origin};
use pintle_testkit::{event_from, example_origin};
use serde_json::{Value, json};

use crate::docker_agent::codec::DockerAgentCodec;
use crate::docker_agent::event_def::{DockerAgentVersion, ROWS};

/// Every key of docker-agent's own list, in its order.
const ORDER: [&str; 43] = [
    "session_id",
    "cwd",
    "hook_event_name",
    "agent_name",
    "model_id",
    "iteration",
    "last_user_message",
    "tool_category",
    "tool_name",
    "tool_use_id",
    "tool_input",
    "tool_read_only",
    "safety_policy",
    "tool_response",
    "tool_error",
    "messages",
    "source",
    "reason",
    "stop_response",
    "prompt",
    "steering_messages",
    "parent_session_id",
    "notification_level",
    "notification_message",
    "from_agent",
    "to_agent",
    "agent_switch_kind",
    "from_agent_models",
    "previous_max_iterations",
    "new_max_iterations",
    "approval_decision",
    "approval_source",
    "safety_label",
    "usage",
    "cost",
    "input_tokens",
    "output_tokens",
    "context_limit",
    "compaction_reason",
    "summary",
    "worktree_path",
    "worktree_branch",
    "worktree_source_dir",
];

/// Pintle's additions: event and key.
const ADDED: [(&str, &str); 3] =
    [("before_compaction", "messages"), ("subagent_stop", "status"), ("on_user_input", "reason")];

fn event(canonical: &str, payload: Value) -> Event {
    event_from(Origin { turn: 1, cwd: String::from("/w"), ..example_origin() }, canonical, payload)
}

fn encode_text(version: DockerAgentVersion, event_alias: &str, canonical: &str, payload: &Value) -> String {
    let codec = DockerAgentCodec { compat: version, ..DockerAgentCodec::default() };
    let event = event(canonical, payload.clone());
    let bytes = codec.encode_bytes(&event, event_alias);
    let parsed: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(codec.encode(&event, event_alias), Some(parsed), "the two forms differ");
    String::from_utf8(bytes).unwrap()
}

#[test]
fn keys_stand_in_the_documented_order_with_additions_last() {
    for def in ROWS {
        let keys: Vec<&str> = def.keys.iter().copied().flatten().map(|key| key.name).collect();
        let (added, documented): (Vec<&str>, Vec<&str>) = keys.iter().partition(|key| ADDED.contains(&(def.name, key)));
        assert_eq!(keys, [documented.clone(), added].concat(), "{}", def.name);
        let places: Vec<usize> =
            documented.iter().map(|key| ORDER.iter().position(|known| known == key).unwrap()).collect();
        assert!(places.is_sorted(), "{}: {documented:?}", def.name);
    }
}

/// Event alias, canonical event, payload, the input of the newest version's hooks, and that of the first if it differs.
/// `START` stands for session, directory and event, `AGENT` for the agent's name after it.
fn cases() -> Vec<(&'static str, &'static str, Value, &'static str, Option<&'static str>)> {
    let call = json!({"id": "c1", "name": "shell", "arguments": "x", "args": {"cmd": "ls", "a": {"c": 1, "b": [{"z": 1, "y": 2}]}}, "category": "shell", "read_only": true, "permission_mode": "balanced"});
    let bare = json!({"id": "c1", "name": "think", "arguments": "", "args": {}});
    let result = json!({"call_id": "c1", "name": "shell", "content": "", "is_error": false, "result": "", "args": {"cmd": "ls"}});
    let failed = json!({"call_id": "c1", "name": "shell", "content": "no", "is_error": true, "result": "no", "error": "no", "category": "shell"});
    vec![
        (
            "pre_tool_use",
            "tool.pre",
            call.clone(),
            r#"AGENT"tool_name":"shell","tool_use_id":"c1","tool_input":{"a":{"b":[{"y":2,"z":1}],"c":1},"cmd":"ls"},"tool_read_only":true,"safety_policy":"balanced""#,
            Some(
                r#"START"tool_name":"shell","tool_use_id":"c1","tool_input":{"a":{"b":[{"y":2,"z":1}],"c":1},"cmd":"ls"}"#,
            ),
        ),
        (
            "pre_tool_use",
            "tool.guard",
            bare.clone(),
            r#"AGENT"tool_name":"think","tool_use_id":"c1""#,
            Some(r#"START"tool_name":"think","tool_use_id":"c1""#),
        ),
        (
            "tool_guard",
            "tool.guard",
            call.clone(),
            r#"AGENT"tool_category":"shell","tool_name":"shell","tool_use_id":"c1","tool_input":{"a":{"b":[{"y":2,"z":1}],"c":1},"cmd":"ls"},"tool_read_only":true,"safety_policy":"balanced""#,
            Some(
                r#"START"tool_name":"shell","tool_use_id":"c1","tool_input":{"a":{"b":[{"y":2,"z":1}],"c":1},"cmd":"ls"}"#,
            ),
        ),
        (
            "tool_input_transform",
            "tool.transform",
            json!({"id": "c1", "name": "shell", "args": [], "category": "shell"}),
            r#"AGENT"tool_category":"shell","tool_name":"shell","tool_use_id":"c1""#,
            Some(r#"START"tool_name":"shell","tool_use_id":"c1""#),
        ),
        (
            "post_tool_use",
            "tool.post",
            result,
            r#"AGENT"tool_name":"shell","tool_use_id":"c1","tool_input":{"cmd":"ls"},"tool_response":"""#,
            Some(r#"START"tool_name":"shell","tool_use_id":"c1","tool_input":{"cmd":"ls"},"tool_response":"""#),
        ),
        (
            "tool_response_transform",
            "tool.result",
            failed,
            r#"AGENT"tool_category":"shell","tool_name":"shell","tool_use_id":"c1","tool_response":"no","tool_error":true"#,
            Some(r#"START"tool_name":"shell","tool_use_id":"c1","tool_response":"no","tool_error":true"#),
        ),
        (
            "permission_request",
            "permission.ask",
            json!({"id": "c1", "name": "shell", "arguments": "{}", "args": {"cmd": "ls"}, "reason": "r"}),
            r#"AGENT"tool_name":"shell","tool_use_id":"c1","tool_input":{"cmd":"ls"}"#,
            Some(r#"START"tool_name":"shell","tool_use_id":"c1","tool_input":{"cmd":"ls"}"#),
        ),
        (
            "on_tool_approval_decision",
            "permission.reply",
            json!({"id": "c1", "name": "shell", "decision": "deny", "source": "hook", "detail": "tool.guard", "args": {"cmd": "ls"}, "safety_label": "unknown"}),
            r#"AGENT"tool_name":"shell","tool_use_id":"c1","tool_input":{"cmd":"ls"},"approval_decision":"deny","approval_source":"tool_guard_deny","safety_label":"unknown""#,
            Some(
                r#"START"tool_name":"shell","tool_use_id":"c1","tool_input":{"cmd":"ls"},"approval_decision":"deny","approval_source":"tool_guard_deny""#,
            ),
        ),
        (
            "session_start",
            "session.start",
            json!({"source": "startup", "cwd": "/elsewhere"}),
            r#"AGENT"source":"startup""#,
            Some(r#"START"source":"startup""#),
        ),
        (
            "session_end",
            "session.end",
            json!({"reason": "done", "turns": 3}),
            r#"AGENT"reason":"stream_ended""#,
            Some(r#"START"reason":"stream_ended""#),
        ),
        (
            "session_end",
            "session.end",
            json!({"reason": "exit"}),
            r#"AGENT"reason":"prompt_input_exit""#,
            Some(r#"START"reason":"prompt_input_exit""#),
        ),
        (
            "session_end",
            "session.end",
            json!({"reason": "clear"}),
            r#"AGENT"reason":"clear""#,
            Some(r#"START"reason":"clear""#),
        ),
        (
            "session_end",
            "session.end",
            json!({"reason": "cancelled"}),
            r#"AGENT"reason":"other""#,
            Some(r#"START"reason":"other""#),
        ),
        (
            "user_prompt_submit",
            "prompt.submit",
            json!({"prompt": "a <b> & \u{2028}c\"\n"}),
            r#"AGENT"prompt":"a \u003cb\u003e \u0026 \u2028c\"\u000a""#,
            Some(r#"START"prompt":"a \u003cb\u003e \u0026 \u2028c\"\u000a""#),
        ),
        (
            "user_followup_submit",
            "prompt.followup",
            json!({"prompt": "next", "waiting": 2}),
            r#"AGENT"prompt":"next""#,
            Some(r#"START"prompt":"next""#),
        ),
        (
            "user_steering_messages_submit",
            "prompt.steer",
            json!({"messages": ["a", "b"]}),
            r#"AGENT"steering_messages":["a","b"]"#,
            Some(r#"START"steering_messages":["a","b"]"#),
        ),
        ("turn_start", "iteration.start", json!({"iteration": 1}), "AGENT", Some("START")),
        ("turn_end", "iteration.end", json!({"iteration": 1, "reason": "steered"}), r#"AGENT"reason":"steered""#, None),
        (
            "before_llm_call",
            "completion.pre",
            json!({"model": "gpt-4o", "provider": "openai", "iteration": 2, "messages": [{"role": "user", "content": "hi"}], "tools": []}),
            r#"AGENT"model_id":"openai/gpt-4o","iteration":2,"messages":[{"role":"user","content":"hi"}]"#,
            None,
        ),
        (
            "before_llm_call",
            "completion.pre",
            json!({"model": "claude-code", "iteration": 0, "messages": []}),
            r#"AGENT"model_id":"claude-code""#,
            None,
        ),
        (
            "after_llm_call",
            "completion.post",
            json!({"model": "m", "provider": "p", "text": "Done.", "last_user_message": "go", "cost_usd": 0, "usage": {"input_tokens": 7, "output_tokens": 5, "cached_input_tokens": 2, "reasoning_tokens": 1}}),
            r#"AGENT"model_id":"p/m","last_user_message":"go","stop_response":"Done.","usage":{"input_tokens":7,"output_tokens":5,"cached_input_tokens":2,"cached_write_tokens":0,"reasoning_tokens":1},"cost":0"#,
            Some(r#"AGENT"model_id":"p/m","last_user_message":"go","stop_response":"Done.""#),
        ),
        (
            "after_llm_call",
            "completion.post",
            json!({"model": "m", "text": "", "usage": {"input_tokens": 0, "output_tokens": 0}}),
            r#"AGENT"model_id":"m""#,
            None,
        ),
        (
            "pre_compact",
            "compact.pre",
            json!({"source": "tool_overflow", "message_count": 9}),
            r#"AGENT"source":"tool_overflow""#,
            Some(r#"START"source":"tool_overflow""#),
        ),
        (
            "before_compaction",
            "compact.before",
            json!({"reason": "overflow", "input_tokens": 9, "output_tokens": 0, "context_limit": 0, "messages": [{"role": "user", "content": [{"type": "text", "text": "x"}]}]}),
            r#"AGENT"input_tokens":9,"compaction_reason":"overflow","messages":[{"role":"user","content":"","multi_content":[{"type":"text","text":"x"}]}]"#,
            Some(r#"START"input_tokens":9,"compaction_reason":"overflow""#),
        ),
        (
            "after_compaction",
            "compact.post",
            json!({"reason": "manual", "summary": "S", "input_tokens": 9, "output_tokens": 3, "context_limit": 100, "input_tokens_after": 2}),
            r#"AGENT"input_tokens":9,"output_tokens":3,"context_limit":100,"compaction_reason":"manual","summary":"S""#,
            Some(
                r#"START"input_tokens":9,"output_tokens":3,"context_limit":100,"compaction_reason":"manual","summary":"S""#,
            ),
        ),
        (
            "on_user_input",
            "user.input",
            json!({"reason": "permission", "message": "run?"}),
            r#"AGENT"reason":"permission""#,
            Some("START"),
        ),
        (
            "stop",
            "agent.stop",
            json!({"response": "bye", "last_user_message": "go", "done": false}),
            r#"AGENT"last_user_message":"go","stop_response":"bye""#,
            None,
        ),
        (
            "notification",
            "notification",
            json!({"kind": "limit", "level": "warning", "message": "m"}),
            r#"AGENT"notification_level":"warning","notification_message":"m""#,
            Some(r#"START"notification_level":"warning","notification_message":"m""#),
        ),
        (
            "on_error",
            "error",
            json!({"message": "boom", "kind": "model"}),
            r#"AGENT"notification_level":"error","notification_message":"boom""#,
            Some(r#"START"notification_level":"error","notification_message":"boom""#),
        ),
        (
            "on_max_iterations",
            "limit.iterations",
            json!({"limit": 5, "message": "Maximum iterations reached (5)"}),
            r#"AGENT"notification_level":"warning","notification_message":"Maximum iterations reached (5)""#,
            Some(r#"START"notification_level":"warning","notification_message":"Maximum iterations reached (5)""#),
        ),
        (
            "on_agent_switch",
            "agent.switch",
            json!({"from": "a", "to": "b", "kind": "delegation_return", "from_models": [{"provider": "dmr", "model": "m", "base_url": "http://x", "unload_url": "/u"}, {"provider": "p", "model": "n"}]}),
            r#"AGENT"from_agent":"a","to_agent":"b","agent_switch_kind":"transfer_task_return","from_agent_models":[{"provider":"dmr","model":"m","base_url":"http://x","unload_api":"/u"},{"provider":"p","model":"n"}]"#,
            Some(
                r#"START"from_agent":"a","to_agent":"b","agent_switch_kind":"transfer_task_return","from_agent_models":[{"provider":"dmr","model":"m","base_url":"http://x","unload_api":"/u"},{"provider":"p","model":"n"}]"#,
            ),
        ),
        (
            "on_session_resume",
            "session.resume",
            json!({"source": "limit", "cwd": "/w", "previous_max_iterations": 5, "new_max_iterations": 15}),
            r#"AGENT"previous_max_iterations":5,"new_max_iterations":15"#,
            Some(r#"START"previous_max_iterations":5,"new_max_iterations":15"#),
        ),
    ]
}

/// The object with its first keys written out.
fn expand_object(event_alias: &str, text: &str) -> String {
    let (start, rest) = text.split_at(5);
    let agent = if start == "AGENT" { r#","agent_name":"root""# } else { "" };
    let comma = if rest.is_empty() { "" } else { "," };
    format!(r#"{{"session_id":"s1","cwd":"/w","hook_event_name":"{event_alias}"{agent}{comma}{rest}}}"#)
}

#[test]
fn every_event_writes_what_is_documented() {
    for (spelling, canonical, payload, newest, g1) in cases() {
        assert_eq!(
            encode_text(DockerAgentVersion::Newest, spelling, canonical, &payload),
            expand_object(spelling, newest)
        );
        let g1 = expand_object(spelling, g1.unwrap_or(newest));
        assert_eq!(encode_text(DockerAgentVersion::G1, spelling, canonical, &payload), g1);
    }
    let covered: Vec<&str> = cases().into_iter().map(|(spelling, ..)| spelling).collect();
    let elsewhere = ["subagent_stop", "worktree_create"];
    for def in ROWS.iter().filter(|def| !elsewhere.contains(&def.name)) {
        assert!(covered.contains(&def.name), "{}", def.name);
    }
}

#[test]
fn a_sub_agent_is_told_as_the_child_of_its_parents_session() {
    let payload =
        json!({"id": "d1", "agent": "reviewer", "result": "ok", "response": "ok", "depth": 1, "is_error": true});
    assert_eq!(
        encode_text(DockerAgentVersion::Newest, "subagent_stop", "delegation.post", &payload),
        r#"{"session_id":"s1.d1","cwd":"/w","hook_event_name":"subagent_stop","agent_name":"reviewer","stop_response":"ok","parent_session_id":"s1","status":"failed"}"#
    );
    assert_eq!(
        encode_text(DockerAgentVersion::G1, "subagent_stop", "delegation.post", &payload),
        r#"{"session_id":"s1.d1","cwd":"/w","hook_event_name":"subagent_stop","agent_name":"reviewer","stop_response":"ok","parent_session_id":"s1"}"#
    );
}

#[test]
fn a_new_working_tree_is_told_before_there_is_a_session() {
    let payload = json!({"path": "/t/fix", "branch": "fix", "source_dir": "/w"});
    assert_eq!(
        encode_text(DockerAgentVersion::G1, "worktree_create", "worktree.create", &payload),
        r#"{"session_id":"","cwd":"/t/fix","hook_event_name":"worktree_create","agent_name":"root","worktree_path":"/t/fix","worktree_branch":"fix","worktree_source_dir":"/w"}"#
    );
}

#[test]
fn a_delegated_agent_has_a_session_of_its_own() {
    let origin = Origin { session: String::from("s1"), run: String::from("d7"), ..Origin::default() };
    let event = event_from(origin, "iteration.start", json!({"iteration": 1}));
    let bytes = DockerAgentCodec::default().encode_bytes(&event, "turn_start");
    assert_eq!(String::from_utf8(bytes).unwrap(), r#"{"session_id":"s1.d7","cwd":"","hook_event_name":"turn_start"}"#);
}

#[test]
fn the_two_versions_have_different_forms_and_share_nothing() {
    let newest = DockerAgentCodec::default();
    let g1 = DockerAgentCodec { compat: DockerAgentVersion::G1, ..DockerAgentCodec::default() };
    assert_ne!(newest.encoding_key(), g1.encoding_key());
    let strict = DockerAgentCodec { strict_output: true, schema: Some(Arc::from("x")), ..DockerAgentCodec::default() };
    assert_eq!(newest.encoding_key(), strict.encoding_key());
}
