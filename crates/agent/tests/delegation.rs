//! Delegation: inheritance, limits, verification, redirects.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::support;

use std::sync::Arc;

use pintle_host::contract::{AgentSpec, DelegationSpec, PolicyMode, ToolsPolicy};
use pintle_host::{Effect, Verdict};
use serde_json::{Value, json};
use support::*;

/// A root agent with a `reviewer` to delegate to.
fn root_with_reviewer() -> AgentSpec {
    let reviewer = AgentSpec {
        name: String::from("reviewer"),
        description: String::from("Reviews."),
        instruction: String::from("review"),
        ..AgentSpec::default()
    };
    AgentSpec { agents: vec![Arc::new(reviewer)], ..agent() }
}

fn delegate_call(arguments: &str) -> QueuedReply {
    call(&[("delegate", arguments)])
}

const REVIEW: &str = r#"{"agent":"reviewer","task":"look at it"}"#;

/// Lets the root delegate once and the child give these replies, and returns the result of the `delegate` call.
fn run_delegation(
    arguments: &str,
    child: (&str, Vec<QueuedReply>),
    hooks: Vec<pintle_host::Hook>,
    spec: AgentSpec,
) -> (String, bool, AgentFixture) {
    let model = QueuedReplyModel::root([delegate_call(arguments), say("end")]);
    model.add(child.0, child.1);
    let mut fixture = open_fixture(model, hooks, spec);
    let mut answer = fixture.session.turn("go").unwrap();
    let result = answer.tool_results.remove(0);
    (result.content, result.is_error, fixture)
}

#[test]
fn a_child_answers_under_the_events_of_both_agents() {
    let (content, is_error, fixture) =
        run_delegation(REVIEW, ("reviewer", vec![say("sound")]), Vec::new(), root_with_reviewer());
    assert_eq!((content.as_str(), is_error), ("DELEGATION COMPLETE: sound", false));
    let expected = [
        "root:tool.pre",
        "root:delegation.pre",
        "reviewer:turn.start",
        "reviewer:completion.pre",
        "reviewer:completion.post",
        "reviewer:agent.stop",
        "reviewer:turn.end",
        "root:delegation.post",
        "root:delegation.post_verify",
        "root:tool.post",
    ];
    let seen = fixture.seen.by_agent();
    let from = seen.iter().position(|name| name == "root:tool.pre").unwrap();
    assert_eq!(seen[from..from + expected.len()], expected);
    let pre = &fixture.seen.payloads_of("delegation.pre")[0];
    assert_eq!((&pre["agent"], &pre["prompt"], &pre["depth"]), (&json!("reviewer"), &json!("look at it"), &json!(1)));
    let post = &fixture.seen.payloads_of("delegation.post")[0];
    assert_eq!((&post["id"], &post["result"], &post["response"]), (&pre["id"], &json!("sound"), &json!("sound")));
    assert_eq!(message_lines(&fixture.model.request(1)), ["system: review", "user: look at it"]);
    assert_eq!(fixture.session.usage().input_tokens, 30, "the child's tokens count");
}

