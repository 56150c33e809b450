//! Hooks that a language model decides, from the file to the outcome.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use pintle_agent::model::{Model, RemoteModel, ScriptModel};
use pintle_agent::{ModelJudge, ModelOpener};
use pintle_host::contract::{Failure, FailureKind, JudgeRequest, ModelSpec};
use pintle_host::{CancelToken, Decision, Effect, Event, EventName, Judge, Origin, Outcome, Runtime};
use pintle_testkit::model_server::{ModelServer, ScriptedReply, ServerAnswer};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Opens models that play this script, whatever their name, and counts them.
fn script_opener(text: &str, opened: &Arc<AtomicUsize>) -> Box<ModelOpener> {
    let (text, opened) = (text.to_owned(), Arc::clone(opened));
    Box::new(move |spec| {
        opened.fetch_add(1, Ordering::Relaxed);
        Ok(Arc::new(ScriptModel::parse(&spec.name, &text)?) as Arc<dyn Model>)
    })
}

/// Opens models of a server on this machine.
fn server_opener(server: &ModelServer) -> Box<ModelOpener> {
    let url = server.url("/v1");
    Box::new(move |spec| {
        let spec = ModelSpec { base_url: Some(url.clone()), api_key_env: Some(String::from("KEY")), ..spec.clone() };
        Ok(Arc::new(RemoteModel::new(&spec, &|_| Some(String::from("secret")))?) as Arc<dyn Model>)
    })
}

/// A runtime with hooks of the user.
fn governed_runtime(hooks: &str, judge: Option<Arc<dyn Judge>>) -> Arc<Runtime> {
    let dir = TempDir::new().unwrap();
    let drop_ins = dir.path().join("hooks.d");
    std::fs::create_dir(&drop_ins).unwrap();
    std::fs::write(drop_ins.join("hooks.yaml"), hooks).unwrap();
    let builder = Runtime::builder().config_dir(Path::new(dir.path()));
    let built = judge.into_iter().fold(builder, |builder, judge| builder.judge(judge)).load();
    let faults: Vec<String> = built.diagnostics.iter().map(|found| found.message.clone()).collect();
    assert!(!built.has_errors(), "{faults:?}");
    built.runtime
}

fn fire(runtime: &Runtime, event: &str, payload: Value) -> Outcome {
    runtime.fire(&Event::new(EventName::parse(event).unwrap(), payload, Arc::new(Origin::default())))
}

fn fire_tool_call(runtime: &Runtime) -> Outcome {
    let args = json!({"cmd": "rm -r build"});
    fire(runtime, "tool.pre", json!({"id": "1", "name": "shell", "arguments": args.to_string(), "args": args}))
}

const JUDGED: &str = r#"
pre_tool_use:
  - matcher: shell
    hooks:
      - name: judge
        type: model
        model: openai/gpt-4o-mini
        schema: pre_tool_use_decision
        timeout: 5
        prompt: "May `{{ .ToolName }}` run {{ toJSON .ToolInput }}, in short {{ truncate 4 .ToolInput.cmd }}?"
"#;

/// The outcome of [`JUDGED`] if the model replies this: the decision, the reason, and the notices for the user.
fn judge_outcome(reply: &str) -> (Decision, String, Vec<String>) {
    let script = json!({"agents": {"judge": [{"say": reply}]}}).to_string();
    let judge = ModelJudge::new(script_opener(&script, &Arc::default()));
    let outcome = fire_tool_call(&governed_runtime(JUDGED, Some(Arc::new(judge))));
    let told = outcome.effects.iter().filter_map(|(_, effect)| match effect {
        Effect::Notice(text) => Some(text.clone()),
        _ => None,
    });
    let reasons = outcome.reasons.iter().map(|reason| reason.text.as_str()).collect::<Vec<_>>().join("\n");
    (outcome.decision, reasons, told.collect())
}

