//! Handles a host's call with hooks that return given verdicts.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use pintle_bridge::{Deadline, HOSTS, HostCall, HostDef, HostEventDef, HostResponse, KeptSessions, handle_call};
use pintle_host::contract::{DenyEffect, EnforcementMode, Failure, FailureKind};
use pintle_host::tape::proof::MachineSigner;
use pintle_host::{
    Effect, Event, EventKind, EventName, FailurePolicy, Handler, Hook, HookCall, Layer, Runtime, RuntimeBuilder,
    Verdict, native,
};
use serde_json::{Map, Value, json};

/// The most important canonical event of a host event.
pub(crate) fn main_event(def: &HostEventDef) -> Option<EventName> {
    let tool_event = [EventKind::ToolPre, EventKind::ToolPost].into_iter().find(|kind| def.fires.contains(kind));
    tool_event.map(EventName::from).or(def.fired_events().next())
}

/// The hosts with recorded payloads.
pub(crate) fn recorded_hosts() -> Vec<(&'static HostDef, Vec<PathBuf>)> {
    let with = |host: &&'static HostDef| {
        let dir = data_dir(host).join("payloads");
        let mut files: Vec<PathBuf> = fs::read_dir(dir).ok()?.map(|entry| entry.unwrap().path()).collect();
        files.sort();
        Some((*host, files))
    };
    HOSTS.iter().filter_map(with).collect()
}

/// The directory of a host's test data.
pub(crate) fn data_dir(host: &HostDef) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(host.name)
}

