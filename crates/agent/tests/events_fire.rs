//! Every event of the AI Harness dialect fires in the agent loop, and its hooks see the payload that the catalogue
//! promises.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use crate::support;

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use pintle_agent::model::ModelError;
use pintle_agent::{DaemonOptions, Session};
use pintle_host::contract::{AgentSpec, Location, MetaSpec, PermissionMode, ScriptSource, ToolSpec};
use pintle_host::{ApprovalResponse, Approver, EventName, Layer, Runtime};
use pintle_testkit::ScriptedApprover;
use serde_json::{Map, Value, json};
use support::*;

/// The events of the dialect, and of its event families those that a host fires.
const EVENTS: &[&str] = &[
    "session.start",
    "session.end",
    "turn.start",
    "turn.end",
    "tool.pre",
    "tool.post",
    "completion.pre",
    "completion.post",
    "delegation.pre",
    "delegation.post",
    "delegation.post_verify",
    "agent.stop",
    "error",
    "custom.note",
    "meta.register_tool",
    "meta.register_hook",
    "meta.register_agent",
    "meta.call_tool",
];

/// The events of a session and its iterations, which hooks of this dialect name as the catalogue does.
const SESSION_EVENTS: &[&str] = &[
    "prompt.submit",
    "prompt.steer",
    "prompt.followup",
    "iteration.start",
    "iteration.post",
    "iteration.end",
    "permission.ask",
    "permission.reply",
    "file.edited",
    "compact.pre",
    "compact.before",
    "compact.post",
    "session.idle",
    "user.input",
    "finish.pre",
    "finish.unsettled",
    "finish.post",
    "session.error",
    "session.end",
];

