//! A runtime with one block of hooks.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use std::path::PathBuf;
use std::sync::Arc;

use pintle_host::contract::{ByteSpan, SourceFile};
use pintle_host::dialects::docker_agent::{DockerAgentVersion, ROWS, hooks};
use pintle_host::dialects::document::{FileReport, parse};
use pintle_host::{
    Decision, Diagnostic, Effect, Event, EventKind, EventName, FailurePolicy, Layer, Origin, Outcome, Runtime,
    RuntimeBuilder,
};
use serde_json::Value;

use crate::worker::worker;

/// A runtime, and the diagnostics of its block.
pub(crate) struct DockerHooksFixture {
    pub(crate) runtime: Arc<Runtime>,
    pub(crate) findings: Vec<Diagnostic>,
}

impl DockerHooksFixture {
    /// A runtime with the hooks of a block.
    pub(crate) fn from_block(block: &str) -> Self {
        Self::with_builder(block, DockerAgentVersion::Newest, Runtime::builder())
    }

    /// A runtime with the hooks of a block of the first version.
    pub(crate) fn from_v1_block(block: &str) -> Self {
        Self::with_builder(block, DockerAgentVersion::G1, Runtime::builder())
    }

    /// A runtime with the hooks of a block, and a prepared builder.
    pub(crate) fn with_builder(block: &str, version: DockerAgentVersion, builder: RuntimeBuilder) -> Self {
        let file = Arc::new(SourceFile { path: PathBuf::from("agent.yaml"), text: block.to_owned() });
        let report = FileReport::new(file, "");
        let node = parse(&report, ByteSpan { start: 0, end: block.len() }).unwrap().unwrap();
        let declared = hooks::read(&report, &node, version);
        let mut findings = report.into_diagnostics();
        let compiler = builder.worker(worker()).build().unwrap();
        let (chains, more) = compiler.compile_chains("agent.yaml", Layer::Agent, &declared);
        findings.extend(more);
        let builder = chains.into_iter().fold(Runtime::builder(), RuntimeBuilder::chain);
        Self { runtime: builder.build().unwrap(), findings }
    }

    /// Fires the example of an event, with some fields replaced.
    pub(crate) fn fire(&self, name: &str, fields: Value) -> Outcome {
        self.runtime.fire(&example_event(name, fields))
    }
}

/// The example of an event, with some fields replaced; `pre_tool_use+preempt` stands for preempting hooks.
pub(crate) fn example_event(name: &str, fields: Value) -> Event {
    let canonical = match name {
        "pre_tool_use+preempt" => EventKind::ToolGuard,
        name => ROWS.iter().find(|def| def.name == name).unwrap().canonical,
    };
    let def = canonical.def();
    let mut payload = def.example();
    if def.is_about_tool_call() {
        payload.as_object_mut().unwrap().insert(String::from("vocabulary"), Value::from("docker_agent"));
    }
    if let (Value::Object(payload), Value::Object(fields)) = (&mut payload, fields) {
        payload.extend(fields);
    }
    let name = EventName::from(canonical);
    name.complete(&mut payload).unwrap();
    let origin = Origin { session: String::from("s1"), agent: String::from("root"), ..Origin::default() };
    Event::new(name, payload, Arc::new(origin))
}

/// A block with one command hook for an event.
pub(crate) fn hook_block(name: &str, fields: &str, script: &str) -> String {
    let quoted = serde_json::to_string(script).unwrap();
    let hook = format!("{{type: command, command: {quoted}{fields}}}");
    match name {
        "pre_tool_use+preempt" => format!("pre_tool_use:\n  - preempt_yolo: true\n    hooks: [{hook}]\n"),
        name if ROWS.iter().any(|def| def.name == name && def.matcher) => format!("{name}:\n  - hooks: [{hook}]\n"),
        name => format!("{name}: [{hook}]\n"),
    }
}

/// An outcome in the notation of the tables.
pub(crate) fn describe_outcome(outcome: &Outcome) -> String {
    let failed = |policy| outcome.failures.iter().any(|report| report.policy == policy);
    let stops = outcome.stop_reason().is_some();
    let mut words = vec![match (outcome.decision, failed(FailurePolicy::Closed)) {
        (Decision::Deny, true) => String::from(if stops { "stop by failure" } else { "deny by failure" }),
        (Decision::Deny, false) => {
            let texts: Vec<&str> = outcome.reasons.iter().map(|reason| reason.text.as_str()).collect();
            format!("{}: {}", if stops { "stop" } else { "deny" }, texts.join(" / "))
        }
        (Decision::Ask, _) => String::from("ask"),
        (Decision::Allow, _) => String::from("allow"),
    }];
    let mut add = |holds: bool, word: &str| {
        if holds {
            words.push(word.to_owned());
        }
    };
    add(outcome.approved, "approved");
    add(outcome.effects.iter().any(|(_, effect)| matches!(effect, Effect::Context(_))), "context");
    add(outcome.effects.iter().any(|(_, effect)| matches!(effect, Effect::Notice(_))), "notice");
    add(failed(FailurePolicy::Open), "failure shown");
    add(failed(FailurePolicy::Ignored), "failure ignored");
    add(!outcome.warnings.is_empty(), "warned");
    words.join(", ")
}

/// The contexts of an outcome, in order.
pub(crate) fn context_texts(outcome: &Outcome) -> Vec<&str> {
    let texts = outcome.effects.iter().filter_map(|(_, effect)| match effect {
        Effect::Context(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

/// The only text of a list.
pub(crate) fn single_text(texts: &[String]) -> &str {
    let [text] = texts else { panic!("{texts:?}") };
    text
}

/// A block with several command hooks for an event, in order.
pub(crate) fn hooks_block(name: &str, scripts: &[&str]) -> String {
    let hook = |script: &&str| format!("{{type: command, command: {}}}", serde_json::to_string(script).unwrap());
    let hooks = scripts.iter().map(hook).collect::<Vec<_>>().join(", ");
    match ROWS.iter().any(|def| def.name == name && def.matcher) {
        true => format!("{name}:\n  - hooks: [{hooks}]\n"),
        false => format!("{name}: [{hooks}]\n"),
    }
}

/// A script that prints an object whose `hook_specific_output` has these fields.
pub(crate) fn specific_output_script(fields: &str) -> String {
    format!("cat >/dev/null; echo '{{\"hook_specific_output\":{{{fields}}}}}'")
}
