//! Measures a script hook against a bare call of the same function, and with payloads of different sizes.
#![expect(clippy::expect_used, reason = "a bench ends when it cannot be set up")]

use std::process::ExitCode;
use std::sync::Arc;

use memchr::memmem;
use pintle_contract::{
    CallId, CallLimits, CancelToken, Codec, DispatchId, EffectCaller, EnforcementMode, Event, EventName, FailurePolicy,
    HandlerFactory, HandlerOutput, HandlerSpec, Hook, HookCall, HookDeclaration, HookId, Layer, Location, NoEffects,
    Origin, Payload, ScriptOutput, ScriptSource, SourceTrust, Verdict,
};
use pintle_handlers::{DefaultHandlerFactory, WorkerProgram};
use pintle_script::{Invocation, ScriptKind, compile};
use pintle_testkit::bench::{BenchBound, BenchReport};
use serde_json::{Value, json};

const GUARD: &str = r#"
FORBIDDEN = ["rm -rf /", ":(){ :|:& };:", "mkfs", "dd if=", "shutdown"]

def handle(event, payload):
    command = payload.get("args", {}).get("command", "")
    for pattern in FORBIDDEN:
        if pattern in command:
            return block("dangerous command pattern blocked: '" + pattern + "'")
    return allow()
"#;

const NAME_ONLY: &str =
    "def handle(event, payload):\n  return block(\"x\") if payload[\"name\"] == \"x\" else allow()\n";
const NOTHING: &str = "def handle(event, payload):\n  return allow()\n";

#[derive(Debug)]
struct PassThroughCodec;

impl Codec for PassThroughCodec {
    fn dialect(&self) -> &'static str {
        "plain"
    }

    fn encode(&self, _event: &Event, _event_alias: &str) -> Option<Value> {
        None
    }

    fn decode(&self, _event: &Event, _event_alias: &str, answer: HandlerOutput) -> Verdict {
        match answer {
            HandlerOutput::Script(ScriptOutput::Block(reason)) => Verdict::deny(reason),
            _ => Verdict::pass(),
        }
    }
}

fn script_hook(builder: &DefaultHandlerFactory, script: &str) -> Hook {
    let event = EventName::parse("tool.pre").expect("the event is in the catalogue");
    let declaration = HookDeclaration {
        on_deny: pintle_contract::DenyEffect::default(),
        profile: pintle_contract::Profile::SequentialFirstDeny,
        definition: None,
        name: String::from("bench"),
        event: event.clone(),
        event_alias: Arc::from("tool.pre"),
        priority: 0,
        matcher: None,
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
        codec: Arc::new(PassThroughCodec),
    };
    let built = builder.build_handler(&declaration);
    Hook {
        id: HookId::new("bench"),
        event,
        event_alias: Arc::from("tool.pre"),
        priority: 0,
        matcher: None,
        handler: built.handler.expect("the script builds"),
        guard: built.guard,
        on_failure: FailurePolicy::Closed,
        on_deny: pintle_contract::DenyEffect::default(),
        definition: None,
        strict_matcher: false,
        mode: EnforcementMode::Enforce,
        source_trust: SourceTrust::Trusted,
        tools: Vec::new(),
        limits: CallLimits::default(),
        location: Location::default(),
    }
}

/// What the hook that searches looks for.
const SEARCHED: [&str; 8] =
    ["rm -rf /", "mkfs", "dd if=", "shutdown", "reboot", "> /dev/sda", "chmod -R 000 /", ":(){ :|:& };:"];

fn build_event(payload: Value) -> Event {
    let name = EventName::parse("tool.pre").expect("the event is in the catalogue");
    Event::new(name, payload, Arc::new(Origin::default()))
}

fn call_hook(hook: &Hook, event: &Event) -> Verdict {
    let cancel = CancelToken::default();
    let call = HookCall {
        dispatch: DispatchId(1),
        id: CallId(1),
        depth: 0,
        hook,
        layer: Layer::Project,
        event,
        limits: &hook.limits,
        effects: &NoEffects,
        cancel: &cancel,
    };
    hook.handler.call(&call)
}

fn compile_bare(text: &str) -> impl Fn(&Payload) -> ScriptOutput {
    let script =
        compile("bench", &ScriptSource::without_file(text), ScriptKind::Hook).script.expect("the script compiles");
    move |payload| {
        let (limits, cancel) = (CallLimits::default(), CancelToken::default());
        let caller = EffectCaller::new(CallId(1), "bench");
        let invocation = Invocation { effects: &NoEffects, caller, limits: &limits, cancel: &cancel };
        script.handle("tool.pre", payload, &invocation).expect("the script answers")
    }
}

fn main() -> ExitCode {
    let builder = DefaultHandlerFactory::new(WorkerProgram::next_to_current_exe());
    let mut report = BenchReport::new("script hooks");

    let small = build_event(json!({"id": "call_1", "name": "run_command", "arguments": "{\"command\":\"ls -la\"}",
        "args": {"command": "ls -la /var/log && cat /etc/hostname"}}));
    let guard = script_hook(&builder, GUARD);
    let floor = compile_bare(GUARD);
    let nothing = compile_bare(NOTHING);
    report.compare(
        "a guard through its handler, beside the bare call",
        BenchBound::AtMostTimes(1.5),
        || call_hook(&guard, &small),
        || floor(&small.payload),
    );
    report.compare(
        "a guard's bare call, beside a script that does nothing",
        BenchBound::AtMostTimes(4.0),
        || floor(&small.payload),
        || nothing(&small.payload),
    );

    let messages: Vec<Value> =
        (0..400).map(|index| json!({"role": "user", "content": format!("message {index}")})).collect();
    let large = build_event(json!({"id": "call_1", "name": "run_command", "content": "y".repeat(150_000),
        "messages": messages, "args": {"command": "ls -la"}}));
    let name_only = script_hook(&builder, NAME_ONLY);
    report.compare(
        "a hook that reads the name, 200 KB beside 200 B",
        BenchBound::AtMostTimes(1.2),
        || call_hook(&name_only, &large),
        || call_hook(&name_only, &small),
    );
    let reader = script_hook(
        &builder,
        "def handle(event, payload):\n  return block(\"x\") if len(payload[\"content\"]) < 9 else allow()\n",
    );
    report.compare(
        "a hook that reads the large part, shared, beside one that does not",
        BenchBound::None,
        || call_hook(&reader, &large),
        || call_hook(&name_only, &large),
    );
    let script = format!(
        "PATTERNS = {}\ndef handle(event, payload):\n  for pattern in PATTERNS:\n    if pattern in \
         payload[\"args\"][\"command\"]:\n      return block(pattern)\n  return allow()\n",
        json!(SEARCHED)
    );
    let searching = script_hook(&builder, &script);
    let command = format!("echo {}", "a word of a long command ".repeat(8_000));
    let long = build_event(json!({"id": "call_1", "name": "run_command", "args": {"command": command}}));
    report.compare(
        "eight patterns in a command of 200 KB, beside eight passes of memmem",
        BenchBound::AtMostTimes(3.0),
        || call_hook(&searching, &long),
        || SEARCHED.iter().filter(|part| memmem::find(command.as_bytes(), part.as_bytes()).is_some()).count(),
    );
    report.finish()
}
