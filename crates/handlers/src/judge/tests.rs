//! Tests the request that a judge gets, and how its reply is used.

use std::sync::{Arc, Mutex};

use pintle_contract::{
    BuiltHandler, CallId, CallLimits, CancelToken, Codec, DenyEffect, DispatchId, EnforcementMode, Event, EventName,
    Failure, FailureKind, FailurePolicy, Handler, HandlerFactory, HandlerOutput, HandlerSpec, HookDeclaration, Judge,
    JudgeRequest, JudgeSpec, LimitKind, Location, NoEffects, Origin, Profile, Verdict, VerdictKind,
};
use serde_json::{Value, json};

use crate::{DefaultHandlerFactory, WorkerProgram};

/// Encodes like a dialect of commands and decodes every reply as a reason to deny.
#[derive(Debug)]
struct DenyingCodec;

impl Codec for DenyingCodec {
    fn dialect(&self) -> &'static str {
        "denying"
    }

    fn encode(&self, event: &Event, event_alias: &str) -> Option<Value> {
        let value = event.payload.value();
        Some(json!({"hook_event_name": event_alias, "tool_name": value["name"], "tool_input": value["args"]}))
    }

    fn decode(&self, _event: &Event, _event_alias: &str, answer: HandlerOutput) -> Verdict {
        match answer {
            HandlerOutput::Text(reply) => Verdict::deny(reply),
            other => panic!("a model answers in text, not {other:?}"),
        }
    }
}

/// Returns a fixed reply and records the requests.
#[derive(Debug)]
struct RecordingJudge {
    reply: Result<String, Failure>,
    requests: Mutex<Vec<Value>>,
}

impl Judge for RecordingJudge {
    fn judge(&self, question: &JudgeRequest<'_>, _cancel: &CancelToken) -> Result<String, Failure> {
        self.requests.lock().unwrap().push(json!({
            "model": question.model,
            "prompt": question.prompt,
            "schema": question.schema.map(|(name, schema)| json!([name, schema["required"]])),
            "timeout_ms": question.timeout_ms,
            "instructed": question.instruction.len() > 40,
        }));
        self.reply.clone()
    }
}

fn judge_replying(reply: Result<&str, Failure>) -> Arc<RecordingJudge> {
    Arc::new(RecordingJudge { reply: reply.map(str::to_owned), requests: Mutex::default() })
}

fn judge_declaration(event: &str, prompt: &str, schema: Option<&str>) -> HookDeclaration {
    let spec = JudgeSpec {
        model: String::from("openai/gpt-4o-mini"),
        prompt: prompt.to_owned(),
        schema: schema.map(str::to_owned),
    };
    HookDeclaration {
        name: String::from("judge"),
        event: EventName::parse(event).unwrap(),
        event_alias: Arc::from("pre_tool_use"),
        priority: 0,
        matcher: None,
        handler: HandlerSpec::Model(spec),
        on_error: None,
        default_on_error: FailurePolicy::Open,
        on_deny: DenyEffect::default(),
        profile: Profile::ParallelStrictest,
        definition: None,
        mode: EnforcementMode::Enforce,
        timeout_ms: None,
        background: false,
        files: Vec::new(),
        tools: Vec::new(),
        source_trust: pintle_contract::SourceTrust::default(),
        examples: Vec::new(),
        location: Location::default(),
        codec: Arc::new(DenyingCodec),
    }
}

fn build_handler(declaration: &HookDeclaration, judge: Option<Arc<RecordingJudge>>) -> BuiltHandler {
    let builder = DefaultHandlerFactory::new(WorkerProgram { program: "none".into(), arguments: Vec::new() });
    match judge {
        Some(judge) => builder.with_judge(judge).build_handler(declaration),
        None => builder.build_handler(declaration),
    }
}

fn call_judge_hook(prompt: &str, judge: Option<Arc<RecordingJudge>>) -> Verdict {
    let handler = build_handler(&judge_declaration("tool.pre", prompt, None), judge).handler.unwrap();
    call_handler(
        &*handler,
        CallLimits { timeout_ms: 1_500, output_bytes: 64, ..CallLimits::default() },
        &CancelToken::default(),
    )
}

fn call_handler(handler: &dyn Handler, limits: CallLimits, cancel: &CancelToken) -> Verdict {
    let name = EventName::parse("tool.pre").unwrap();
    let payload = json!({"id": "1", "name": "shell", "args": {"cmd": "rm x"}, "arguments": "{}"});
    let event = Event::new(name.clone(), payload, Arc::new(Origin::default()));
    let hook = pintle_testkit::hook("judge", name, pintle_testkit::ScriptedHandler::from_verdicts([]));
    let hook = pintle_contract::Hook { event_alias: Arc::from("pre_tool_use"), ..hook };
    let call = pintle_contract::HookCall {
        dispatch: DispatchId(1),
        id: CallId(1),
        depth: 0,
        hook: &hook,
        layer: pintle_contract::Layer::Project,
        event: &event,
        limits: &limits,
        effects: &NoEffects,
        cancel,
    };
    handler.call(&call)
}

