//! What hooks cause does not belong to the step: it is not charged to it, and its origin names no step.

use std::fs;
use std::sync::Arc;

use pintle_agent::Session;
use pintle_agent::model::ModelReply;
use pintle_host::contract::{AgentSpec, Location, MetaSpec, ScriptSource, StepSpec, ToolSpec};
use pintle_host::{Layer, Runtime};
use serde_json::json;

use crate::persona::fixture::*;
use crate::support::{QueuedReplyModel, RecordingSleeper, agent, call, say, worker};

/// A hook that delegates to another agent when a tool is called, and a tool that does the same.
const DELEGATES: &str = "meta.call_tool(\"delegate\", {\"agent\": \"helper\", \"task\": \"look\"})";

fn costly_call_reply() -> crate::support::QueuedReply {
    let Ok(reply) = say("looked") else { unreachable!() };
    Ok(ModelReply { usage: pintle_agent::model::ModelUsage { input_tokens: 5_000, output_tokens: 0 }, ..reply })
}

/// Runs a step with a tool call. `by_hook` says which of the two delegates: a hook of the tool call, or the tool
/// itself.
fn measure_usage(by_hook: bool) -> (u64, Vec<String>) {
    let project = tempfile::tempdir().unwrap();
    let hooks = project.path().join(".harness/hooks");
    fs::create_dir_all(&hooks).unwrap();
    if by_hook {
        let script = format!(
            "def handle(event, payload):\n    if payload[\"name\"] == \"plain\":\n        {DELEGATES}\n    return allow()\n"
        );
        let script: String = script.lines().map(|line| format!("  {line}\n")).collect();
        fs::write(hooks.join("busy.md"), format!("---\nevent: tool.pre\ntools: [delegate]\nscript: |\n{script}---\n"))
            .unwrap();
    }
    let built = Runtime::builder().path(project.path(), Layer::Project).worker(worker()).load();
    assert!(!built.has_errors(), "{:?}", built.diagnostics);
    let body = if by_hook { String::from("pass") } else { DELEGATES.to_owned() };
    let tool = ToolSpec {
        name: String::from("plain"),
        description: String::from("A tool."),
        parameters: json!({"type": "object", "properties": {}}),
        script: Some(ScriptSource::without_file(format!("def run(args):\n    {body}\n    return \"ran\"\n"))),
        timeout_ms: 60_000,
        verify: None,
        location: Location::default(),
    };
    let helper = AgentSpec { name: String::from("helper"), ..AgentSpec::default() };
    let spec = AgentSpec {
        tools: vec![tool],
        agents: vec![Arc::new(helper)],
        meta: MetaSpec { enabled: true, ..MetaSpec::default() },
        ..agent()
    };
    let model = QueuedReplyModel::root([call(&[("plain", "{}")]), say("done")]);
    model.add("helper", [costly_call_reply()]);
    let heard = SharedLines::default();
    let told = heard.clone();
    let hook = pintle_host::ToolHook::for_tools("*").pre(move |event| {
        told.add(format!("{} in {}/{}", event.tool_name().unwrap_or(""), event.persona(), event.step()));
    });
    built.runtime.register_tool_hook(hook).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let builder = Session::builder(Arc::clone(&built.runtime), spec, model.clone()).workspace(dir.path()).name("s");
    let mut session = builder.sleeper(Arc::new(RecordingSleeper::default())).build().unwrap();
    let captain = persona_spec("captain", [StepSpec::new("audit")]);
    let mut captain = session.persona(&captain).unwrap();
    captain.step("audit", json!([]), |step| Ok(json!(step.run_prompt("go")?.text))).unwrap();
    let used = captain.usage();
    assert_eq!(model.count(), 3, "the other agent worked");
    (used.usage.input_tokens, heard.all())
}

#[test]
fn what_a_tool_does_is_charged_and_what_a_hook_does_is_not() {
    let (by_tool, heard) = measure_usage(false);
    assert_eq!(by_tool, 5_020);
    assert_eq!(heard, ["plain in captain/audit", "delegate in captain/audit"]);
    let (by_hook, heard) = measure_usage(true);
    assert_eq!(by_hook, 20);
    assert_eq!(heard, ["delegate in /", "plain in captain/audit"]);
}
