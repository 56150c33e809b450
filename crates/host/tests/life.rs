//! The protocol of an agent's life, in a program's own loop.
#![expect(clippy::expect_used, reason = "tests fail by panicking")]

use std::fs;
use std::sync::Arc;

use pintle_host::contract::{DenyEffect, Failure, FailureKind, FailurePolicy};
use pintle_host::event::{
    AgentStop, CompactBefore, CompactPost, CompactPre, CompletionPost, CompletionPre, DelegationPost,
    DelegationPostVerify, DelegationPre, PromptSubmit, TurnEnd,
};
use pintle_host::lifecycle::{
    AfterRejection, AnswerDecision, ToolCallRequest, begin_turn, end_turn, follow_up, plan_compaction,
    report_compaction, review_answer, review_delegated_answer, review_reply, review_request, review_result,
    review_task, steer, submit_prompt, verify_result,
};
use pintle_host::tools::PINTLE;
use pintle_host::{
    EventKind, EventScope, Hook, Layer, Origin, Refusal, Runtime, RuntimeLife, ToolCallDecision, Verdict, native,
};

/// One step of a life, as a text: what is left of it, or the refusal.
type LifeStep = fn(&mut RuntimeLife<'_>) -> Result<String, Refusal>;

fn text() -> String {
    String::from("it")
}

fn describe_answer(decision: AnswerDecision) -> String {
    match decision {
        AnswerDecision::Accept(change) => change.text.unwrap_or_else(text),
        AnswerDecision::Reject(rejection) => match rejection.next {
            AfterRejection::Continue(message) => format!("continue: {message}"),
            AfterRejection::Fail => String::from("failed"),
            AfterRejection::EndRun(reason) => format!("end: {reason}"),
        },
    }
}

/// Every step, with a change that a hook makes, what it leaves, and what a deny of `no` does.
const STEPS: &[(&str, LifeStep, &str, &str, &str)] = &[
    (
        "prompt.submit",
        |life| submit_prompt(life, PromptSubmit { prompt: text(), ..PromptSubmit::default() }),
        r#"modify({"prompt": "new"})"#,
        "new",
        "prompt.submit denied: no",
    ),
    ("turn.start", |life| begin_turn(life, text()), r#"modify("new")"#, "new", "turn.start denied: no"),
    (
        "prompt.steer",
        |life| steer(life, vec![text()]).map(|left| left.join(",")),
        r#"modify({"messages": ["a", "b"]})"#,
        "a,b",
        "prompt.steer denied: no",
    ),
    (
        "prompt.followup",
        |life| follow_up(life, text(), 1),
        r#"modify({"prompt": "new"})"#,
        "new",
        "prompt.followup denied: no",
    ),
    (
        "completion.pre",
        |life| {
            let request = CompletionPre { model: text(), ..CompletionPre::default() };
            Ok(review_request(life, || request)?
                .into_rewritten()
                .expect("it fits the event")
                .map_or_else(text, |request| request.model))
        },
        r#"modify({"model": "new"})"#,
        "new",
        "completion.pre denied: no",
    ),
    (
        "completion.post",
        |life| {
            let reply = CompletionPost { text: text(), ..CompletionPost::default() };
            Ok(review_reply(life, || reply)?
                .into_rewritten()
                .expect("it fits the event")
                .map_or_else(text, |reply| reply.text))
        },
        r#"modify({"text": "new"})"#,
        "new",
        "completion.post denied: no",
    ),
    (
        "agent.stop",
        |life| review_answer(life, AgentStop { response: text(), ..AgentStop::default() }).map(describe_answer),
        r#"modify({"response": "new"})"#,
        "new",
        "continue: no",
    ),
    (
        "turn.end",
        |life| {
            let change = end_turn(life, TurnEnd { text: text(), ..TurnEnd::default() })?;
            Ok(change.text.unwrap_or_else(text))
        },
        r#"modify({"text": "new"})"#,
        "new",
        "turn.end denied: no",
    ),
    (
        "delegation.pre",
        |life| {
            let task = DelegationPre { prompt: text(), task: text(), ..DelegationPre::default() };
            Ok(review_task(life, task)?
                .into_rewritten()
                .expect("it fits the event")
                .map_or_else(text, |task| task.prompt))
        },
        r#"modify({"prompt": "new"})"#,
        "new",
        "delegation.pre denied: no",
    ),
    (
        "delegation.post",
        |life| {
            let result = DelegationPost { result: text(), response: text(), ..DelegationPost::default() };
            Ok(review_result(life, result)?.text.unwrap_or_else(text))
        },
        r#"modify({"result": "new"})"#,
        "new",
        "delegation.post denied: no",
    ),
    (
        "delegation.post",
        |life| {
            let result = DelegationPost { result: text(), response: text(), ..DelegationPost::default() };
            review_delegated_answer(life, result).map(describe_answer)
        },
        r#"modify({"response": "new"})"#,
        "new",
        "continue: no",
    ),
    (
        "delegation.post_verify",
        |life| {
            let result = DelegationPostVerify { result: text(), response: text(), ..DelegationPostVerify::default() };
            Ok(verify_result(life, result)?.text.unwrap_or_else(text))
        },
        r#"modify({"result": "new"})"#,
        "new",
        "delegation.post_verify denied: no",
    ),
    (
        "compact.pre",
        |life| plan_compaction(life, CompactPre::default, CompactBefore::default).map(|_| text()),
        "allow()",
        "it",
        "compact.pre denied: no",
    ),
    (
        "compact.before",
        |life| plan_compaction(life, CompactPre::default, CompactBefore::default).map(|_| text()),
        "allow()",
        "it",
        "compact.before denied: no",
    ),
    (
        "compact.post",
        |life| report_compaction(life, CompactPost::default).map(|()| text()),
        "allow()",
        "it",
        // It has happened.
        "it",
    ),
];

/// What a step leaves under a hook that returns this.
fn run_step(event: &str, step: LifeStep, returned: &str) -> Result<String, Refusal> {
    let project = tempfile::tempdir().expect("a directory for the project");
    let hooks = project.path().join(".harness/hooks");
    fs::create_dir_all(&hooks).expect("a new directory");
    let script = format!("  def handle(event, payload):\n      return {returned}\n");
    let hook = format!("---\nevent: {event}\npriority: 1\nscript: |\n{script}---\n");
    fs::write(hooks.join("hook.md"), hook).expect("the file is new");
    let built = Runtime::builder().path(project.path(), Layer::Project).load();
    assert!(!built.has_errors(), "{event}: {:?}", built.diagnostics);
    let scope = EventScope::default();
    step(&mut built.runtime.life(Arc::new(Origin::default()), &scope))
}

#[test]
fn every_step_takes_what_hooks_say() {
    for (event, step, change, changed, denied) in STEPS {
        let told = |result: Result<String, Refusal>| result.unwrap_or_else(|refusal| refusal.to_string());
        assert_eq!(told(run_step(event, *step, "allow()")), "it", "{event}");
        assert_eq!(told(run_step(event, *step, change)), *changed, "{event}");
        assert_eq!(told(run_step(event, *step, r#"block("no")"#)), *denied, "{event}");
    }
}

#[test]
fn an_answer_is_not_accepted_when_a_hook_fails_closed() {
    let answer: LifeStep =
        |life| review_answer(life, AgentStop { response: text(), ..AgentStop::default() }).map(describe_answer);
    assert_eq!(run_step("agent.stop", answer, r#"block("no" + payload["missing"])"#), Ok(String::from("failed")));
}

#[test]
fn a_cancelled_life_goes_no_further() {
    let runtime = Runtime::builder().build().unwrap();
    let scope = EventScope::default();
    scope.cancel.cancel();
    let mut life = runtime.life(Arc::new(Origin::default()), &scope);
    let refusal = begin_turn(&mut life, text()).unwrap_err();
    assert_eq!(refusal.to_string(), "turn.start denied: cancelled");
    assert!(refusal.hooks().is_empty() && !refusal.stops_run());
}

#[test]
fn refusal_names_what_refused_and_says_whether_the_run_ends() {
    let named = |hook: &str, ends: bool| {
        let deny = native::hook(hook, EventKind::ToolPre, |_| Verdict::deny("not today"));
        if ends { Hook { on_deny: DenyEffect::StopRun, ..deny } } else { deny }
    };
    let broken = Hook {
        on_failure: FailurePolicy::Closed,
        ..native::hook("first", EventKind::ToolPre, |_| Verdict::failed(Failure::new(FailureKind::Crash, "not today")))
    };
    let cases = [
        (named("first", false), false, "not today"),
        (named("first", true), true, "not today"),
        (broken, false, "a policy check failed"),
    ];
    for (hook, ends, why) in cases {
        let runtime = Runtime::builder().chain(native::chain("test", Layer::Project, [hook])).build().unwrap();
        let call = ToolCallRequest::new("1", &PINTLE, "shell", serde_json::json!({"command": "ls"}));
        let decided = runtime.decide_tool_call(call, &Arc::new(Origin::default()), &EventScope::default());
        let ToolCallDecision::Refuse(refusal) = decided else { panic!("{decided:?}") };
        let names: Vec<&str> = refusal.hooks().iter().map(pintle_host::contract::HookId::as_str).collect();
        assert_eq!(
            (refusal.event(), names.as_slice(), refusal.stops_run()),
            (EventKind::ToolPre, &["first"][..], ends)
        );
        assert!(refusal.reason().contains(why), "{refusal}");
    }
}
