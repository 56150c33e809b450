//! Measures a built-in with a conversation of 400 KB in the payload, through the engine.
#![expect(clippy::expect_used, reason = "a bench ends when it cannot be set up")]

use std::fs;
use std::process::ExitCode;
use std::sync::Arc;

use pintle_contract::{
    BuiltinSpec, CancelToken, Codec, DenyEffect, EnforcementMode, Event, EventCause, EventName, FailurePolicy,
    HandlerFactory, HandlerOutput, HandlerSpec, HookDeclaration, Layer, Location, NoApprover, NoEffects, NullJournal,
    Origin, Outcome, Profile, Verdict,
};
use pintle_engine::{DispatchContext, HookSet, dispatch};
use pintle_handlers::{DefaultHandlerFactory, WorkerProgram};
use pintle_packs::default_packs;
use pintle_testkit::bench::{BenchBound, BenchReport};
use pintle_testkit::{RunningClock, chain, hook};
use serde_json::{Value, json};

/// The limit for a dispatch with one built-in.
const MOST_NS: f64 = 1_000.0;

/// A codec that must not be called: built-ins return verdicts directly.
#[derive(Debug)]
struct UnreachableCodec;

impl Codec for UnreachableCodec {
    fn dialect(&self) -> &'static str {
        "unasked"
    }

    fn encode(&self, _event: &Event, _event_alias: &str) -> Option<Value> {
        unreachable!("no payload is encoded")
    }

    fn decode(&self, _event: &Event, _event_alias: &str, _answer: HandlerOutput) -> Verdict {
        unreachable!("no answer is decoded")
    }
}

fn builtin_hooks(event: &EventName, builtins: &[(&str, &[&str])]) -> HookSet {
    let builder = DefaultHandlerFactory::new(WorkerProgram::next_to_current_exe());
    let hooks = builtins.iter().map(|(name, arguments)| {
        let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        let declaration = HookDeclaration {
            name: (*name).to_owned(),
            event: event.clone(),
            event_alias: Arc::from(event.as_str()),
            priority: 0,
            matcher: None,
            handler: HandlerSpec::Builtin(BuiltinSpec {
                name: (*name).to_owned(),
                arguments,
                ..BuiltinSpec::default()
            }),
            on_error: None,
            default_on_error: FailurePolicy::Open,
            on_deny: DenyEffect::default(),
            profile: Profile::SequentialRunAll,
            definition: None,
            mode: EnforcementMode::Enforce,
            timeout_ms: None,
            background: false,
            files: Vec::new(),
            tools: Vec::new(),
            source_trust: pintle_contract::SourceTrust::default(),
            examples: Vec::new(),
            location: Location::default(),
            codec: Arc::new(UnreachableCodec),
        };
        hook(name, event.clone(), builder.build_handler(&declaration).handler.expect("the built-in builds"))
    });
    HookSet::new(vec![chain(Layer::Project, Profile::SequentialRunAll, hooks)])
}

fn event_name(name: &str) -> EventName {
    EventName::parse(name).expect("the event is in the catalogue")
}

