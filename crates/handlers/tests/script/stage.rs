//! What the tests of scripts stand on: a plain codec, a seam that counts, and one way to build and call a hook.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use pintle_contract::{
    Answer, Build, BuiltHandler, Call, CallId, Caller, Cancel, Codec, Diagnostic, Event, EventName, FailurePolicy,
    Handler, HandlerSpec, Hook, HookDeclaration, HookId, Layer, Limits, Location, LogLevel, MatcherSpec, Mode, Origin,
    Reply, Request, ScriptAnswer, ScriptText, Seam, SeamError, Severity, Standing, Verdict,
};
use pintle_handlers::{Builder, WorkerProgram};
use serde_json::{Value, json};

/// A codec that changes nothing.
#[derive(Debug)]
pub(crate) struct Plain;

impl Codec for Plain {
    fn dialect(&self) -> &'static str {
        "plain"
    }

    fn encode(&self, _event: &Event, _spelling: &str) -> Option<Value> {
        None
    }

    fn decode(&self, _event: &Event, _spelling: &str, answer: Answer) -> Verdict {
        let Answer::Script(answer) = answer else { panic!("only scripts answer here") };
        match answer {
            ScriptAnswer::Allow => Verdict::pass(),
            ScriptAnswer::Block(reason) => Verdict::deny(reason),
            ScriptAnswer::Ask(reason) => Verdict::ask(reason),
            ScriptAnswer::Modify(Value::Object(fields)) | ScriptAnswer::Dict(fields) => Verdict::rewrite(fields),
            other => Verdict::pass().warn(format!("{other:?}")),
        }
    }
}

/// A world that counts metrics and keeps logs.
#[derive(Debug, Default)]
pub(crate) struct World {
    pub(crate) counters: Mutex<BTreeMap<String, i64>>,
    pub(crate) logs: Mutex<Vec<(LogLevel, String)>>,
    pub(crate) requests: Mutex<Vec<Request>>,
    pub(crate) stored: Mutex<BTreeMap<String, Value>>,
}

impl Seam for World {
    fn perform(&self, _caller: Caller<'_>, request: Request) -> Result<Reply, SeamError> {
        self.requests.lock().unwrap().push(request.clone());
        Ok(match request {
            Request::MetricIncr { name, by } => {
                let mut counters = self.counters.lock().unwrap();
                let counter = counters.entry(name).or_default();
                *counter += by;
                Reply::Int(*counter)
            }
            Request::Log { level, message } => {
                self.logs.lock().unwrap().push((level, message));
                Reply::Done
            }
            Request::CacheGet { key } | Request::ContextGet { key: Some(key) } => {
                self.stored.lock().unwrap().get(&key).cloned().map_or(Reply::Absent, Reply::Value)
            }
            Request::CacheSet { key, value } | Request::ContextSet { key, value: Some(value) } => {
                self.stored.lock().unwrap().insert(key, value);
                Reply::Done
            }
            Request::Now => Reply::Int(1_700_000_000_000),
            Request::Uuid => Reply::Value(json!("00000000-0000-4000-8000-000000000000")),
            Request::Random { min, .. } => Reply::Int(min),
            Request::Http { url, timeout_ms, .. } => Reply::Value(json!({"status": 200, "url": url, "ms": timeout_ms})),
            Request::Emit { payload, .. } => Reply::Value(payload),
            Request::Exec { program, arguments, .. } => Reply::Value(json!({"cmd": program, "args": arguments})),
            Request::Fs { function, .. } if function == "read" => {
                return Err(SeamError(String::from("fs.read: no such file")));
            }
            _ => Reply::Done,
        })
    }
}

pub(crate) fn builder() -> Builder {
    Builder::new(WorkerProgram { program: env!("CARGO_BIN_EXE_pintle-script-worker").into(), arguments: Vec::new() })
}

pub(crate) fn declaration(event: &str, when: Option<&str>, script: &str) -> HookDeclaration {
    HookDeclaration {
        on_deny: pintle_contract::OnDeny::default(),
        profile: pintle_contract::Profile::SequentialFirstDeny,
        definition: None,
        name: String::from("tested"),
        event: EventName::parse(event).unwrap(),
        spelling: Arc::from(event),
        priority: 0,
        matcher: when.map(|when| MatcherSpec::Expression(ScriptText::bare(when))),
        handler: HandlerSpec::Script(ScriptText::bare(script)),
        on_error: None,
        default_on_error: FailurePolicy::Closed,
        mode: Mode::Enforce,
        timeout_ms: None,
        background: false,
        files: Vec::new(),
        tools: Vec::new(),
        standing: pintle_contract::Standing::default(),
        examples: Vec::new(),
        location: Location::default(),
        codec: Arc::new(Plain),
    }
}

/// Builds a hook's handler; errors among the diagnostics mean there is none.
pub(crate) fn build(builder: &Builder, script: &str) -> BuiltHandler {
    let built = builder.handler(&declaration("tool.pre", None, script));
    let failed = built.diagnostics.iter().any(|found| found.severity == Severity::Error);
    assert_eq!(failed, built.handler.is_none(), "{:?}", built.diagnostics);
    built
}

pub(crate) fn call(handler: Arc<dyn Handler>, payload: Value, world: &World, limits: Limits) -> Verdict {
    let event = Event::new(EventName::parse("tool.pre").unwrap(), payload, Arc::new(Origin::default()));
    let hook = Hook {
        id: HookId::new("tested"),
        event: event.name.clone(),
        spelling: Arc::from("tool.pre"),
        priority: 0,
        matcher: None,
        handler: Arc::clone(&handler),
        guard: true,
        on_failure: FailurePolicy::Closed,
        on_deny: pintle_contract::OnDeny::default(),
        definition: None,
        strict_matcher: false,
        mode: Mode::Enforce,
        standing: Standing::Trusted,
        tools: Vec::new(),
        limits,
        location: Location::default(),
    };
    let cancel = Cancel::default();
    let call = Call {
        id: CallId(1),
        hook: &hook,
        layer: Layer::Project,
        event: &event,
        limits: &hook.limits,
        seam: world,
        cancel: &cancel,
    };
    handler.call(&call)
}

/// Builds and calls a hook.
pub(crate) fn ask(builder: &Builder, script: &str, payload: Value, world: &World) -> Result<Verdict, Vec<Diagnostic>> {
    ask_within(builder, script, payload, world, Limits::default())
}

/// Builds and calls a hook with limits of its own.
pub(crate) fn ask_within(
    builder: &Builder,
    script: &str,
    payload: Value,
    world: &World,
    limits: Limits,
) -> Result<Verdict, Vec<Diagnostic>> {
    let built = build(builder, script);
    match built.handler {
        Some(handler) => Ok(call(handler, payload, world, limits)),
        None => Err(built.diagnostics),
    }
}

/// A bound that no test comes near unless something hangs: the machine may be busy.
pub(crate) fn within_limits(started: Instant) {
    assert!(started.elapsed() < Duration::from_secs(60), "took {:?}", started.elapsed());
}