#[test]
fn what_a_judge_decides_is_decided() {
    let told = |text: &str| vec![format!("🤖 model judge: {text}")];
    let allow = (Decision::Allow, String::from("only a build"), told("allow — only a build"));
    assert_eq!(judge_outcome(r#"{"decision": "allow", "reason": "only a build"}"#), allow);
    assert_eq!(judge_outcome("Sure:\n```json\n{\"decision\": \"ALLOW\", \"reason\": \"only a build\"}\n```"), allow);
    let deny = (Decision::Deny, String::from("no reason provided"), told("deny — no reason provided"));
    assert_eq!(judge_outcome(r#"{"decision": "deny", "reason": ""}"#), deny);
    let ask = String::from("hm; denied because it needs approval and nothing can request one");
    assert_eq!(judge_outcome(r#"{"decision": "ask", "reason": "hm"}"#), (Decision::Deny, ask, told("ask — hm")));
}

#[test]
fn what_a_judge_cannot_decide_is_denied_where_a_call_is_guarded() {
    let refused = |failure: &str| {
        let text = format!("denied because hook `judge` failed ({failure}) and its failure policy is `closed`");
        (Decision::Deny, text, Vec::new())
    };
    let cases = [
        ("fine by me", "bad output: no JSON object in reply"),
        (r#"{"decision": "maybe"}"#, r#"bad output: invalid decision "maybe" (want allow|ask|deny)"#),
    ];
    for (reply, failure) in cases {
        assert_eq!(judge_outcome(reply), refused(failure), "{reply}");
    }
    // A model that fails, one that cannot be opened, and no judge at all.
    let broken = r#"{"agents": {"judge": [{"error": {"message": "overloaded"}}]}}"#;
    let judge: Arc<dyn Judge> = Arc::new(ModelJudge::new(script_opener(broken, &Arc::default())));
    let reasons = |judge| {
        fire_tool_call(&governed_runtime(JUDGED, judge)).reasons.first().map(|reason| reason.text.clone()).unwrap()
    };
    assert_eq!(reasons(Some(judge)), refused("error: the model `openai/gpt-4o-mini`: overloaded").1);
    assert_eq!(
        reasons(None),
        refused("missing program: cannot call a language model: this runtime does not have a judge").1
    );
}

#[test]
fn a_reply_without_a_schema_is_context() {
    let hooks = "
turn_start:
  - {type: model, model: 'script:one.yaml', prompt: 'Say something about {{ .SessionID }}.'}
  - {type: model, model: 'script:one.yaml', prompt: 'And something else.'}
";
    let opened = Arc::new(AtomicUsize::new(0));
    let script = r#"{"agents": {"judge": {"conversations": [
        [{"expect": {"contains": "And something else."}, "say": "  be kind "}],
        [{"expect": {"contains": "Say something about"}, "say": "be brief"}]
    ]}}}"#;
    let runtime = governed_runtime(hooks, Some(Arc::new(ModelJudge::new(script_opener(script, &opened)))));
    let outcome = fire(&runtime, "iteration.start", json!({"iteration": 1}));
    let said: Vec<&Effect> = outcome.effects.iter().map(|(_, effect)| effect).collect();
    // Two hooks that differ only in their prompt are two hooks; their results are in the order of the file.
    let context = |text: &str| Effect::Context(String::from(text));
    assert_eq!(said, [&context("be brief"), &context("be kind")]);
    assert_eq!(opened.load(Ordering::Relaxed), 1, "a model is opened once and kept");
}

#[test]
fn a_provider_gets_the_question_the_schema_and_nothing_of_the_agent() {
    let reply = ScriptedReply::from_text(r#"{"decision": "deny", "reason": "not today"}"#);
    let server = ModelServer::start(vec![ServerAnswer::Reply(reply)]).unwrap();
    let outcome = fire_tool_call(&governed_runtime(JUDGED, Some(Arc::new(ModelJudge::new(server_opener(&server))))));
    assert_eq!((outcome.decision, outcome.reasons[0].text.as_str()), (Decision::Deny, "not today"));
    let seen = server.requests();
    let body = &seen[0].body;
    assert_eq!(body["model"], json!("gpt-4o-mini"));
    let messages = body["messages"].as_array().unwrap();
    let text = |index: usize| messages[index]["content"].as_str().unwrap();
    assert_eq!(messages.len(), 2);
    assert!(
        text(0).contains("JSON Schema `pre_tool_use_decision`") && text(0).contains(r#""enum":["allow","ask","deny"]"#)
    );
    assert_eq!(text(1), r#"May `shell` run {"cmd":"rm -r build"}, in short rm -…?"#);
    assert_eq!(body.get("tools"), None);
}

fn judge_failure(judge: &ModelJudge, timeout_ms: u64, cancel: &CancelToken) -> (Failure, Duration) {
    let question =
        JudgeRequest { model: "openai/gpt-4o-mini", instruction: "judge", prompt: "?", schema: None, timeout_ms };
    let started = Instant::now();
    (judge.judge(&question, cancel).unwrap_err(), started.elapsed())
}

#[test]
fn a_silent_model_ends_with_the_deadline_and_with_a_cancel() {
    let server = ModelServer::start_with(|_| ServerAnswer::Silent).unwrap();
    let judge = ModelJudge::new(server_opener(&server));
    let (failure, took) = judge_failure(&judge, 300, &CancelToken::default());
    assert_eq!(failure.kind, FailureKind::Timeout);
    assert_eq!(failure.message, "the model `openai/gpt-4o-mini` gave no reply within 300 ms");
    assert!(took >= Duration::from_millis(300));
    let cancel = CancelToken::default();
    cancel.cancel();
    let (failure, took) = judge_failure(&judge, 60_000, &cancel);
    assert_eq!(failure.kind, FailureKind::Cancelled);
    assert!(took < Duration::from_secs(30), "the deadline was not waited for: {took:?}");
}

#[test]
fn a_model_that_nobody_knows_is_told_with_what_to_write() {
    let judge = ModelJudge::new(script_opener("agents: {judge: [{say: x}]}", &Arc::default()));
    let question = |model| JudgeRequest { model, instruction: "", prompt: "?", schema: None, timeout_ms: 1_000 };
    let failure = judge.judge(&question("opnai/gpt-4o"), &CancelToken::default()).unwrap_err();
    assert_eq!(failure.message, "unknown model provider `opnai`; did you mean `openai`?");
    assert_eq!(judge.judge(&question("script:any.yaml"), &CancelToken::default()), Ok(String::from("x")));
}
