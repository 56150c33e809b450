//! Benchmarks a function of a Starlark plugin: a whole dispatch through the runtime, including the conversion of its
//! event.
//!
//! Each dispatch gets its own event, as in a session, because converted fields are cached in the event. Creating the
//! event is the host's work; it is measured separately and subtracted.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use pintle_host::{Event, EventName, Layer, Origin, Runtime};
use pintle_testkit::bench::{BenchBound, BenchReport};
use serde_json::{Value, json};

/// The time limit of a dispatch.
const BAR: BenchBound = BenchBound::AtMostNs(2_000.0);

/// The plugins, each in its own file.
const PLUGINS: [(&str, &str); 6] = [
    (
        "tool_passes",
        "def pre(event):\n    if \"mkfs\" in event[\"tool\"][\"args\"][\"command\"]:\n        return {\"deny\": \"no\"}\n    \
         return None\n\n\nregister_tool_hook({\"pattern\": \"run_*\", \"pre\": pre})\n",
    ),
    (
        "tool_denies",
        "register_tool_hook({\"pattern\": \"run_*\", \"pre\": lambda event: {\"deny\": event[\"tool\"][\"name\"] + \" is gated\"}})\n",
    ),
    (
        "prompt_passes",
        "def guard(event):\n    if \"secret\" in event.get(\"prompt\", \"\"):\n        \
         return {\"block\": True, \"reason\": \"policy violation: secret in prompt\"}\n    return None\n\n\n\
         register_session_hook(\"user_prompt_submit\", guard)\n",
    ),
    (
        "prompt_blocks",
        "def guard(event):\n    if \"test\" in event.get(\"prompt\", \"\"):\n        \
         return {\"block\": True, \"reason\": \"policy violation: test in prompt\"}\n    return None\n\n\n\
         register_session_hook(\"user_prompt_submit\", guard)\n",
    ),
    ("whole_event", "register_tool_hook({\"pattern\": \"run_*\", \"pre\": lambda event: None if event else event})\n"),
    ("native_deny", "register_tool_hook({\"pattern\": \"run_*\", \"deny\": \"gated\"})\n"),
];

fn build_runtime(dir: &Path, name: &str) -> Option<Arc<Runtime>> {
    let built = Runtime::builder().path(dir.join(format!("{name}.star")), Layer::Project).load();
    (!built.has_errors() && built.declarations().next().is_some()).then_some(built.runtime)
}

fn run_bench() -> Option<ExitCode> {
    let dir = tempfile::tempdir().ok()?;
    for (name, text) in PLUGINS {
        std::fs::write(dir.path().join(format!("{name}.star")), text).ok()?;
    }
    let (tool_pre, prompt_submit) = (EventName::parse("tool.pre").ok()?, EventName::parse("prompt.submit").ok()?);
    let origin = Arc::new(Origin {
        session: String::from("20261122-051500-4f2a"),
        turn: 3,
        agent: String::from("root"),
        cwd: String::from("/home/user/project"),
        ..Origin::default()
    });
    let call = |padding: usize| {
        let args = json!({"command": "cargo test --workspace", "timeout_ms": 60_000, "padding": "x".repeat(padding)});
        let text = args.to_string();
        json!({"id": "call_1", "name": "run_command", "arguments": text, "args": args, "read_only": false})
    };
    let (small, large) = (call(100), call(64 << 10));
    let prompt = json!({"prompt": "fix the failing test in crates/engine and say what was wrong", "source": "user"});
    let event = |name: &EventName, payload: &Value| Event::new(name.clone(), payload.clone(), Arc::clone(&origin));

    let mut report = BenchReport::new("functions of a Starlark plugin, through Runtime::fire");
    let rows = [
        ("a tool hook that reads an argument and passes", "tool_passes", &tool_pre, &small, BAR),
        ("a tool hook that reads the name and denies", "tool_denies", &tool_pre, &small, BAR),
        ("a session hook that reads the prompt and passes", "prompt_passes", &prompt_submit, &prompt, BAR),
        ("a session hook that blocks", "prompt_blocks", &prompt_submit, &prompt, BAR),
        ("a tool hook that may read all of the event", "whole_event", &tool_pre, &small, BenchBound::None),
        ("64 KiB of arguments, a hook that reads another one", "tool_passes", &tool_pre, &large, BAR),
        ("64 KiB of arguments, a hook that reads the name", "tool_denies", &tool_pre, &large, BAR),
        ("`deny` without a function", "native_deny", &tool_pre, &small, BenchBound::None),
    ];
    for (label, plugin, name, payload, bar) in rows {
        let runtime = build_runtime(dir.path(), plugin)?;
        let whole = format!("{label}, with its event");
        let measured =
            report.compare(&whole, BenchBound::None, || runtime.fire(&event(name, payload)), || event(name, payload));
        report.check(label, bar, measured.thing_ns - measured.floor_ns);
    }
    Some(report.finish())
}

fn main() -> ExitCode {
    run_bench().unwrap_or(ExitCode::FAILURE)
}
