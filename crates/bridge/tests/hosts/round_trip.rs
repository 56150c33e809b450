//! Each client is described in two directions: Pintle runs its hooks (a dialect), and it runs Pintle (a host). What one
//! direction writes, the other reads back. Every exception below must be needed.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

use pintle_bridge::{HOSTS, HostDef, HostEventDef};
use pintle_host::clients::host::HostEventKind;
use pintle_host::clients::{ClientDef, ClientEventDef};
use pintle_host::contract::Codec;
use pintle_host::dialects::{DIALECTS, Dialect};
use pintle_host::tools::{HookVocabulary, PINTLE, heard_events};
use pintle_host::{Event, EventKind};
use pintle_testkit::example_event;
use serde_json::{Value, json};

use crate::fixture::{event_of_file, listening_hooks, recorded_hosts, respond};

/// A client in both directions.
pub(crate) struct BothWays {
    pub(crate) host: &'static HostDef,
    pub(crate) client: &'static ClientDef,
    pub(crate) codec: Arc<dyn Codec>,
}

pub(crate) fn clients() -> impl Iterator<Item = BothWays> {
    HOSTS.iter().filter_map(|host| {
        let name = host.dialect?;
        let dialect: &Dialect = DIALECTS.iter().find(|dialect| dialect.name == name).unwrap();
        Some(BothWays { host, client: host, codec: (dialect.codec)() })
    })
}

/// Notes what differs, and fails if that is not exactly what the list expects.
#[derive(Default)]
pub(crate) struct WireDifferences(BTreeSet<String>);

impl WireDifferences {
    pub(crate) fn note(&mut self, label: String) {
        self.0.insert(label);
    }

    pub(crate) fn assert_are(&self, expected: &[&str]) {
        let expected: BTreeSet<String> = expected.iter().map(|text| (*text).to_owned()).collect();
        let new: Vec<_> = self.0.difference(&expected).cloned().collect();
        let unused: Vec<_> = expected.difference(&self.0).cloned().collect();
        assert!(new.is_empty() && unused.is_empty(), "new:\n{}\nunused:\n{}", new.join("\n"), unused.join("\n"));
    }
}

/// Events that mean something else in one direction.
const OTHERWISE_MEANT: &[&str] = &[
    // No other agent reports the commands of its skills.
    "claude PreSkillShellCommand: read as [ToolTransform, ToolGuard, ToolPre, DelegationPre], never written",
    // The host asks about the delegation when it asks about the tool that starts the subagent, where it can be denied.
    "claude SubagentStart: written for delegation.pre, read as [\"custom.claude_subagent_start\"]",
    "codex SubagentStart: written for delegation.pre, read as [\"custom.codex_subagent_start\"]",
    "copilot SubagentStart: written for delegation.pre, read as [\"custom.copilot_subagent_start\"]",
    "copilot subagentStart: written for delegation.pre, read as [\"custom.copilot_subagent_start\"]",
    "cursor subagentStart: written for delegation.pre, read as [\"custom.cursor_subagent_start\"]",
    "qwen SubagentStart: written for delegation.pre, read as [\"custom.qwen_subagent_start\"]",
    // Cline lists the event and never fires it; Pintle's own loop does.
    "cline PreCompact: written for compact.pre, read as []",
];

#[test]
fn an_event_has_one_meaning_in_both_directions() {
    let mut found = WireDifferences::default();
    for BothWays { host, client, .. } in clients() {
        for def in client.hook_events() {
            let fires: Vec<_> = host.find_event(def.name).into_iter().flat_map(HostEventDef::fired_events).collect();
            let canonical = def.canonical.unwrap();
            if !fires.contains(&canonical.into()) {
                found.note(format!("{} {}: written for {canonical}, read as {fires:?}", host.name, def.name));
            }
        }
        for def in host.host_events() {
            if !def.fires.is_empty() && client.event_def(def.name).is_none() {
                found.note(format!("{} {}: read as {:?}, never written", host.name, def.name, def.fires));
            }
        }
    }
    found.assert_are(OTHERWISE_MEANT);
}

/// The catalogue's example of an event, as far as every client can tell it: with a tool that every client has.
fn example(def: &ClientEventDef) -> Event {
    let kind = def.canonical.unwrap();
    let mut payload = kind.def().example();
    let fields = payload.as_object_mut().unwrap();
    for (name, value) in [("name", "shell"), ("cwd", "/home/dev/project")] {
        if let Some(field) = fields.get_mut(name) {
            *field = json!(value);
        }
    }
    if kind == EventKind::SessionEnd {
        // Clients have words of their own for the others.
        fields.insert(String::from("reason"), json!("clear"));
    }
    example_event(kind.name(), payload)
}

