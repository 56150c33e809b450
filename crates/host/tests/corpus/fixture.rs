//! Runs one case.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use pintle_host::contract::LogLevel;
use pintle_host::{Event, EventName, EventScope, FailurePolicy, Layer, LoadedRuntime, Origin, Outcome, Runtime};
use serde_json::{Map, Value, json};

use crate::corpus::case::{CaseFile, CorpusCase};
use crate::worker::worker;

fn load_hooks(path: &Path) -> LoadedRuntime {
    let built = Runtime::builder().path(path, Layer::Project).worker(worker()).load();
    let faults: Vec<String> = built.diagnostics.iter().map(ToString::to_string).collect();
    assert!(!built.has_errors(), "{faults:#?}");
    built
}

fn build_event(name: &str, payload: &Value) -> Event {
    let name = EventName::parse(name).unwrap();
    let mut payload = payload.clone();
    name.complete(&mut payload).unwrap_or_else(|error| panic!("{name} {payload}: {error}"));
    Event::new(name, payload, Arc::new(Origin::default()))
}

/// Runs a case in its own runtime; `Err` describes the actual outcome.
pub(crate) fn run_case(file: &CaseFile, case: &CorpusCase) -> Result<(), String> {
    let dir = tempfile::tempdir().unwrap();
    let hooks = dir.path().join(".harness/hooks");
    fs::create_dir_all(&hooks).unwrap();
    for (name, text) in &file.hooks {
        fs::write(hooks.join(format!("{name}.md")), text).unwrap();
    }
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let built = load_hooks(&file.project.as_ref().map_or(dir.path().to_owned(), |project| repository.join(project)));
    for (name, payload) in &case.setup_events {
        drop(built.runtime.fire(&build_event(name, payload)));
    }
    let scope = EventScope::default();
    let outcome = built.runtime.fire_in(&build_event(&case.event, &case.payload), &scope);
    let came = describe_outcome(&outcome, &scope, built.runtime.metrics());
    if came == case.expect {
        return Ok(());
    }
    Err(format!("  expected {}\n  came     {}", Value::Object(case.expect.clone()), Value::Object(came)))
}

/// The complete outcome of a dispatch; absent fields mean that nothing happened.
fn describe_outcome(outcome: &Outcome, scope: &EventScope, metrics: Map<String, Value>) -> Map<String, Value> {
    let listed = |lines: Vec<String>| (!lines.is_empty()).then(|| json!(lines));
    let logs = scope.logs.take_lines().into_iter().map(|line| match line.level {
        LogLevel::Info => line.message,
        LogLevel::Warn => format!("warning: {}", line.message),
    });
    let failures = outcome.failures.iter().map(|report| {
        let policy = if report.policy == FailurePolicy::Closed { "closed" } else { "open" };
        format!("{} fails {policy}: {}", report.hook, report.failure.message)
    });
    let warnings = outcome.warnings.iter().map(|warning| format!("{}: {}", warning.hook, warning.message));
    let fields = [
        ("decision", Some(json!(outcome.decision))),
        ("reason", Some(outcome.reason()).filter(|reason| !reason.is_empty()).map(Value::from)),
        ("payload", outcome.rewritten.then(|| outcome.payload.value().clone())),
        ("metrics", (!metrics.is_empty()).then_some(Value::Object(metrics))),
        ("logs", listed(logs.collect())),
        ("warnings", listed(warnings.collect())),
        ("failures", listed(failures.collect())),
    ];
    fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}