fn failure_of(verdict: Verdict) -> (FailureKind, String) {
    match verdict.kind {
        VerdictKind::Failed(failure) => (failure.kind, failure.message),
        other => panic!("a failure was expected, not {other:?}"),
    }
}

#[test]
fn the_question_is_the_template_filled_in_and_the_reply_goes_to_the_codec() {
    for (schema, forwarded) in
        [(None, json!(null)), (Some("pre_tool_use_decision"), json!(["pre_tool_use_decision", ["decision", "reason"]]))]
    {
        let judge = judge_replying(Ok("too risky"));
        let declaration = judge_declaration("tool.pre", "Is {{ .ToolName }} of {{ .ToolInput.cmd }} fine?", schema);
        let built = build_handler(&declaration, Some(Arc::clone(&judge)));
        let handler = built.handler.unwrap();
        assert_eq!((handler.kind(), handler.may_wait(), built.diagnostics.len()), ("model", true, 0));
        let limits = CallLimits { timeout_ms: 1_500, ..CallLimits::default() };
        assert_eq!(call_handler(&*handler, limits, &CancelToken::default()), Verdict::deny("too risky"));
        let question = json!({
            "model": "openai/gpt-4o-mini",
            "prompt": "Is shell of rm x fine?",
            "schema": forwarded,
            "timeout_ms": 1_500,
            "instructed": true,
        });
        assert_eq!(*judge.requests.lock().unwrap(), [question]);
    }
}

#[test]
fn a_model_that_gives_no_reply_is_a_failure_and_no_refusal() {
    let timeout = Failure::new(FailureKind::Timeout, "no reply within 1 s");
    assert_eq!(call_judge_hook("?", Some(judge_replying(Err(timeout.clone())))), Verdict::failed(timeout));
    let (kind, message) = failure_of(call_judge_hook("?", None));
    assert_eq!(kind, FailureKind::Missing);
    assert_eq!(message, "cannot call a language model: this runtime does not have a judge");
    let long = "x".repeat(65);
    let (kind, message) = failure_of(call_judge_hook("?", Some(judge_replying(Ok(&long)))));
    assert_eq!((kind, message.as_str()), (FailureKind::Limit(LimitKind::Output), "the reply has more than 64 bytes"));
}

#[test]
fn a_prompt_that_cannot_be_filled_in_asks_nobody() {
    let judge = judge_replying(Ok("fine"));
    let (kind, message) = failure_of(call_judge_hook("{{ .NoSuchField }}", Some(Arc::clone(&judge))));
    assert_eq!(kind, FailureKind::Error);
    assert!(message.starts_with("the prompt: "), "{message}");
    let handler = build_handler(&judge_declaration("tool.pre", "?", None), Some(Arc::clone(&judge))).handler.unwrap();
    let cancel = CancelToken::default();
    cancel.cancel();
    assert_eq!(failure_of(call_handler(&*handler, CallLimits::default(), &cancel)).0, FailureKind::Cancelled);
    assert!(judge.requests.lock().unwrap().is_empty());
}

#[test]
fn what_cannot_work_is_an_error_before_the_hook_is_asked() {
    let cases = [
        ("{{ .ToolName", None, "bad_template", "the prompt of the model hook is not a valid template: line 1, column "),
        ("fine", Some("pre_tool_use_decison"), "unknown_schema", "model hook: unknown schema `pre_tool_use_decison`"),
        ("fine", Some("verdict"), "unknown_schema", "model hook: unknown schema `verdict`"),
    ];
    for (prompt, schema, code, message) in cases {
        let built = build_handler(&judge_declaration("tool.pre", prompt, schema), None);
        assert!(built.handler.is_none(), "{prompt}");
        let found = &built.diagnostics[0];
        assert_eq!(found.code, code);
        assert!(found.message.starts_with(message), "{}", found.message);
        assert!(found.help.as_ref().is_some_and(|help| !help.is_empty()));
    }
    let built = build_handler(&judge_declaration("tool.pre", "fine", Some("pre_tool_use_decison")), None);
    assert_eq!(built.diagnostics[0].help.as_deref(), Some("did you mean `pre_tool_use_decision`?"));
}

#[test]
fn a_judge_is_a_guard_where_its_reply_can_deny() {
    let guard = |event, schema| build_handler(&judge_declaration(event, "?", schema), None).guard;
    assert!(guard("tool.pre", Some("pre_tool_use_decision")));
    assert!(!guard("tool.pre", None));
    assert!(!guard("notification", Some("pre_tool_use_decision")));
}