fn main() -> ExitCode {
    let clock = RunningClock::start();
    let cancel = CancelToken::default();
    let context = DispatchContext {
        journal: &NullJournal,
        clock: &clock,
        effects: &NoEffects,
        approver: &NoApprover,
        cancel: &cancel,
        shadow: false,
        cause: EventCause::default(),
        memory: None,
    };
    let fire = |set: &HookSet, event: &Event| dispatch(set, event, &context);
    let event = |name: &str, payload: Value| Event::new(event_name(name), payload, Arc::new(Origin::default()));

    let conversation: Vec<Value> = (0..200)
        .map(|number| json!({"role": if number % 2 == 0 { "user" } else { "assistant" }, "content": "a word ".repeat(286)}))
        .collect();
    let large = event("completion.pre", json!({"model": "m", "messages": conversation, "tools": [], "iteration": 3}));
    let small = event("completion.pre", json!({"model": "m", "messages": [], "tools": [], "iteration": 3}));
    let bytes = large.payload.value().to_string().len();
    assert!(bytes > 400_000, "{bytes} bytes");

    let most = BenchBound::AtMostNs(MOST_NS);
    let limit = builtin_hooks(&event_name("completion.pre"), &[("max_iterations", &["5"])]);
    let mut report = BenchReport::new("built-ins with a conversation of 400 KB, whole dispatch");
    report.compare("max_iterations, 400 KB beside nothing", most, || fire(&limit, &large), || fire(&limit, &small));
    let reached = builtin_hooks(&event_name("completion.pre"), &[("max_iterations", &["2"])]);
    report.compare("max_iterations that denies", most, || fire(&reached, &large), || fire(&limit, &small));
    let other = builtin_hooks(&event_name("completion.pre"), &[("limit_large_tool_results", &[])]);
    report.compare(
        "a built-in on an event that is not its own",
        most,
        || fire(&other, &large),
        || fire(&limit, &small),
    );

    let result = json!({"call_id": "c", "name": "shell", "content": "y".repeat(40_000), "result": "y".repeat(40_000),
        "is_error": false, "category": "memory", "args": {}, "partial": false});
    let result = event("tool.result", result);
    let limiter = builtin_hooks(&event_name("tool.result"), &[("limit_large_tool_results", &[])]);
    report.compare(
        "limit_large_tool_results, a tool it leaves alone",
        most,
        || fire(&limiter, &result),
        || fire(&limit, &small),
    );

    let call = json!({"id": "c", "name": "shell", "arguments": "{}", "args": {"cmd": "git status --short"}});
    let call = event("tool.pre", call);
    let label = builtin_hooks(&event_name("tool.pre"), &[("safer_shell", &["safe-auto"])]);
    report.compare("safer_shell on a short command", BenchBound::None, || fire(&label, &call), || fire(&limit, &small));
    let redaction = builtin_hooks(&event_name("completion.pre"), &[("redact_secrets", &[])]);
    report.compare(
        "redact_secrets, 400 KB without a secret",
        BenchBound::None,
        || fire(&redaction, &large),
        || fire(&limit, &large),
    );
    judge_calls(&mut report, fire);
    report.finish()
}

/// Measures what the default packs add to a dispatch. Each call is an event of its own: what it would do is worked out once.
fn judge_calls(report: &mut BenchReport, fire: impl Fn(&HookSet, &Event) -> Outcome) {
    let names: Vec<[&str; 1]> = default_packs().map(|pack| [pack.name]).collect();
    let builtins: Vec<(&str, &[&str])> = names.iter().map(|name| ("pack", name.as_slice())).collect();
    let packs = builtin_hooks(&event_name("tool.pre"), &builtins);
    // The bare dispatch calls as many hooks, which are about other events.
    let others: Vec<(&str, &[&str])> = names.iter().map(|_| ("max_iterations", ["5"].as_slice())).collect();
    let nothing = builtin_hooks(&event_name("tool.pre"), &others);
    let project = tempfile::tempdir().expect("a directory can be made");
    for dir in ["src", "coverage/tmp"] {
        fs::create_dir_all(project.path().join(dir)).expect("a directory can be made");
    }
    for file in ["src/main.rs", "src/cart.ts"] {
        fs::write(project.path().join(file), "").expect("a file can be written");
    }
    let file = project.path().join("src/main.rs");
    let line = "set -e; npm run build -- --mode production 2>&1 | tail -40 > /tmp/build.log; rm -rf ./coverage/tmp && \
                git status --short && grep -n 'the total of the cart' src/cart.ts | head -5 && echo \"done: $PWD\"";
    for (label, name, args, most_ns) in [
        ("the default packs on a file that no rule concerns", "Read", json!({"file_path": file}), 3_000.0),
        ("the default packs on a command line of 198 bytes", "Bash", json!({"command": line}), 30_000.0),
    ] {
        let payload = json!({"vocabulary": "claude", "name": name, "args": args, "cwd": project.path(), "project": project.path()});
        let call = || Event::new(event_name("tool.pre"), payload.clone(), Arc::new(Origin::default()));
        let measured = report.compare(label, BenchBound::None, || fire(&packs, &call()), || fire(&nothing, &call()));
        report.check("  above the bare dispatch", BenchBound::AtMostNs(most_ns), measured.thing_ns - measured.floor_ns);
    }
}
