//! Benchmarks a closure of the host program: a dispatch through the runtime, and a registration.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use pintle_host::{Event, EventName, HookReturn, Origin, Runtime, ToolHook};
use pintle_testkit::bench::{BenchBound, BenchReport};
use serde_json::{Value, json};

/// The time limit of a dispatch of one hook.
const BAR: BenchBound = BenchBound::AtMostNs(300.0);

fn build_event(name: &str, payload: Value) -> Option<Event> {
    let origin = Origin { session: String::from("s"), turn: 1, agent: String::from("root"), ..Origin::default() };
    Some(Event::new(EventName::parse(name).ok()?, payload, Arc::new(origin)))
}

/// Builds a runtime with the hooks that `register` registers.
fn build_runtime(register: impl Fn(&Runtime) -> bool) -> Option<Arc<Runtime>> {
    let runtime = Runtime::builder().load().runtime;
    register(&runtime).then_some(runtime)
}

fn run_bench() -> Option<ExitCode> {
    let args = json!({"command": "ls -la", "padding": "x".repeat(200)});
    let call = json!({"id": "call_1", "name": "run_command", "arguments": args.to_string(), "args": args});
    let call = build_event("tool.pre", call)?;
    let prompt = build_event("prompt.submit", json!({"prompt": "fix the failing test"}))?;

    let reads = |runtime: &Runtime| {
        let hook = ToolHook::for_tools("run_*").pre(|event| {
            let command = event.tool_arg("command")?.as_str()?;
            command.contains("mkfs").then(|| HookReturn::deny("no"))
        });
        runtime.register_tool_hook(hook).is_ok()
    };
    let denies = |runtime: &Runtime| {
        let hook = ToolHook::for_tools("run_*")
            .pre(|event| (event.tool_arg("command")?.as_str()? == "ls -la").then(|| HookReturn::deny("no listing")));
        runtime.register_tool_hook(hook).is_ok()
    };
    let asks = |runtime: &Runtime| {
        let guard = |event: &pintle_host::HookEvent<'_>| {
            event.prompt()?.contains("secret").then(|| HookReturn::block("policy violation"))
        };
        runtime.register_session_hook("user_prompt_submit", guard).is_ok()
    };
    let blocks = |runtime: &Runtime| {
        let guard = |event: &pintle_host::HookEvent<'_>| {
            event.prompt()?.contains("test").then(|| HookReturn::block("policy violation"))
        };
        runtime.register_session_hook("user_prompt_submit", guard).is_ok()
    };
    let crowd = |pattern: fn(usize) -> String| {
        build_runtime(move |runtime| {
            let others = (0..1_000).all(|number| {
                let other = ToolHook::for_tools(pattern(number)).pre(|_| HookReturn::deny("unreachable"));
                runtime.register_tool_hook(other).is_ok()
            });
            others && reads(runtime)
        })
    };

    let (reading, denying) = (build_runtime(reads)?, build_runtime(denies)?);
    let (asking, blocking) = (build_runtime(asks)?, build_runtime(blocks)?);
    let static_deny =
        build_runtime(|runtime| runtime.register_tool_hook(ToolHook::for_tools("run_*").deny("gated")).is_ok())?;
    let nothing = build_runtime(|_| true)?;
    let mut report = BenchReport::new("closures of the host program, through Runtime::fire");
    report.compare("no hook", BenchBound::AtMostNs(100.0), || nothing.fire(&call), || 0);
    report.compare("a tool hook that reads an argument and passes", BAR, || reading.fire(&call), || 0);
    report.compare("a session hook that reads the prompt and passes", BAR, || asking.fire(&prompt), || 0);
    report.compare("a tool hook that denies", BAR, || denying.fire(&call), || 0);
    report.compare("a session hook that blocks", BAR, || blocking.fire(&prompt), || 0);
    report.compare("a tool hook `deny` without a closure", BAR, || static_deny.fire(&call), || 0);
    let names = crowd(|number| format!("tool_{number}"))?;
    let most = BenchBound::AtMostTimes(1.10);
    report.compare("1,000 others by name, against it alone", most, || names.fire(&call), || reading.fire(&call));
    let equal = crowd(|number| format!("tool.name == \"tool_{number}\""))?;
    report.compare("1,000 others by `==`, against it alone", most, || equal.fire(&call), || reading.fire(&call));
    let globs = crowd(|number| format!("tool_{number}_*"))?;
    report.compare(
        "1,000 other globs, against it alone",
        BenchBound::None,
        || globs.fire(&call),
        || reading.fire(&call),
    );

    let start = Instant::now();
    let _thousand = crowd(|number| format!("tool_{number}"))?;
    let each_ns = start.elapsed().as_secs_f64() * 1e9 / 1_000.0;
    // Harn takes 3.5 ms for each.
    report.check("registering 1,000, each", BenchBound::AtMostNs(1e6), each_ns);
    Some(report.finish())
}

fn main() -> ExitCode {
    run_bench().unwrap_or(ExitCode::FAILURE)
}
