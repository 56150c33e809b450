//! Payloads that real clients sent, converted to events as the bridge does and encoded again: keys in both have equal
//! values.

use std::sync::Arc;

use pintle_contract::{Codec, Event, Origin};
use serde_json::{Map, Value, json};

use super::example_event;
use crate::client_hooks::CLIENTS;
use crate::client_hooks::codec::ClientCodec;
use crate::client_hooks::event_def::ClientEventDef;

/// The directory of a client's payloads, its dialect, and the keys that Pintle never sends.
const CAPTURES: &[(&str, &str, &[&str])] = &[
    ("claude", "claude_code", &["permission_suggestions"]),
    ("codex", "codex", &[]),
    ("gemini", "gemini", &["timestamp", "details"]),
    ("qwen", "qwen", &["timestamp", "submitted_prompt", "context_usage", "context_limit", "input_tokens"]),
    ("copilot", "copilot", &["timestamp", "initialPrompt", "parentAgentId"]),
    (
        "cline",
        "cline",
        &["timestamp", "sessionContext", "workspaceInfo", "userId", "parent_agent_id", "iteration", "agent_id"],
    ),
];

/// Keys whose value differs on purpose: Pintle's own IDs and words.
const OWN: &[(&str, &str)] = &[
    // The parts of a request have the client's own form there.
    ("gemini", "llm_request"),
    ("gemini", "llm_response"),
    // One ID of a call is enough.
    ("qwen", "tool_call_id"),
    ("qwen", "tool_calls"),
    ("qwen", "background_tasks"),
    ("claude", "background_tasks"),
    ("claude", "agent_transcript_path"),
    ("codex", "agent_transcript_path"),
    ("qwen", "agent_transcript_path"),
    ("copilot", "error"),
    ("cline", "error"),
    ("cline", "tool_result"),
    ("cline", "postToolUse"),
];

/// The client's payload, as the bridge stores it.
fn host_payload(client: &str, sent: &Value) -> Value {
    let first = |names: &[&str]| names.iter().find_map(|name| sent.get(*name)).cloned();
    let call = sent.get("tool_call").or_else(|| sent.get("tool_result"));
    let of_call = |name: &str| call.and_then(|call| call.get(name)).cloned();
    let fields = [
        ("client", Some(json!(client))),
        ("tool", first(&["tool_name", "toolName"]).or_else(|| of_call("name"))),
        ("input", first(&["tool_input", "toolArgs", "toolInput"]).or_else(|| of_call("input"))),
        ("response", first(&["tool_response", "toolResult"]).or_else(|| of_call("output"))),
        ("transcript_path", first(&["transcript_path", "transcriptPath"])),
        ("permission_mode", first(&["permission_mode"])),
        ("turn_id", first(&["turn_id", "prompt_id"])),
        ("model", first(&["model"])),
    ];
    fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// The canonical event of a payload.
fn canonical_event(client: &str, def: &ClientEventDef, sent: &Value) -> Event {
    let host = host_payload(client, sent);
    let text = |names: &[&str]| names.iter().find_map(|name| sent.get(*name)?.as_str()).unwrap_or_default().to_owned();
    let call = || {
        let (tool, input) = (host["tool"].as_str().unwrap(), &host["input"]);
        let id = sent.pointer("/tool_call/id").or_else(|| sent.pointer("/tool_result/id")).and_then(Value::as_str);
        json!({"id": id.map_or_else(|| text(&["tool_use_id"]), str::to_owned), "name": tool, "args": input,
            "vocabulary": def.style.tools.name})
    };
    let mut payload = match def.canonical {
        "tool.pre" | "permission.ask" => call(),
        "tool.post" => {
            let mut payload = call();
            payload["call_id"] = payload["id"].clone();
            payload["error"] = sent.get("error").cloned().unwrap_or_default();
            payload["content"] = sent.get("error").cloned().unwrap_or_else(|| json!("text"));
            payload["duration_ms"] = sent.get("duration_ms").cloned().unwrap_or_default();
            payload
        }
        "tool.batch" => {
            let calls = sent["tool_calls"].as_array().unwrap().iter();
            let one = |call: &Value| {
                let id = &call["tool_use_id"];
                (
                    json!({"id": id, "name": call["tool_name"], "args": call["tool_input"]}),
                    json!({"call_id": id, "content": call["tool_response"]}),
                )
            };
            let (calls, results): (Vec<Value>, Vec<Value>) = calls.map(one).unzip();
            json!({"tool_calls": calls, "tool_results": results, "vocabulary": def.style.tools.name})
        }
        "session.start" => json!({"source": match text(&["source"]).as_str() { "new" => "startup", other => other }}),
        "session.end" => json!({"reason": text(&["reason"])}),
        "prompt.submit" => json!({"prompt": text(&["prompt"])}),
        "agent.stop" => json!({
            "response": sent.pointer("/turn/outputText").cloned()
                .unwrap_or_else(|| json!(text(&["last_assistant_message", "prompt_response"]))),
            "last_user_message": text(&["prompt"]),
        }),
        "delegation.pre" | "delegation.post" => json!({
            "id": text(&["agent_id", "agentId"]),
            "agent": text(&["agent_type", "agentType"]),
            "response": text(&["last_assistant_message", "response"]),
        }),
        "compact.pre" => json!({"source": text(&["trigger"])}),
        "compact.post" => json!({"reason": text(&["trigger"])}),
        "notification" => json!({
            "kind": text(&["notification_type"]), "title": sent.get("title"), "message": text(&["message"]),
        }),
        "error" => json!({"during": text(&["errorContext"]), "retryable": sent.get("recoverable")}),
        _ => json!({}),
    };
    payload["host"] = host;
    let cwd = text(&["cwd"]);
    let root = sent.pointer("/workspaceRoots/0").and_then(Value::as_str).unwrap_or_default();
    let origin = Origin {
        session: text(&["session_id", "sessionId", "taskId"]),
        cwd: if cwd.is_empty() { root.to_owned() } else { cwd },
        ..Origin::default()
    };
    Event { origin: Arc::new(origin), ..example_event(def.canonical, payload) }
}

#[test]
fn what_an_agent_sent_is_what_its_hooks_get() {
    let bridge = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("bridge/tests/data");
    let mut wrong = Vec::new();
    for (client_name, dialect, unsent) in CAPTURES {
        let client = CLIENTS.iter().find(|client| client.name == *dialect).unwrap();
        let codec = ClientCodec { client, project: None, plugin: None, needs_answer: false, needs_json: false };
        let mut count = 0;
        for entry in std::fs::read_dir(bridge.join(client_name).join("payloads")).unwrap() {
            let path = entry.unwrap().path();
            let file = path.file_name().unwrap().to_string_lossy().into_owned();
            let name = file.split('.').next().unwrap();
            let Some(def) = client.event_def(name) else { continue };
            let sent: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
            let encoded = codec.encode(&canonical_event(client_name, def, &sent), name).unwrap();
            count += 1;
            let empty = Map::new();
            for (key, value) in sent.as_object().unwrap_or(&empty) {
                let is_own = OWN.contains(&(*client_name, key.as_str()));
                match encoded.get(key) {
                    None if unsent.contains(&key.as_str()) => {}
                    None => wrong.push(format!("{client_name}/{file}: `{key}` is not sent")),
                    Some(found) if !is_own && found != value => {
                        wrong.push(format!("{client_name}/{file}: `{key}` is {found}, was {value}"));
                    }
                    Some(_) => {}
                }
            }
        }
        assert!(count >= 8, "{client_name}: {count} payloads are too few");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