#[test]
fn a_child_meets_every_hook_of_its_parents() {
    let guard = hook("command_guard", "tool.pre", |call| {
        let command = call.event.payload.value().pointer("/args/command").and_then(Value::as_str).unwrap_or_default();
        if command.contains("rm -rf /") { Verdict::deny("dangerous") } else { Verdict::pass() }
    });
    let attack = call(&[("shell", r#"{"command":"rm -rf / --no-preserve-root"}"#)]);
    for arguments in [REVIEW, r#"{"task":"clean up"}"#] {
        let child = if arguments == REVIEW { "reviewer" } else { "delegate" };
        let replies = vec![attack.clone(), say("tried")];
        let model = QueuedReplyModel::root([delegate_call(arguments), say("end")]);
        model.add(child, replies);
        let mut fixture = open_fixture(model, [guard.clone()], root_with_reviewer());
        fixture.session.turn("go").unwrap();
        let blocked = fixture.seen.payloads_of("tool.post").into_iter().find(|post| post["name"] == "shell").unwrap();
        assert_eq!(blocked["content"], json!("tool blocked: dangerous"));
    }
}

#[test]
fn a_child_is_bound_by_the_policy_of_its_parents() {
    let policy = ToolsPolicy { mode: PolicyMode::Denylist, allow: Vec::new(), deny: vec![String::from("shell")] };
    let replies = vec![call(&[("shell", r#"{"command":"id"}"#)]), say("tried")];
    let (_, _, fixture) =
        run_delegation(REVIEW, ("reviewer", replies), Vec::new(), AgentSpec { policy, ..root_with_reviewer() });
    assert!(!fixture.model.request(1).tools.iter().any(|tool| tool.name == "shell"));
    let denied = fixture.seen.payloads_of("tool.post").into_iter().find(|post| post["name"] == "shell").unwrap();
    assert_eq!(denied["content"], json!("tool \"shell\" denied by policy"));
}

#[test]
fn described_agent_gets_only_the_tools_the_request_names() {
    let arguments = r#"{"task":"read","tools":["read"],"system_prompt":"be careful"}"#;
    let (content, _, fixture) = run_delegation(arguments, ("delegate", vec![say("ok")]), Vec::new(), agent());
    assert_eq!(content, "DELEGATION COMPLETE: ok");
    let request = fixture.model.request(1);
    let names: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names[0], "read");
    assert!(names[1..].iter().all(|name| name.starts_with("delegate")), "{names:?}");
    assert_eq!(message_lines(&request), ["system: be careful", "user: read"]);
}

#[test]
fn code_in_a_request_is_refused_unless_the_project_allows_it() {
    let tool = r#"{"task":"x","tools":[{"name":"evil","description":"d","script":"def run(args): return 1"}]}"#;
    let verify = r#"{"task":"x","verify":"def run(result): return True"}"#;
    for (arguments, why) in
        [(tool, "self-augmentation is off"), (verify, "`verify` in a request requires `meta.enabled: true`")]
    {
        let (content, is_error, fixture) =
            run_delegation(arguments, ("delegate", vec![say("ok")]), Vec::new(), agent());
        assert!(is_error && content.contains(why), "{content}");
        assert_eq!(fixture.model.count(), 2, "the child never ran");
    }
}

#[test]
fn delegation_is_as_deep_as_the_project_says() {
    let spec = |depth| AgentSpec {
        delegation: DelegationSpec { max_depth: Some(depth), ..DelegationSpec::default() },
        ..agent()
    };
    assert!(!open_fixture(QueuedReplyModel::root([]), [], spec(0)).session.tools().contains(&String::from("delegate")));
    // The child of depth 1 is not offered `delegate`, and cannot call it either.
    let replies = vec![delegate_call(r#"{"task":"deeper"}"#), say("tried")];
    let (_, _, fixture) = run_delegation(r#"{"task":"x"}"#, ("delegate", replies), Vec::new(), spec(1));
    let posts = fixture.seen.payloads_of("tool.post");
    assert!(posts[0]["content"].as_str().unwrap().starts_with("tool \"delegate\" not found"));
    assert_eq!(fixture.seen.payloads_of("delegation.pre").len(), 1);
}

#[test]
fn hooks_may_refuse_or_change_a_delegation_before_and_after() {
    let run = |hooks| {
        let (content, is_error, _) =
            run_delegation(REVIEW, ("reviewer", vec![say("sound")]), hooks, root_with_reviewer());
        (content, is_error)
    };
    let refused = (String::from("tool error: delegation blocked: no"), true);
    assert_eq!(run(vec![deny("delegation.pre", "no")]), refused);
    assert_eq!(run(vec![deny("delegation.post", "no")]), refused);
    let changed = run(vec![rewrite("delegation.post", json!({"result": "very sound"}))]);
    assert_eq!(changed.0, "DELEGATION COMPLETE: very sound");
    let (_, _, fixture) = run_delegation(
        REVIEW,
        ("reviewer", vec![say("sound")]),
        vec![rewrite("delegation.pre", json!({"task": "look twice"}))],
        root_with_reviewer(),
    );
    assert_eq!(message_lines(&fixture.model.request(1))[1], "user: look twice");
    let (content, is_error, _) =
        run_delegation(r#"{"agent":"reviwer","task":"x"}"#, ("reviewer", vec![]), Vec::new(), root_with_reviewer());
    assert_eq!(
        (content.as_str(), is_error),
        ("tool error: agent \"reviwer\" not found; did you mean \"reviewer\"?", true)
    );
}

#[test]
fn an_answer_that_is_not_verified_goes_back_to_the_same_child() {
    let verify = hook("tests_pass", "delegation.post_verify", |call| {
        if call.event.payload.field("result") == Some(&json!("tested")) {
            Verdict::pass()
        } else {
            Verdict::deny("no tests ran")
        }
    });
    let replies = vec![say("done"), say("really done"), say("tested")];
    let (content, is_error, fixture) =
        run_delegation(REVIEW, ("reviewer", replies), vec![verify], root_with_reviewer());
    assert_eq!((content.as_str(), is_error), ("DELEGATION COMPLETE: tested", false));
    let attempts: Vec<Value> =
        fixture.seen.payloads_of("delegation.post_verify").iter().map(|seen| seen["attempt"].clone()).collect();
    assert_eq!(attempts, [json!(1), json!(2), json!(3)]);
    let second = message_lines(&fixture.model.request(2));
    assert_eq!(second[..3], ["system: review", "user: look at it", "assistant: done"]);
    assert!(second[3].starts_with("user: VERIFICATION FAILED on the previous attempt: no tests ran"));
}

#[test]
fn verification_ends_with_an_error_when_no_attempt_is_left() {
    let failed = |retries: Option<u32>, arguments: &str, attempts: usize| {
        let delegation = DelegationSpec { max_verify_retries: retries, ..DelegationSpec::default() };
        let replies = vec![say("a"), say("b"), say("c"), say("d")];
        let hooks = vec![deny("delegation.post_verify", "no proof")];
        let (content, is_error, fixture) =
            run_delegation(arguments, ("reviewer", replies), hooks, AgentSpec { delegation, ..root_with_reviewer() });
        let expected = format!("tool error: delegation verification failed after {attempts} attempt(s): no proof");
        assert_eq!((content, is_error), (expected, true));
        assert_eq!(fixture.seen.payloads_of("delegation.post_verify").len(), attempts);
    };
    failed(None, REVIEW, 3);
    failed(Some(0), REVIEW, 1);
    failed(Some(0), r#"{"agent":"reviewer","task":"x","max_verify_retries":1}"#, 2);
}

#[test]
fn a_child_that_fails_is_an_error_for_its_parent_and_told_to_its_hooks() {
    let (content, is_error, fixture) =
        run_delegation(REVIEW, ("reviewer", Vec::new()), Vec::new(), root_with_reviewer());
    assert_eq!(
        (content.as_str(), is_error),
        ("tool error: delegation to \"reviewer\" failed: no reply left for reviewer", true)
    );
    assert_eq!(fixture.seen.payloads_of("delegation.post")[0]["is_error"], json!(true));
    assert_eq!(fixture.seen.payloads_of("error").len(), 1);
}

#[test]
fn a_hook_may_redirect_the_answer_to_another_agent_once() {
    let redirect = |always: bool| {
        hook("second_opinion", "agent.stop", move |call| {
            let is_root = call.event.origin.depth == 0;
            let request = json!({"agent": "reviewer", "task": "look again"});
            if is_root || always { Verdict::pass().with_effect(Effect::Delegate(request)) } else { Verdict::pass() }
        })
    };
    let model = QueuedReplyModel::root([say("mine")]);
    model.add("reviewer", [say("theirs")]);
    let mut one = open_fixture(model, [redirect(false)], root_with_reviewer());
    assert_eq!(one.session.turn("go").unwrap().text, "theirs");

    let model = QueuedReplyModel::root([say("mine")]);
    model.add("reviewer", [say("theirs")]);
    let mut two = open_fixture(model, [redirect(true)], root_with_reviewer());
    let error = two.session.turn("go").unwrap_err();
    assert!(error.message.contains("control-flow hook cycle detected"), "{error}");
    assert_eq!(two.seen.payloads_of("error").last().unwrap()["kind"], json!("delegation"));
}

#[test]
fn a_task_may_run_beside_its_parent() {
    let model = QueuedReplyModel::root([
        call(&[("delegate_async", r#"{"agent":"reviewer","task":"x"}"#)]),
        call(&[("delegate_await", r#"{"id":"task_2"}"#)]),
        call(&[
            ("delegate_status", r#"{"id":"task_2"}"#),
            ("delegate_result", r#"{"id":"task_2"}"#),
            ("delegate_await", r#"{"id":"no"}"#),
        ]),
        say("end"),
    ]);
    model.add("reviewer", [say("sound")]);
    let mut fixture = open_fixture(model, [], root_with_reviewer());
    let answer = fixture.session.turn("go").unwrap();
    let contents: Vec<&str> = answer.tool_results.iter().map(|result| result.content.as_str()).collect();
    assert_eq!(contents[0], r#"{"id":"task_2"}"#);
    let done = "DELEGATION COMPLETE: sound";
    assert_eq!(
        contents[1..],
        [done, r#"{"status":"done"}"#, done, "tool error: task `no` does not exist; delegate_async returns task ids"]
    );
    assert_eq!(fixture.session.usage().input_tokens, 50, "the child's tokens count once");
}

#[test]
fn an_agent_has_its_own_model_calls_to_spend() {
    let delegation = DelegationSpec { iterations_per_depth: vec![2], ..DelegationSpec::default() };
    let replies = vec![call(&[("list", "{}")]), call(&[("list", "{}")]), say("too late")];
    let (content, is_error, _) =
        run_delegation(REVIEW, ("reviewer", replies), Vec::new(), AgentSpec { delegation, ..root_with_reviewer() });
    assert!(is_error && content.contains("limit of 2 model calls"), "{content}");
}

#[test]
fn as_many_children_run_at_once_as_the_project_says() {
    let play = |max_concurrent: u32, hooks: Vec<pintle_host::Hook>| {
        let model = QueuedReplyModel::root([call(&[("delegate", REVIEW), ("delegate", REVIEW)]), say("end")]);
        model.add("reviewer", [say("sound"), say("sound")]);
        let delegation = DelegationSpec { max_concurrent: Some(max_concurrent), ..DelegationSpec::default() };
        let mut fixture = open_fixture(model, hooks, AgentSpec { delegation, ..root_with_reviewer() });
        fixture.session.turn("go").unwrap();
        fixture.seen.by_agent().into_iter().filter(|event| event.starts_with("reviewer:turn")).collect::<Vec<_>>()
    };
    assert_eq!(
        play(1, Vec::new()),
        ["reviewer:turn.start", "reviewer:turn.end", "reviewer:turn.start", "reviewer:turn.end"]
    );
    // Neither child continues before both have begun.
    let both = std::sync::Barrier::new(2);
    let meet = hook("meet", "turn.start", move |call| {
        if call.event.origin.depth == 1 {
            both.wait();
        }
        Verdict::pass()
    });
    assert_eq!(play(2, vec![meet])[..2], ["reviewer:turn.start", "reviewer:turn.start"]);
}
