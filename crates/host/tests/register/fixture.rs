//! A runtime for these tests, and events as a session fires them.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::sync::Arc;

use pintle_host::{Diagnostic, Event, EventName, Origin, Outcome, Runtime};
pub(crate) use pintle_testkit::SharedLines;
use serde_json::{Value, json};

pub(crate) fn build_runtime() -> Arc<Runtime> {
    Runtime::builder().build().unwrap()
}

pub(crate) fn test_origin() -> Arc<Origin> {
    Arc::new(Origin {
        session: String::from("s"),
        turn: 2,
        agent: String::from("root"),
        persona: String::from("merge_captain"),
        step: String::from("audit"),
        cwd: String::from("/tree"),
        ..Origin::default()
    })
}

/// An event with some of its payload; the rest is blank.
pub(crate) fn build_event(name: &str, mut payload: Value) -> Event {
    let name = EventName::parse(name).unwrap();
    name.complete(&mut payload).unwrap();
    Event::new(name, payload, test_origin())
}

pub(crate) fn call_event(tool: &str, args: Value) -> Event {
    build_event("tool.pre", json!({"id": "1", "name": tool, "args": args}))
}

pub(crate) fn result_event(tool: &str, content: &str) -> Event {
    build_event("tool.post", json!({"call_id": "1", "name": tool, "content": content}))
}

/// The failures of an outcome as `hook: kind: message` lines.
pub(crate) fn describe_failures(outcome: &Outcome) -> Vec<String> {
    outcome.failures.iter().map(|report| format!("{}: {}", report.hook, report.failure)).collect()
}

/// The diagnostics, each with its next step.
pub(crate) fn describe_diagnostics(found_hooks: &[Diagnostic]) -> Vec<String> {
    found_hooks
        .iter()
        .map(|diagnostic| format!("{diagnostic}; {}", diagnostic.help.as_deref().unwrap_or_default()))
        .collect()
}