/// Counts the event and keeps every payload as this script sees it.
const KEEP: &str = "\
def handle(event, payload):
    count = metrics.incr(\"fired.\" + event)
    metrics.set(\"seen.%s.%d\" % (event, count), payload)
    log.info(\"saw \" + event)
    return allow()
";

/// A tool through which the agent changes itself, and emits an event about it.
const AUGMENT: &str = "\
def run(args):
    events.emit(\"custom.note\", {\"about\": args[\"text\"]})
    meta.register_tool(name=\"greet\", description=\"Greets.\", script=\"def run(args):\\n    return 'hello'\\n\")
    meta.register_hook(name=\"calm\", event=\"tool.pre\", script=\"def handle(event, payload):\\n    return allow()\\n\")
    meta.register_agent(name=\"helper\", system_prompt=\"help\")
    return meta.call_tool(\"greet\", {})[\"content\"]
";

/// The runtime of a project that has the hook on every event.
fn watched_runtime(events: &[&str], approver: Option<Arc<dyn Approver>>) -> Arc<Runtime> {
    let project = tempfile::tempdir().unwrap();
    let hooks = project.path().join(".harness/hooks");
    fs::create_dir_all(&hooks).unwrap();
    let script: String = KEEP.lines().map(|line| format!("  {line}\n")).collect();
    for event in events {
        let text = format!("---\nevent: {event}\npriority: 1\nscript: |\n{script}---\n");
        fs::write(hooks.join(format!("{}.md", event.replace('.', "_"))), text).unwrap();
    }
    let builder = Runtime::builder().path(project.path(), Layer::Project).worker(worker());
    let built = match approver {
        Some(approver) => builder.approver(approver).load(),
        None => builder.load(),
    };
    assert!(!built.has_errors(), "{:?}", built.diagnostics);
    built.runtime
}

fn team_spec() -> AgentSpec {
    let augment = ToolSpec {
        name: String::from("augment"),
        description: String::from("Changes the agent."),
        parameters: json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}),
        script: Some(ScriptSource::without_file(AUGMENT)),
        timeout_ms: 60_000,
        verify: None,
        location: Location::default(),
    };
    let reviewer = AgentSpec {
        name: String::from("reviewer"),
        description: String::from("Reviews."),
        instruction: String::from("review"),
        ..AgentSpec::default()
    };
    AgentSpec {
        tools: vec![augment],
        agents: vec![Arc::new(reviewer)],
        meta: MetaSpec { enabled: true, ..MetaSpec::default() },
        ..agent()
    }
}

/// A session with tool calls that succeed, fail or do not exist, a delegation, an agent that changes itself, and a
/// model that fails.
fn play_full_session() -> Map<String, Value> {
    let model = QueuedReplyModel::root([
        call(&[("augment", r#"{"text":"a plan"}"#), ("list", "{}"), ("absent", ""), ("read", "{broken")]),
        call(&[("delegate", r#"{"agent":"reviewer","task":"look at it"}"#)]),
        say("done"),
        Err(ModelError::fatal("the model is gone")),
    ]);
    model.add("reviewer", [say("sound")]);
    let dir = tempfile::tempdir().unwrap();
    let runtime = watched_runtime(EVENTS, None);
    let builder = Session::builder(Arc::clone(&runtime), team_spec(), model).workspace(dir.path()).name("s");
    let mut session = builder.sleeper(Arc::new(RecordingSleeper::default())).build().unwrap();
    session.start().unwrap();
    let answer = session.turn("go").unwrap();
    let results: Vec<(&str, bool)> =
        answer.tool_results.iter().map(|result| (result.name.as_str(), result.is_error)).collect();
    assert_eq!(
        results,
        [("augment", false), ("list", false), ("absent", true), ("read", true), ("delegate", false)],
        "{answer:?}"
    );
    session.turn("go on").unwrap_err();
    session.end();
    drop(session);
    runtime.metrics()
}

/// Where a payload violates a schema: fields that are missing or unknown, and types that differ.
fn schema_differences(schema: &Value, definitions: &Value, value: &Value, path: &str) -> Vec<String> {
    if let Some(name) = schema["$ref"].as_str() {
        return schema_differences(&definitions[name.rsplit('/').next().unwrap()], definitions, value, path);
    }
    let is = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        other => panic!("a schema with the type `{other}`"),
    };
    let fits = match &schema["type"] {
        Value::String(name) => is(name),
        Value::Array(names) => names.iter().any(|name| is(name.as_str().unwrap())),
        _ => true,
    };
    if !fits {
        return vec![format!("{path} is {value}, not of type {}", schema["type"])];
    }
    let mut found = Vec::new();
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if value.get(name).is_none() {
            found.push(format!("{path} lacks `{name}`"));
        }
    }
    let known = schema["properties"].as_object();
    for name in value.as_object().into_iter().flat_map(Map::keys) {
        if known.is_some_and(|known| !known.contains_key(name)) {
            found.push(format!("{path} has `{name}`, which the catalogue does not know"));
        }
    }
    for (name, inner) in known.into_iter().flatten() {
        if let Some(field) = value.get(name) {
            found.extend(schema_differences(inner, definitions, field, &format!("{path}.{name}")));
        }
    }
    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
        found.extend(schema_differences(&schema["items"], definitions, item, &format!("{path}[{index}]")));
    }
    found
}

#[test]
fn every_event_fires_with_the_payload_that_the_catalogue_promises() {
    let metrics = play_full_session();
    let counts: BTreeMap<&str, u64> = EVENTS
        .iter()
        .map(|event| (*event, metrics.get(&format!("fired.{event}")).and_then(Value::as_u64).unwrap_or(0)))
        .collect();
    let expected = [
        ("agent.stop", 2),
        ("completion.post", 4),
        ("completion.pre", 5),
        ("custom.note", 1),
        ("delegation.post", 1),
        ("delegation.post_verify", 1),
        ("delegation.pre", 1),
        ("error", 1),
        ("meta.call_tool", 1),
        ("meta.register_agent", 1),
        ("meta.register_hook", 1),
        ("meta.register_tool", 1),
        ("session.end", 1),
        ("session.start", 1),
        ("tool.post", 6),
        ("tool.pre", 6),
        ("turn.end", 3),
        ("turn.start", 3),
    ];
    assert_eq!(counts, BTreeMap::from(expected));
    check_payloads(&metrics);
}

/// A session with an approval request, an edited file, steering, compaction, idle time and an unread message at the
/// end, whose last turn fails.
#[test]
fn every_event_of_a_session_fires_for_hooks_of_any_dialect() {
    let approves = ScriptedApprover::new(ApprovalResponse::Approved { answered_by: String::from("ada") });
    let runtime = watched_runtime(SESSION_EVENTS, Some(Arc::new(approves)));
    let model = QueuedReplyModel::root([
        call(&[("write", r#"{"path":"a.txt","content":"x"}"#)]),
        say("written"),
        say("and more"),
        say("the gist"),
        Err(ModelError::fatal("the model is gone")),
    ]);
    let dir = tempfile::tempdir().unwrap();
    let builder = Session::builder(Arc::clone(&runtime), agent(), model).workspace(dir.path()).name("s");
    let builder = builder.permission_mode(PermissionMode::Strict).sleeper(Arc::new(RecordingSleeper::default()));
    let mut session = builder.build().unwrap();
    let inbox = session.inbox();
    inbox.steer("mind the tests");
    inbox.follow_up("and then?");
    session.turn("go").unwrap();
    session.compact(None).unwrap().unwrap();
    session.run_daemon(DaemonOptions { max_idle: Some(1), ..DaemonOptions::default() }, |_, _| {}).unwrap();
    session.turn("go on").unwrap_err();
    inbox.follow_up("nobody hears this");
    session.end();
    let metrics = runtime.metrics();
    let fired = |event: &str| metrics.get(&format!("fired.{event}")).and_then(Value::as_u64).unwrap_or(0);
    let counts: Vec<(&str, u64)> = SESSION_EVENTS.iter().map(|event| (*event, fired(event))).collect();
    let expected = [
        // Two prompts, and two messages sent during the turn.
        ("prompt.submit", 4),
        ("prompt.steer", 1),
        ("prompt.followup", 1),
        ("iteration.start", 4),
        ("iteration.post", 3),
        ("iteration.end", 4),
        ("permission.ask", 1),
        ("permission.reply", 1),
        ("file.edited", 1),
        ("compact.pre", 1),
        ("compact.before", 1),
        ("compact.post", 1),
        ("session.idle", 1),
        ("user.input", 3),
        ("finish.pre", 1),
        ("finish.unsettled", 1),
        ("finish.post", 1),
        ("session.error", 1),
        ("session.end", 1),
    ];
    assert_eq!(counts, expected);
    check_payloads(&metrics);
}

/// Checks every payload that hooks kept against the schema of its event.
fn check_payloads(metrics: &Map<String, Value>) {
    for (name, payload) in metrics.iter().filter(|(name, _)| name.starts_with("seen.")) {
        let event = name.strip_prefix("seen.").and_then(|name| name.rsplit_once('.')).unwrap().0;
        let def = EventName::parse(event).unwrap().def();
        let schema = def.schema();
        let mut payload = payload.clone();
        // Scripts see these names beside those of the schema.
        for (_, alias) in def.aliases {
            assert!(payload.as_object_mut().unwrap().remove(*alias).is_some(), "{event}: {alias}");
        }
        let payload = &payload;
        let found = match event {
            // Documented: sessions have no payload.
            "session.start" | "session.end" if payload.is_null() => Vec::new(),
            _ => schema_differences(schema, &schema["$defs"], payload, name),
        };
        assert!(found.is_empty(), "{found:#?} in {payload:#}");
    }
}

#[test]
fn payloads_hold_both_spellings_of_what_really_happened() {
    let metrics = play_full_session();
    let seen = |event: &str, count: u32| &metrics[&format!("seen.{event}.{count}")];
    assert_eq!(seen("session.start", 1), &Value::Null);
    assert_eq!(seen("turn.start", 1), &json!("go"));
    let end = seen("turn.end", 2);
    for (one, other) in
        [("text", "Response"), ("tool_calls", "ToolCalls"), ("tool_results", "ToolResults"), ("usage", "Usage")]
    {
        assert_eq!(end[one], end[other], "{one}");
    }
    assert_eq!(end["text"], json!("done"));
    assert_eq!(end["usage"]["input_tokens"], end["usage"]["prompt_tokens"]);
    let logs = end["logs"].as_array().unwrap();
    for event in ["turn.start", "tool.pre", "custom.note", "delegation.post"] {
        let line = json!(format!("saw {event}"));
        assert!(logs.iter().any(|log| log["message"] == line), "{event} in {logs:#?}");
    }
    let pre = seen("delegation.pre", 1);
    assert_eq!((&pre["prompt"], &pre["task"], &pre["depth"]), (&json!("look at it"), &json!("look at it"), &json!(1)));
    let verify = seen("delegation.post_verify", 1);
    assert_eq!(
        (&verify["result"], &verify["response"], &verify["attempt"]),
        (&json!("sound"), &json!("sound"), &json!(1))
    );
    let custom = seen("custom.note", 1);
    assert_eq!(custom, &json!({"about": "a plan"}));
    let calls: Vec<&Value> = (1..=6).map(|count| seen("tool.pre", count)).collect();
    let (broken, sound): (Vec<&Value>, Vec<&Value>) =
        calls.into_iter().partition(|call| call["arguments"] == json!("{broken"));
    assert_eq!((broken.len(), sound.len()), (1, 5));
    assert_eq!(broken[0]["args"], json!({}));
    assert!(broken[0]["invalid"].as_str().unwrap().contains("not valid JSON"), "{}", broken[0]);
    for call in sound {
        // The model's own text, which may be empty.
        let written = call["arguments"].as_str().unwrap();
        let decoded: Value = if written.is_empty() { json!({}) } else { serde_json::from_str(written).unwrap() };
        assert_eq!(decoded, call["args"], "{call}");
    }
}
