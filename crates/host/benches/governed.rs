//! Benchmarks the governed-agent policy through the whole runtime, against direct calls of the same compiled functions.

#![expect(clippy::expect_used, reason = "a bench ends when it cannot be set up")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use pintle_host::contract::{CallId, CallLimits, EffectCaller, ScriptSource};
use pintle_host::script::{Invocation, Script, ScriptKind, compile, compile_when};
use pintle_host::{CancelToken, Event, EventName, Layer, LoadedRuntime, Origin, Payload, Runtime, native};
use pintle_testkit::bench::{BenchBound, BenchReport};
use pintle_testkit::{InMemoryEffects, SubjectMatcher};
use serde_json::{Value, json};

fn project_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/governed-agent")
}

/// Compiles the `handle` function of one hook, without a runtime.
fn compile_bare(built: &LoadedRuntime, name: &str) -> Option<Arc<Script>> {
    let hook = built.declarations().find(|hook| hook.name == name)?;
    match &hook.handler {
        pintle_host::contract::HandlerSpec::Script(text) => {
            compile(name, &ScriptSource::without_file(Arc::clone(&text.text)), ScriptKind::Hook).script
        }
        _ => None,
    }
}

/// 1,000 hooks, none of which matches, and whose conditions say nothing that can be looked up.
fn build_conditions() -> Arc<Runtime> {
    let dir = tempfile::tempdir().expect("a temporary directory");
    for number in 0..1_000 {
        let text = format!(
            "---\nevent: tool.pre\nwhen: len(payload[\"name\"]) == {}\nscript: |\n  def handle(event, payload):\n      \
             return block(\"unreachable\")\n---\n",
            number + 1_000
        );
        std::fs::write(dir.path().join(format!("hook_{number}.md")), text).expect("a hook file");
    }
    Runtime::builder().path(dir.path(), Layer::Project).load().runtime
}