/// The event in the name of a payload file: `PreToolUse.Write.json` is of `PreToolUse`, and `chat.message.json` of
/// `chat.message`.
pub(crate) fn event_of_file(host: &'static HostDef, file: &Path) -> &'static HostEventDef {
    let name = file.file_stem().unwrap().to_str().unwrap();
    let prefixes = name.match_indices('.').map(|(end, _)| &name[..end]).chain([name]);
    let found = prefixes.rev().find_map(|prefix| host.find_event(prefix));
    found.unwrap_or_else(|| panic!("{} has no event `{name}`", host.name))
}

/// Handles a payload with hooks, without storing anything.
pub(crate) fn respond(
    host: &'static HostDef,
    def: &'static HostEventDef,
    payload: &[u8],
    hooks: Vec<Hook>,
) -> HostResponse {
    respond_with_state(host, def, payload, hooks, None)
}

/// The same, with the session stored in a directory.
pub(crate) fn respond_with_state(
    host: &'static HostDef,
    def: &'static HostEventDef,
    payload: &[u8],
    hooks: Vec<Hook>,
    state: Option<&Path>,
) -> HostResponse {
    let deadline = Deadline::from_ms(60_000);
    let errand = HostCall {
        host,
        event: Some(def),
        payload: &Arc::new(payload.to_vec()),
        state_directory: state,
        project: None,
        shadow: false,
        deadline: &deadline,
        entry: None,
        kept_sessions: None,
        signer: None,
    };
    handle_call(&errand, |_| Ok(builder_with(hooks)))
}

/// A call of Claude's shell tool in a process of its own, or in one that keeps sessions.
pub(crate) fn respond_in_session(
    (host, event): (&str, &str),
    state: &Path,
    hooks: Vec<Hook>,
    kept_sessions: Option<&Arc<KeptSessions>>,
    signer: Option<&Arc<MachineSigner>>,
) -> HostResponse {
    let host = HostDef::by_name(host).unwrap();
    let payload = json!({"session_id": "s1", "cwd": "/tmp", "hook_event_name": event, "tool_name": "Bash",
        "tool_input": {"command": "ls"}, "tool_use_id": "t1", "reason": "other", "prompt": "hi"})
    .to_string();
    let deadline = Deadline::from_ms(60_000);
    let call = HostCall {
        host,
        event: host.find_event(event),
        payload: &Arc::new(payload.into_bytes()),
        state_directory: Some(state),
        project: None,
        shadow: false,
        deadline: &deadline,
        entry: None,
        kept_sessions,
        signer,
    };
    handle_call(&call, |_| Ok(builder_with(hooks)))
}

pub(crate) fn builder_with(hooks: Vec<Hook>) -> RuntimeBuilder {
    Runtime::builder().chain(native::chain("hooks", Layer::Project, hooks))
}

/// The verdicts of a hook of the main event, by their names in the tables.
pub(crate) const SAYINGS: [&str; 14] = [
    "allow",
    "approve",
    "deny",
    "deny with an empty reason",
    "ask",
    "rewrite",
    "approved rewrite",
    "context",
    "notice",
    "stop",
    "failed open",
    "failed closed",
    "timeout",
    "shadow deny",
];

/// A hook that returns this verdict.
pub(crate) fn hook_saying(text: &'static str, event: EventName) -> Hook {
    let hook = native::hook("h", event, move |call| match text {
        "allow" => Verdict::pass(),
        "approve" => Verdict::allow("fine"),
        "deny" | "stop" | "shadow deny" => Verdict::deny("not \"today\"\nand `never`"),
        "deny with an empty reason" => Verdict::deny(""),
        "ask" => Verdict::ask("is that so?"),
        "rewrite" => Verdict::rewrite(changed_fields(call.event.payload.value())),
        "approved rewrite" => Verdict::allow("fine")
            .with_rewrite(pintle_host::contract::Rewrite::Fields(changed_fields(call.event.payload.value()))),
        "context" => Verdict::pass().with_effect(Effect::Context(String::from("the tests take a minute"))),
        "notice" => Verdict::pass().with_effect(Effect::Notice(String::from("for the person"))),
        "failed open" | "failed closed" => Verdict::failed(Failure::new(FailureKind::Error, "it broke")),
        "timeout" => Verdict::failed(Failure::new(FailureKind::Timeout, "no answer within 5000 ms")),
        other => panic!("{other}"),
    });
    match text {
        "stop" => Hook { on_deny: DenyEffect::StopRun, ..hook },
        "shadow deny" => Hook { mode: EnforcementMode::Shadow, ..hook },
        "failed open" => Hook { on_failure: FailurePolicy::Open, ..hook },
        "failed closed" | "timeout" => Hook { on_failure: FailurePolicy::Closed, ..hook },
        _ => hook,
    }
}

/// A rewrite of the first string in the event's rewrite target.
pub(crate) fn changed_fields(payload: &Value) -> Map<String, Value> {
    let one = |name: &str, value: Value| Map::from_iter([(name.to_owned(), value)]);
    if let Some(args) = payload.get("args").filter(|_| payload.get("content").is_none()) {
        let mut args = args.clone();
        if let Some(fields) = args.as_object_mut() {
            for name in ["command", "content", "path", "patch", "prompt"] {
                if let Some(place) = fields.get_mut(name) {
                    *place = json!("REWRITTEN");
                    break;
                }
            }
        }
        return one("args", args);
    }
    let texts = ["content", "prompt", "response", "text", "result"];
    let found = texts.into_iter().find(|name| payload.get(name).is_some());
    found.map_or_else(Map::new, |name| one(name, json!("REWRITTEN")))
}

/// The fired events.
pub(crate) type HostEventLog = Arc<Mutex<Vec<Event>>>;

/// Records events as they are fired: a native hook would hear calls in Pintle's words.
#[derive(Debug)]
struct EventListener(HostEventLog);

impl Handler for EventListener {
    fn kind(&self) -> &'static str {
        "listener"
    }

    fn call(&self, call: &HookCall<'_>) -> Verdict {
        self.0.lock().unwrap().push(call.event.clone());
        Verdict::pass()
    }
}

/// Hooks that record the events they get, and the record.
pub(crate) fn listening_hooks(def: &HostEventDef) -> (Vec<Hook>, HostEventLog) {
    let heard = HostEventLog::default();
    let listen = |event: EventName| {
        let hook = native::hook("listener", event, |_| Verdict::pass());
        Hook { handler: Arc::new(EventListener(Arc::clone(&heard))), ..hook }
    };
    (def.fired_events().map(listen).collect(), heard)
}