/// The canonical event that the host fires for a payload.
pub(crate) fn read(
    host: &'static HostDef,
    def: &'static HostEventDef,
    event: EventKind,
    payload: &Value,
) -> Option<Event> {
    read_text(host, def, event, &payload.to_string())
}

fn read_text(host: &'static HostDef, def: &'static HostEventDef, event: EventKind, payload: &str) -> Option<Event> {
    let (hooks, heard) = listening_hooks(def);
    respond(host, def, payload.as_bytes(), hooks);
    let heard = heard.lock().unwrap();
    heard.iter().find(|heard| heard.name.kind() == event).cloned()
}

/// What no client tells its hooks.
const UNTOLD: &[(&str, &[&str])] = &[
    ("agent.stop", &["id", "iteration", "tool_calls", "tool_results", "usage"]),
    ("compact.post", &COMPACTION),
    ("compact.pre", &["message_count"]),
    ("completion.post", &["id", "choices", "duration_ms", "finish_reason", "text", "usage"]),
    ("completion.pre", &["iteration", "max_tokens", "messages", "tools"]),
    ("delegation.post", &["tool_calls", "tool_results", "usage"]),
    ("error", &["iteration"]),
    ("file.edited", &["call_id", "size_bytes", "tool"]),
    ("permission.ask", &["asked_by", "id", "reason"]),
    ("session.end", &["duration_ms", "turns", "usage"]),
    ("tool.batch", &["duration_ms"]),
    ("turn.end", &["logs", "tool_calls", "tool_results", "usage"]),
];

const COMPACTION: [&str; 6] =
    ["context_limit", "input_tokens", "input_tokens_after", "output_tokens", "remaining_messages", "removed_messages"];

/// What some clients do not tell, each with the event.
const NOT_TOLD: &[&str] = &[
    // The example's result is that of Pintle's own tool.
    "claude PostToolBatch: tool_results",
    "claude PostToolUse: content",
    "claude PostToolUse: result",
    "codex PostToolUse: result",
    "copilot postToolUse: result",
    "cursor afterShellExecution: result",
    "gemini AfterTool: result",
    "qwen PostToolBatch: tool_results",
    "qwen PostToolUse: result",
    // Claude Code's fields are about the error alone.
    "claude StopFailure: during",
    "claude StopFailure: retryable",
    "cline TaskError: during",
    "cline TaskError: retryable",
    "copilot ErrorOccurred: during",
    "copilot ErrorOccurred: retryable",
    "copilot errorOccurred: during",
    "qwen StopFailure: during",
    "qwen StopFailure: retryable",
    // These clients do not send a reason, a summary or a duration here.
    "cline SessionShutdown: reason",
    "codex PostCompact: summary",
    "codex PostToolUse: duration_ms",
    "copilot postToolUse: duration_ms",
    "gemini AfterTool: duration_ms",
    // These clients do not give every call or task an ID, or send no answer.
    "copilot agentStop: response",
    "copilot postToolUse: call_id",
    "copilot preToolUse: id",
    "cursor afterShellExecution: call_id",
    "cursor beforeShellExecution: id",
    "cursor stop: response",
    "cursor subagentStop: id",
    "gemini AfterTool: call_id",
    "gemini BeforeTool: id",
    // Cursor adds the working directory to a command.
    "cursor afterShellExecution: args",
    "cursor beforeShellExecution: args",
    "cursor beforeShellExecution: arguments",
];

