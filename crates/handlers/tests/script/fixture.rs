//! Fixtures for script tests: a plain codec, an effect runner that counts, and one way to build and call a hook.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use pintle_contract::{
    BuiltHandler, CallId, CallLimits, CancelToken, Codec, Diagnostic, DispatchId, EffectCaller, EffectError,
    EffectReply, EffectRequest, EffectRunner, EnforcementMode, Event, EventName, FailurePolicy, Handler,
    HandlerFactory, HandlerOutput, HandlerSpec, Hook, HookCall, HookDeclaration, HookId, Layer, Location, LogLevel,
    MatcherSpec, Origin, ScriptOutput, ScriptSource, Severity, SourceTrust, Verdict,
};
use pintle_handlers::{DefaultHandlerFactory, WorkerProgram};
use serde_json::{Value, json};

/// A codec that changes nothing.
#[derive(Debug)]
pub(crate) struct IdentityCodec;

impl Codec for IdentityCodec {
    fn dialect(&self) -> &'static str {
        "plain"
    }

    fn encode(&self, _event: &Event, _event_alias: &str) -> Option<Value> {
        None
    }

    fn decode(&self, _event: &Event, _event_alias: &str, answer: HandlerOutput) -> Verdict {
        let HandlerOutput::Script(answer) = answer else { panic!("only scripts answer here") };
        match answer {
            ScriptOutput::Allow => Verdict::pass(),
            ScriptOutput::Block(reason) => Verdict::deny(reason),
            ScriptOutput::Ask(reason) => Verdict::ask(reason),
            ScriptOutput::Modify(Value::Object(fields)) | ScriptOutput::Dict(fields) => Verdict::rewrite(fields),
            other => Verdict::pass().with_warning(format!("{other:?}")),
        }
    }
}

/// An effect runner that counts metrics and keeps logs.
#[derive(Debug, Default)]
pub(crate) struct FakeEffects {
    pub(crate) counters: Mutex<BTreeMap<String, i64>>,
    pub(crate) logs: Mutex<Vec<(LogLevel, String)>>,
    pub(crate) requests: Mutex<Vec<EffectRequest>>,
    pub(crate) stored_values: Mutex<BTreeMap<String, Value>>,
}

impl EffectRunner for FakeEffects {
    fn perform(&self, _caller: EffectCaller<'_>, request: EffectRequest) -> Result<EffectReply, EffectError> {
        self.requests.lock().unwrap().push(request.clone());
        Ok(match request {
            EffectRequest::MetricIncr { name, amount: by } => {
                let mut counters = self.counters.lock().unwrap();
                let counter = counters.entry(name).or_default();
                *counter += by;
                EffectReply::Int(*counter)
            }
            EffectRequest::Log { level, message } => {
                self.logs.lock().unwrap().push((level, message));
                EffectReply::Done
            }
            EffectRequest::CacheGet { key } | EffectRequest::ContextGet { key: Some(key) } => {
                self.stored_values.lock().unwrap().get(&key).cloned().map_or(EffectReply::Absent, EffectReply::Value)
            }
            EffectRequest::CacheSet { key, value } | EffectRequest::ContextSet { key, value: Some(value) } => {
                self.stored_values.lock().unwrap().insert(key, value);
                EffectReply::Done
            }
            EffectRequest::Now => EffectReply::Int(1_700_000_000_000),
            EffectRequest::Uuid => EffectReply::Value(json!("00000000-0000-4000-8000-000000000000")),
            EffectRequest::Random { min, .. } => EffectReply::Int(min),
            EffectRequest::Http { url, timeout_ms, .. } => {
                EffectReply::Value(json!({"status": 200, "url": url, "ms": timeout_ms}))
            }
            EffectRequest::Emit { payload, .. } => EffectReply::Value(payload),
            EffectRequest::Exec { program, arguments, .. } => {
                EffectReply::Value(json!({"cmd": program, "args": arguments}))
            }
            EffectRequest::Fs { function, .. } if function == "read" => {
                return Err(EffectError(String::from("fs.read: no such file")));
            }
            _ => EffectReply::Done,
        })
    }
}

