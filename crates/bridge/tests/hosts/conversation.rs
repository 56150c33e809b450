//! What hooks see of a host's conversation, read from its own transcript.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use pintle_bridge::{HOSTS, HostDef};
use pintle_host::contract::{EffectReply, EffectRequest};
use pintle_host::{EventName, Hook, Verdict, native};
use serde_json::{Value, json};

use crate::fixture::{data_dir, respond_with_state};

/// Fires an event of Claude Code whose hook makes a request, and returns the reply, or the error's text.
fn ask(event: &str, transcript: &str, function: &'static str, arguments: Value) -> Value {
    let payload = json!({
        "session_id": "s1", "cwd": "/tmp", "hook_event_name": event, "transcript_path": transcript, "source": "startup",
        "prompt": "go", "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1",
    });
    ask_in(claude(), event, payload.to_string().as_bytes(), function, arguments)
}

fn ask_in(host: &'static HostDef, event: &str, payload: &[u8], function: &'static str, arguments: Value) -> Value {
    let said: Arc<Mutex<Value>> = Arc::default();
    let heard = Arc::clone(&said);
    let look = move |call: &pintle_host::HookCall<'_>| {
        let request = EffectRequest::Session { function: function.to_owned(), arguments: arguments.clone() };
        *heard.lock().unwrap() = match call.effects.perform(call.caller(), request) {
            Ok(EffectReply::Value(value)) => value,
            Ok(reply) => json!(format!("{reply:?}")),
            Err(error) => json!(error.0),
        };
        Verdict::pass()
    };
    let def = host.find_event(event).unwrap();
    let name = crate::fixture::main_event(def).unwrap();
    let hook: Hook = native::hook("looks", EventName::parse(name.as_str()).unwrap(), look);
    let state = tempfile::tempdir().unwrap();
    respond_with_state(host, def, payload, vec![hook], Some(state.path()));
    std::mem::take(&mut *said.lock().unwrap())
}

fn claude() -> &'static HostDef {
    HostDef::by_name("claude").unwrap()
}

fn messages(transcript: &Path, last: u64) -> Value {
    ask("PreToolUse", transcript.to_str().unwrap(), "messages", json!({"last": last}))
}