fn main() -> ExitCode {
    let built = Runtime::builder().path(project_dir(), Layer::Project).load();
    let (Ok(tool_pre), Some(audit), Some(guard), Some(idle)) = (
        EventName::parse("tool.pre"),
        compile_bare(&built, "audit_tool_pre"),
        compile_bare(&built, "command_guard"),
        EventName::parse("session.idle").ok(),
    ) else {
        return ExitCode::FAILURE;
    };
    let origin = Arc::new(Origin::default());
    let call = |tool: &str, padding: usize| {
        let args = json!({"command": "ls -la", "padding": "x".repeat(padding)});
        json!({"id": "call_1", "name": tool, "arguments": args.to_string(), "args": args})
    };
    let event = |value: &Value| Event::new(tool_pre.clone(), Payload::new(value.clone()), Arc::clone(&origin));
    let large = call("run_command", 200_000);
    // Creating an event is the host's work and is measured separately. Firing one event repeatedly is fair: small
    // fields are converted for each call and never cached.
    let made = call("run_command", 50);
    let small = event(&made);

    let seam = InMemoryEffects::default();
    let (limits, cancel) = (CallLimits::default(), CancelToken::default());
    let invocation =
        Invocation { effects: &seam, caller: EffectCaller::new(CallId(0), "bare"), limits: &limits, cancel: &cancel };
    let handle = |script: &Script| script.handle_in_interpreter("tool.pre", &small.payload, &invocation);

    let runtime = &built.runtime;
    let nothing = Runtime::builder().load().runtime;
    let unheard = Event::new(idle, json!({}), Arc::clone(&origin));
    let mut report = BenchReport::new("the governed-agent policy on tool.pre, through the runtime");
    report.compare("no hooks", BenchBound::AtMostNs(100.0), || nothing.fire(&unheard), || 0);
    report.compare(
        "seven hooks, two match: whole dispatch",
        BenchBound::AtMostNs(5_000.0),
        || runtime.fire(&small),
        || 0,
    );
    report.compare(
        "the same, against the two calls of the interpreter",
        BenchBound::AtMostTimes(3.0),
        || runtime.fire(&small),
        || (handle(&audit), handle(&guard)),
    );

    let others = (0..1_000).map(|number| {
        let hook =
            native::hook(&format!("other_{number}"), tool_pre.clone(), |_| pintle_host::Verdict::deny("unreachable"));
        native::with_matcher(hook, SubjectMatcher::new([format!("tool_{number}").as_str()]))
    });
    let crowded = Runtime::builder()
        .path(project_dir(), Layer::Project)
        .chain(native::chain("others", Layer::Project, others))
        .load()
        .runtime;
    report.compare(
        "with 1,000 hooks for other tools",
        BenchBound::AtMostTimes(1.10),
        || crowded.fire(&small),
        || runtime.fire(&small),
    );

    let conditions = (0..1_000).filter_map(|number| {
        let text = format!("payload[\"name\"] == \"tool_{number}\" and sorted(payload[\"args\"].keys()) == []");
        let when = compile_when("condition", &ScriptSource::without_file(text), None, &tool_pre).when?;
        let hook = native::hook(&format!("condition_{number}"), tool_pre.clone(), |_| pintle_host::Verdict::deny("no"));
        (!when.is_native()).then(|| native::with_matcher(hook, Arc::new(when)))
    });
    let conditional = Runtime::builder().chain(native::chain("conditions", Layer::Project, conditions)).load().runtime;
    report.compare(
        "1,000 conditions of the interpreter for other tools",
        BenchBound::AtMostNs(100_000.0),
        || conditional.fire(&small),
        || 0,
    );

    // A tool that only the audit hook matches; it reads only the name.
    let (unread_small, unread_large) = (call("self_check", 50), call("self_check", 200_000));
    let (unread_small, unread_large) = (event(&unread_small), event(&unread_large));
    report.compare(
        "200 KB that no hook reads, against 200 B",
        BenchBound::AtMostTimes(1.20),
        || runtime.fire(&unread_large),
        || runtime.fire(&unread_small),
    );
    let unknown = build_conditions();
    report.compare(
        "1,000 conditions that cannot be analysed",
        BenchBound::AtMostNs(100_000.0),
        || unknown.fire(&small),
        || runtime.fire(&small),
    );
    report.compare("making the small event", BenchBound::None, || event(&made), || 0);
    report.compare(
        "200 KB, read by the guard and created again",
        BenchBound::None,
        || runtime.fire(&event(&large)),
        || large.clone(),
    );
    compare_searches(&mut report, &invocation, &event(&large).payload);
    report.finish()
}

/// A guard and a condition that look for eight texts in 200 KB, against as many bare searches.
fn compare_searches(report: &mut BenchReport, invocation: &Invocation<'_>, large: &Payload) {
    const PATTERNS: [&str; 8] =
        ["rm -rf /", ":(){ :|:& };:", "mkfs", "dd if=", "shutdown", "reboot", "> /dev/sda", "chmod -R 000 /"];
    let guard = format!(
        "def handle(event, payload):\n  for word in {PATTERNS:?}:\n    if word in payload[\"arguments\"]:\n      \
         return block(word)\n  return allow()\n"
    );
    let condition = format!("any([word in payload[\"arguments\"] for word in {PATTERNS:?}])");
    let text = large.value().get("arguments").and_then(Value::as_str).unwrap_or_default();
    let search =
        || PATTERNS.iter().filter(|word| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some()).count();
    if let Some(script) = compile("guard", &ScriptSource::without_file(guard), ScriptKind::Hook).script {
        report.compare(
            "eight searches of 200 KB in a guard, against bare ones",
            BenchBound::AtMostTimes(3.0),
            || script.handle("tool.pre", large, invocation),
            search,
        );
    }
    let event = EventName::parse("tool.pre").ok();
    let condition = ScriptSource::without_file(condition);
    if let Some(when) = event.and_then(|event| compile_when("condition", &condition, None, &event).when) {
        report.compare(
            "eight searches of 200 KB in a condition, against bare ones",
            BenchBound::AtMostTimes(3.0),
            || when.evaluate("tool.pre", large),
            search,
        );
    }
}