#[test]
fn an_event_that_was_written_is_read_back() {
    let mut found = WireDifferences::default();
    let mut unused: BTreeSet<(&str, &str)> =
        UNTOLD.iter().flat_map(|(event, names)| names.iter().map(|name| (*event, *name))).collect();
    for BothWays { host, client, codec } in clients() {
        for def in client.hook_events() {
            let Some(read_def) = host.find_event(def.name).filter(|read| read.fires.contains(&def.canonical.unwrap()))
            else {
                continue;
            };
            let (event, canonical) = (example(def), def.canonical.unwrap());
            if codec.event_filter(def.name).is_some_and(|applies| !applies(&event)) {
                continue;
            }
            let place = format!("{} {}", host.name, def.name);
            let written = codec.encode(&event, def.name).unwrap();
            let heard = read(host, read_def, canonical, &written);
            let heard = heard.unwrap_or_else(|| panic!("{place}: nothing is read from {written}"));
            let heard = heard_events(&heard, &HookVocabulary::Fixed(&PINTLE)).remove(0);
            assert_eq!(heard.origin.session, event.origin.session, "{place}");
            assert_eq!(heard.origin.cwd, event.origin.cwd, "{place}");
            let untold =
                UNTOLD.iter().find(|(event, _)| *event == canonical.name()).map_or(&[][..], |(_, names)| names);
            for (name, value) in event.payload.value().as_object().unwrap() {
                match heard.payload.field(name) {
                    Some(found) if found == value => {
                        assert!(!untold.contains(&name.as_str()), "{place} tells `{name}`");
                    }
                    _ if untold.contains(&name.as_str()) => {
                        unused.retain(|pair| *pair != (canonical.name(), name.as_str()));
                    }
                    _ => found.note(format!("{place}: {name}")),
                }
            }
        }
    }
    found.assert_are(NOT_TOLD);
    assert!(unused.is_empty(), "{unused:?}");
}

/// The keys that only the client itself sends, or that have another value if another agent made the call.
const UNSENT: &[(&str, &[&str])] = &[
    ("claude", &["permission_suggestions", "background_tasks", "agent_transcript_path"]),
    ("codex", &["agent_transcript_path"]),
    (
        "gemini",
        &[
            "timestamp",
            "details",
            "llm_request/messages",
            "llm_request/config",
            "llm_response/candidates",
            "llm_response/usageMetadata",
            "tool_response/returnDisplay",
        ],
    ),
    (
        "qwen",
        &[
            "timestamp",
            "submitted_prompt",
            "context_usage",
            "context_limit",
            "input_tokens",
            "tool_call_id",
            "tool_calls",
            "tool_response/returnDisplay",
            "background_tasks",
            "agent_transcript_path",
        ],
    ),
    ("copilot", &["timestamp", "initialPrompt", "parentAgentId", "error/stack"]),
    (
        "cline",
        &[
            "timestamp",
            "sessionContext",
            "workspaceInfo",
            "userId",
            "parent_agent_id",
            "iteration",
            "agent_id",
            "error/stack",
            "tool_result/startedAt",
            "tool_result/endedAt",
        ],
    ),
    ("cursor", &["cursor_version", "user_email"]),
];

/// The same, for one event each.
const UNSENT_AT: &[&str] = &[
    "cursor beforeMCPExecution: command",
    "cursor beforeReadFile: content",
    "cursor beforeShellExecution: sandbox",
    "cursor preCompact: context_usage_percent",
    // The session knows them, and this call has none.
    "cursor sessionEnd: duration_ms",
    "gemini AfterAgent: prompt",
];

/// The keys of an object, each with its path, that have other values in a second one.
fn differing_keys(sent: &Value, written: &Value, path: &str) -> Vec<String> {
    let fields = sent.as_object().into_iter().flatten();
    let differing = fields.filter(|(key, value)| written.get(key) != Some(value));
    let below = |(key, value): (&String, &Value)| match written.get(key) {
        Some(inner @ Value::Object(_)) if value.is_object() => differing_keys(value, inner, &format!("{path}{key}/")),
        _ => vec![format!("{path}{key}")],
    };
    differing.flat_map(below).collect()
}

#[test]
fn a_payload_that_was_read_is_written_back() {
    let mut found = WireDifferences::default();
    for (host, files) in recorded_hosts() {
        let Some(BothWays { client, codec, .. }) = clients().find(|both| both.host.name == host.name) else { continue };
        let unsent = UNSENT.iter().find(|(name, _)| *name == host.name).map_or(&[][..], |(_, keys)| keys);
        let mut unused: BTreeSet<&str> = unsent.iter().copied().collect();
        let mut count = 0;
        for file in files {
            let read_def = event_of_file(host, &file);
            let Some(def) = client.event_def(read_def.name) else { continue };
            if !read_def.fires.contains(&def.canonical.unwrap()) {
                continue;
            }
            let sent: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
            let event = read(host, read_def, def.canonical.unwrap(), &sent);
            let mut event = event.unwrap_or_else(|| panic!("nothing is read from {}", file.display()));
            // As if another agent had reported the event.
            Arc::make_mut(&mut event.origin).sent = None;
            let written = codec.encode(&event, def.name).unwrap();
            count += 1;
            for key in differing_keys(&sent, &written, "") {
                if unsent.contains(&key.as_str()) {
                    unused.remove(key.as_str());
                } else {
                    found.note(format!("{} {}: {key}", host.name, def.name));
                }
            }
        }
        assert!(count >= 7, "{}: {count} payloads are too few", host.name);
        assert!(unused.is_empty(), "{}: {unused:?} are sent", host.name);
    }
    found.assert_are(UNSENT_AT);
}

