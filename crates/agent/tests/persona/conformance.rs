//! Harn's conformance checks about personas and steps, with the same meaning in Rust (see docs/specs/harn.md). Each
//! test is named after its check.

use std::fs;
use std::sync::Arc;

use pintle_agent::Session;
use pintle_host::contract::{BudgetSpec, ErrorBoundary, PersonaSpec, StepSpec};
use pintle_host::{HookReturn, Layer, Runtime, ToolHook};
use serde_json::json;

use crate::persona::fixture::*;
use crate::support::{QueuedReplyModel, RecordingSleeper, agent, call, message_lines, say, worker};

/// `scenarios/persona_hooks`: a persona hook comes before a step hook that was registered after it, the body sees the
/// arguments after both, `PostStep` rewrites the output, a tool hook inside the step composes with them, and the order
/// is 1, 10, 100.
#[test]
fn scenarios_persona_hooks() {
    let order = SharedLines::default();
    // A guard is called again if a later hook changed the arguments, so a rewrite must recognize its own result.
    let adds = |amount: i64, word: &'static str| {
        let order = order.clone();
        move |event: &pintle_host::HookEvent<'_>| {
            let mut args = event.step_args().to_vec();
            if args.contains(&json!(amount)) {
                return HookReturn::allow();
            }
            order.add(word);
            args.push(json!(amount));
            HookReturn::args(args)
        }
    };
    let mut fixture = open_fixture([call(&[("exec_ls", "{}"), ("look", "{}")]), say("merged")], |runtime| {
        runtime.register_persona_hook("merge_*", "PreStep", adds(1, "persona")).unwrap();
        runtime.register_step_hook("merge_*", "merge", "PreStep", adds(10, "step")).unwrap();
        runtime.register_step_hook("merge_*", "other", "PreStep", adds(1_000, "another step")).unwrap();
        runtime.register_step_hook("triage", "merge", "PreStep", adds(1_000, "another persona")).unwrap();
        runtime.register_persona_hook("merge_*", "PreStep", adds(100, "persona again")).unwrap();
        runtime
            .register_persona_hook("*", "PostStep", |event| {
                let output = event.output().unwrap()["text"].clone();
                HookReturn::output(json!({"text": output, "reviewed": true}))
            })
            .unwrap();
        runtime.register_tool_hook(ToolHook::for_tools("exec_*").deny("exec is gated")).unwrap();
    });
    let spec = persona_spec("merge_captain", [StepSpec::new("merge")]);
    let output = fixture.session.persona(&spec).unwrap().step("merge", json!([0]), |step| {
        assert_eq!(step.args(), [0, 1, 10, 100].map(|number| json!(number)));
        let answer = step.run_prompt("merge it")?;
        let results: Vec<&str> = answer.tool_results.iter().map(|result| result.content.as_str()).collect();
        assert!(results[0].contains("exec is gated"), "{results:?}");
        assert_eq!(results[1], "look ran");
        Ok(json!({"text": answer.text}))
    });
    assert_eq!(order.all(), ["persona", "step", "persona again"]);
    assert_eq!(output.unwrap(), json!({"text": "merged", "reviewed": true}));
}

/// `scenarios/attributes_step`: the declaration of a step (name, model, budget, error boundary) applies while it runs,
/// each run is counted separately, and hooks see its function.
#[test]
fn scenarios_attributes_step() {
    let model = pintle_host::contract::ModelSpec {
        name: String::from("small"),
        provider: String::new(),
        base_url: None,
        api_key_env: None,
        max_tokens: None,
        temperature: None,
        retry: pintle_host::contract::RetrySpec::default(),
    };
    let spec = StepSpec {
        function: String::from("verify_change"),
        model: Some(model),
        budget: BudgetSpec { max_tokens: Some(100), max_usd: None },
        error_boundary: ErrorBoundary::Continue,
        ..StepSpec::new("verify")
    };
    let mut fixture =
        open_fixture([costly_reply(80, 0), costly_reply(80, 0), costly_reply(80, 0), say("outside")], |_| {});
    let ask = |session: &mut Session, times: usize| {
        session.step(&spec, json!([]), |step| {
            for _ in 0..times {
                step.run_prompt("go")?;
            }
            Ok(json!(step.usage().usage.total_tokens))
        })
    };
    assert_eq!(ask(&mut fixture.session, 1).unwrap(), json!(80));
    let spent = ask(&mut fixture.session, 2).unwrap();
    assert_eq!((&spent["category"], &spent["function"]), (&json!("budget_exceeded"), &json!("verify_change")));
    assert_eq!(spent["error_boundary"], json!("continue"));
    fixture.session.turn("outside").unwrap();
    let models: Vec<String> = (0..4).map(|index| fixture.model.request(index).model).collect();
    assert_eq!(models, ["small", "small", "small", ""]);
    let records = fixture.records();
    let pre = records.iter().find(|record| record["event"] == "step.pre").unwrap();
    assert_eq!(pre["payload"], json!({"persona": "", "step": "verify", "function": "verify_change", "args": []}));
}