pub(crate) fn test_factory() -> DefaultHandlerFactory {
    DefaultHandlerFactory::new(WorkerProgram {
        program: env!("CARGO_BIN_EXE_pintle-script-worker").into(),
        arguments: Vec::new(),
    })
}

pub(crate) fn script_declaration(event: &str, when: Option<&str>, script: &str) -> HookDeclaration {
    HookDeclaration {
        on_deny: pintle_contract::DenyEffect::default(),
        profile: pintle_contract::Profile::SequentialFirstDeny,
        definition: None,
        name: String::from("tested"),
        event: EventName::parse(event).unwrap(),
        event_alias: Arc::from(event),
        priority: 0,
        matcher: when.map(|when| MatcherSpec::Expression(ScriptSource::without_file(when))),
        handler: HandlerSpec::Script(ScriptSource::without_file(script)),
        on_error: None,
        default_on_error: FailurePolicy::Closed,
        mode: EnforcementMode::Enforce,
        timeout_ms: None,
        background: false,
        files: Vec::new(),
        tools: Vec::new(),
        source_trust: pintle_contract::SourceTrust::default(),
        examples: Vec::new(),
        location: Location::default(),
        codec: Arc::new(IdentityCodec),
    }
}

/// Builds a hook's handler; with errors among the diagnostics there is none.
pub(crate) fn build_handler(builder: &DefaultHandlerFactory, script: &str) -> BuiltHandler {
    let built = builder.build_handler(&script_declaration("tool.pre", None, script));
    let failed = built.diagnostics.iter().any(|found| found.severity == Severity::Error);
    assert_eq!(failed, built.handler.is_none(), "{:?}", built.diagnostics);
    built
}

pub(crate) fn call_handler(
    handler: Arc<dyn Handler>,
    payload: Value,
    world: &FakeEffects,
    limits: CallLimits,
) -> Verdict {
    let event = Event::new(EventName::parse("tool.pre").unwrap(), payload, Arc::new(Origin::default()));
    let hook = Hook {
        id: HookId::new("tested"),
        event: event.name.clone(),
        event_alias: Arc::from("tool.pre"),
        priority: 0,
        matcher: None,
        handler: Arc::clone(&handler),
        guard: true,
        on_failure: FailurePolicy::Closed,
        on_deny: pintle_contract::DenyEffect::default(),
        definition: None,
        strict_matcher: false,
        mode: EnforcementMode::Enforce,
        source_trust: SourceTrust::Trusted,
        tools: Vec::new(),
        limits,
        location: Location::default(),
    };
    let cancel = CancelToken::default();
    let call = HookCall {
        dispatch: DispatchId(1),
        id: CallId(1),
        depth: 0,
        hook: &hook,
        layer: Layer::Project,
        event: &event,
        limits: &hook.limits,
        effects: world,
        cancel: &cancel,
    };
    handler.call(&call)
}

/// Builds and calls a hook.
pub(crate) fn call_script(
    builder: &DefaultHandlerFactory,
    script: &str,
    payload: Value,
    world: &FakeEffects,
) -> Result<Verdict, Vec<Diagnostic>> {
    call_script_with_limits(builder, script, payload, world, CallLimits::default())
}

/// Builds and calls a hook with custom limits.
pub(crate) fn call_script_with_limits(
    builder: &DefaultHandlerFactory,
    script: &str,
    payload: Value,
    world: &FakeEffects,
    limits: CallLimits,
) -> Result<Verdict, Vec<Diagnostic>> {
    let built = build_handler(builder, script);
    match built.handler {
        Some(handler) => Ok(call_handler(handler, payload, world, limits)),
        None => Err(built.diagnostics),
    }
}

/// A limit that no test reaches unless something hangs: the machine may be busy.
pub(crate) fn assert_finishes_in_time(started: Instant) {
    assert!(started.elapsed() < Duration::from_secs(60), "took {:?}", started.elapsed());
}