/// A key that Pintle does not know, with half a surrogate pair and a number beyond 64 bits.
const UNKNOWN: &str = "{\"a_new_key\": [1.50, \"\\ud83d\", 123456789012345678901],";

#[test]
fn own_hooks_get_the_payload_byte_for_byte() {
    for (host, files) in recorded_hosts() {
        let Some(BothWays { client, codec, .. }) = clients().find(|both| both.host.name == host.name) else { continue };
        let mut count = 0;
        for file in files {
            let read_def = event_of_file(host, &file);
            let Some(def) = client.event_def(read_def.name) else { continue };
            // What hooks may have changed in a model's request or answer is not known from the client's own form.
            if !read_def.fires.contains(&def.canonical.unwrap()) || read_def.kind == HostEventKind::Model {
                continue;
            }
            let sent = fs::read_to_string(&file).unwrap().replacen('{', UNKNOWN, 1);
            let event = read_text(host, read_def, def.canonical.unwrap(), &sent);
            let event = event.unwrap_or_else(|| panic!("nothing is read from {}", file.display()));
            let written = String::from_utf8(codec.encode_bytes(&event, def.name)).unwrap();
            assert_eq!(written, sent, "{}", file.display());
            count += 1;
        }
        assert!(count >= 7, "{}: {count} payloads are too few", host.name);
    }
}

#[test]
fn own_hooks_get_what_other_hooks_changed_in_the_payload_that_was_sent() {
    for (host, event, sent, field, changed, expected) in [
        (
            "claude",
            "PreToolUse",
            r#"{"session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}, "x": 1}"#,
            "args",
            json!({"command": "pwd"}),
            json!({"session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "pwd"}, "x": 1}),
        ),
        (
            "copilot",
            "preToolUse",
            r#"{"sessionId": "s", "timestamp": 7, "cwd": "/", "toolName": "bash", "toolArgs": "{\"command\": \"ls\"}"}"#,
            "args",
            json!({"command": "pwd"}),
            json!({"sessionId": "s", "timestamp": 7, "cwd": "/", "toolName": "bash", "toolArgs": "{\"command\":\"pwd\"}"}),
        ),
        (
            "claude",
            "PostToolUse",
            r#"{"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": {"stdout": "key", "stderr": "", "x": 1}, "effort": {}}"#,
            "result",
            json!("gone"),
            json!({"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": {"stdout": "gone", "stderr": "", "x": 1}, "effort": {}}),
        ),
    ] {
        let BothWays { host, client, codec } = clients().find(|both| both.host.name == host).unwrap();
        let kind = client.event_def(event).unwrap().canonical.unwrap();
        let heard = read_text(host, host.find_event(event).unwrap(), kind, sent).unwrap();
        let mut payload = heard.payload.value().clone();
        payload[field] = changed;
        let written = codec.encode(&heard.with_payload(payload.into()), event).unwrap();
        assert_eq!(written, expected, "{event}");
    }
}

#[test]
fn hooks_of_a_second_event_of_the_call_get_what_the_client_sent_about_the_session() {
    let BothWays { host, codec, .. } = clients().find(|both| both.host.name == "cursor").unwrap();
    let sent = r#"{"conversation_id": "c", "hook_event_name": "preToolUse", "cursor_version": "2", "workspace_roots": ["/a", "/b"], "tool_name": "Shell", "tool_input": {"command": "ls"}, "tool_use_id": "u"}"#;
    let heard = read_text(host, host.find_event("preToolUse").unwrap(), EventKind::ToolPre, sent).unwrap();
    let written = codec.encode(&heard, "beforeShellExecution").unwrap();
    for (name, value) in [
        ("hook_event_name", json!("beforeShellExecution")),
        ("command", json!("ls")),
        ("cursor_version", json!("2")),
        ("workspace_roots", json!(["/a", "/b"])),
        ("tool_use_id", Value::Null),
    ] {
        assert_eq!(written[name], value, "{name}");
    }
}