#[test]
fn every_transcript_gives_the_same_messages() {
    let call = json!([{
        "id": "call_1", "type": "function",
        "function": {"name": "Bash", "arguments": r#"{"command":"tee a.txt"}"#},
    }]);
    let wanted = json!([
        {"role": "user", "content": "write a file"},
        {"role": "assistant", "content": "I write.", "tool_calls": call},
        {"role": "tool", "content": "written", "tool_call_id": "call_1"},
        {"role": "assistant", "content": "Done."},
    ]);
    let hosts: Vec<&HostDef> = HOSTS.iter().copied().filter(|host| host.transcript.is_some()).collect();
    let names: Vec<&str> = hosts.iter().map(|host| host.name).collect();
    assert_eq!(names, ["claude", "codex", "gemini", "qwen", "pi", "droid"]);
    for host in hosts {
        let text = fs::read_to_string(data_dir(host).join("transcript.jsonl")).unwrap();
        let mut transcript = pintle_host::clients::transcript::ClientTranscript::default();
        let read = host.transcript.unwrap();
        text.lines().for_each(|line| read(&serde_json::from_str(line).unwrap(), &mut transcript));
        let read = serde_json::to_value(transcript.into_messages().collect::<Vec<_>>()).unwrap();
        // Codex has a call beside the text, not inside it.
        let parts = |messages: &Value| {
            let mut parts = Vec::new();
            for message in messages.as_array().unwrap() {
                let (mut text, mut calls) = (message.clone(), message.clone());
                text.as_object_mut().unwrap().remove("tool_calls");
                calls.as_object_mut().unwrap().remove("content");
                let has_calls = calls.get("tool_calls").is_some();
                parts.extend(text.get("content").is_some().then_some(text));
                parts.extend(has_calls.then_some(calls));
            }
            parts
        };
        assert_eq!(parts(&read), parts(&wanted), "{}", host.name);
    }
}

#[test]
fn no_message_of_a_transcript_is_lost() {
    let gemini = HostDef::by_name("gemini").unwrap();
    let texts = |lines: Value| {
        let mut transcript = pintle_host::clients::transcript::ClientTranscript::default();
        let read = gemini.transcript.unwrap();
        lines.as_array().unwrap().iter().for_each(|line| read(line, &mut transcript));
        transcript.into_messages().map(|message| (message.role, message.content)).collect::<Vec<_>>()
    };
    let said = |role: &str, text: &str| (String::from(role), json!(text));
    // Messages without an ID do not replace one another.
    let lines = json!([
        {"type": "user", "content": [{"text": "one"}]},
        {"type": "gemini", "content": "two"},
        {"id": "3", "type": "user", "content": "three"},
        {"$rewindTo": "3"},
    ]);
    assert_eq!(texts(lines), [said("user", "one"), said("assistant", "two")]);
    // A content is one part or a list, and a part may be a string.
    let lines = json!([
        {"id": "1", "type": "user", "content": {"text": "one"}},
        {"id": "2", "type": "user", "content": ["two", {"text": "three"}, {"inlineData": {}}]},
        {"id": "3", "type": "user", "content": {"functionResponse": {"id": "c", "response": {"exit": 0}}}},
    ]);
    assert_eq!(texts(lines), [said("user", "one"), said("user", "two\nthree"), said("tool", r#"{"exit":0}"#)]);
}

#[test]
fn hook_of_another_agent_looks_back_on_its_conversation() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.jsonl");
    let text = fs::read_to_string(data_dir(claude()).join("transcript.jsonl")).unwrap();
    let (begun, _) = text.split_once("{\"parentUuid\":\"4\"").unwrap();
    fs::write(&path, begun).unwrap();
    assert_eq!(messages(&path, 1)[0]["content"], "I write.");
    let open = ask("PreToolUse", path.to_str().unwrap(), "unsettled_state", json!({}));
    assert_eq!(open["tool_calls"][0]["summary"], "Bash", "{open}");
    assert_eq!(open["approvals"], json!([]), "{open}");
    // The last line is not written to its end yet.
    fs::write(&path, format!("{begun}{{\"parentUuid\":\"4\",\"type\":\"us")).unwrap();
    assert_eq!(messages(&path, 50).as_array().unwrap().len(), 2);
    // Much was said since, which is not read whole for the newest messages.
    let said = |number: usize| {
        let text = format!("{number} {}", "x".repeat(3_000));
        json!({"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}})
    };
    let long: String = (0..500).map(|number| format!("{}\n", said(number))).collect();
    fs::write(&path, format!("{begun}{long}")).unwrap();
    let newest = messages(&path, 400);
    assert!(newest[0]["content"].as_str().unwrap().starts_with("100 ") && newest[400].is_null());
    assert_eq!(messages(&path, 1_000).as_array().unwrap().len(), 502);
    assert_eq!(messages(&path, 0), json!([]));
}

#[test]
fn what_cannot_be_seen_of_a_conversation_is_an_error_and_not_an_empty_one() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("absent.jsonl");
    let path = path.to_str().unwrap();
    let last = || json!({"last": 5});
    // Before the first message there is nothing to see.
    for (event, is_new) in [("SessionStart", true), ("UserPromptSubmit", true), ("PreToolUse", false)] {
        let said = ask(event, path, "messages", last());
        assert_eq!(said == json!([]), is_new, "{event}: {said}");
        assert!(is_new || said.as_str().unwrap().contains("cannot read the transcript"), "{said}");
    }
    fs::write(path, "{}\nnot JSON\n").unwrap();
    let said = ask("PreToolUse", path, "messages", last());
    assert!(said.as_str().unwrap().contains("is not JSON"), "{said}");
    let said = ask("PreToolUse", "", "messages", last());
    assert!(said.as_str().unwrap().contains("did not say where its transcript is"), "{said}");
    let cline = HostDef::by_name("cline").unwrap();
    let payload = fs::read(data_dir(cline).join("payloads/PreToolUse.json")).unwrap();
    let said = ask_in(cline, "PreToolUse", &payload, "messages", last());
    assert!(said.as_str().unwrap_or_default().contains("does not show its conversation"), "{said}");
}