/// `scenarios/attributes_durable_persona`: the state of a persona is kept for the session, however often it is opened:
/// its usage, and that it is paused.
#[test]
fn scenarios_attributes_durable_persona() {
    let mut fixture = open_fixture([costly_reply(40, 0), costly_reply(40, 0), costly_reply(40, 0)], |_| {});
    let budget = BudgetSpec { max_tokens: Some(100), max_usd: None };
    let spec = PersonaSpec { budget, ..persona_spec("nightly", [StepSpec::new("triage")]) };
    let triage = |session: &mut Session| {
        session.persona(&spec).unwrap().step("triage", json!([]), |step| Ok(json!(step.run_prompt("go")?.text)))
    };
    triage(&mut fixture.session).unwrap();
    triage(&mut fixture.session).unwrap();
    assert_eq!(fixture.session.persona(&spec).unwrap().usage().usage.total_tokens, 80);
    fixture.session.persona(&spec).unwrap().pause("maintenance");
    assert_eq!(triage(&mut fixture.session).unwrap_err().category(), "persona_paused");
    fixture.session.persona(&spec).unwrap().resume("over");
    assert_eq!(triage(&mut fixture.session).unwrap_err().to_value()["reason"], json!("persona_budget_exhausted"));
}

/// `scenarios/manifest_persona_hooks_runtime`: `[[hooks]]` of a manifest find a step by `persona.step`, see the payload
/// that Harn describes, and rewrite arguments and output.
#[test]
fn scenarios_manifest_persona_hooks_runtime() {
    let package = tempfile::tempdir().unwrap();
    let manifest = r#"
[package]
name = "team"

[[hooks]]
event = "PreStep"
pattern = "merge_captain.audit"
handler = "policy::before"

[[hooks]]
event = "PostStep"
pattern = "merge_captain.audit"
handler = "policy::after"

[[personas]]
name = "merge_captain"

[[personas.steps]]
name = "audit"
prompt = "audit {{args.0}}"

[[personas.steps]]
name = "merge"
prompt = "merge {{args.0}} after {{steps.audit}}"
"#;
    let policy = r#"
def before(event):
    step = event["step"]
    if event["target"] != "merge_captain.audit" or event["persona"] != "merge_captain" or step["name"] != "audit":
        return {"deny": "an odd payload"}
    return {"args": [step["args"][0] + "!"]}

def after(event):
    return {"output": event["output"] + ", says the auditor"}
"#;
    fs::write(package.path().join("harn.toml"), manifest).unwrap();
    fs::write(package.path().join("policy.star"), policy).unwrap();
    let built = Runtime::builder().path(package.path(), Layer::Project).worker(worker()).load();
    assert!(!built.has_errors(), "{:?}", built.diagnostics);
    let spec = PersonaSpec::clone(&built.personas[0]);
    let model = QueuedReplyModel::root([say("sound"), say("merged")]);
    let dir = tempfile::tempdir().unwrap();
    let builder = Session::builder(Arc::clone(&built.runtime), agent(), model.clone()).workspace(dir.path()).name("s");
    let mut session = builder.sleeper(Arc::new(RecordingSleeper::default())).build().unwrap();
    let outputs = session.persona(&spec).unwrap().run(json!(["main"])).unwrap();
    assert_eq!(outputs, json!({"audit": "sound, says the auditor", "merge": "merged"}));
    let asked: Vec<String> = (0..2).map(|index| message_lines(&model.request(index)).pop().unwrap()).collect();
    assert_eq!(asked, ["user: audit main!", "user: merge main after sound, says the auditor"]);
}
