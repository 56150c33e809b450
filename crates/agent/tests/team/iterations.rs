//! `iteration.start` and `iteration.end`: once each around a model call, with every reason.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use pintle_agent::model::{Model, ModelError, ModelRequest, ReplyDelta};
use pintle_host::{ApprovalResponse, CancelToken, Verdict};
use serde_json::json;

use crate::support::{QueuedReply, call, deny, hook, say};
use crate::team::fixture::{TeamScenario, check_lines, is_denied, stop_hook};

#[test]
fn a_turn_fires_its_events_in_order() {
    let events = TeamScenario::from_replies([call(&[("shell", r#"{"cmd":"ls"}"#)]), say("done")]).play_events();
    check_lines(
        &events,
        r#"
        prompt.submit go
        turn.start
        iteration.start 1
        completion.pre
        completion.post
        tool.transform shell {"command":"ls"}
        tool.guard shell {"command":"ls"}
        tool.pre shell {"command":"ls"}
        permission.reply allow rule autonomous
        tool.result ran ls
        tool.post ran ls
        iteration.end 1 continue
        iteration.start 2
        completion.pre
        completion.post
        agent.stop done
        iteration.end 2 normal
        turn.end
        user.input prompt
        "#,
    );
}

#[test]
fn every_iteration_that_starts_ends_once_and_says_why() {
    let shell = || call(&[("shell", r#"{"cmd":"ls"}"#)]);
    let loops = || (0..5).map(move |_| shell());
    let cases: Vec<(&str, TeamScenario, &[&str])> = vec![
        ("an answer", TeamScenario::from_replies([say("a")]), &["1 normal"]),
        ("tools and an answer", TeamScenario::from_replies([shell(), say("a")]), &["1 continue", "2 normal"]),
        ("a model error", TeamScenario::from_replies([Err(ModelError::fatal("gone"))]), &["1 error"]),
        ("a denied request", TeamScenario::from_replies([say("a")]).hook(deny("completion.pre", "no")), &["1 blocked"]),
        ("a denied reply", TeamScenario::from_replies([say("a")]).hook(deny("completion.post", "no")), &["1 blocked"]),
        (
            "a hook that ends the run",
            TeamScenario::from_replies([shell()]).hook(stop_hook("tool.post", "enough")),
            &["1 blocked"],
        ),
        (
            "a loop",
            TeamScenario::from_replies(loops()),
            &["1 continue", "2 continue", "3 continue", "4 continue", "5 loop"],
        ),
        (
            "a loop and a hook that ends the run",
            TeamScenario::from_replies([shell()]).hook(stop_hook("tool.post", "enough")).spec(|spec| {
                spec.exit.max_consecutive_tool_calls = 1;
            }),
            &["1 loop"],
        ),
    ];
    for (name, scene, expected) in cases {
        let mut fixture = scene.open();
        let _ = fixture.session.turn("go");
        let ends: Vec<String> = expected.iter().map(|end| format!("iteration.end {end}")).collect();
        assert_eq!(fixture.events.lines_of(&["iteration.end"]), ends, "{name}");
        assert_eq!(fixture.events.lines_of(&["iteration.start"]).len(), ends.len(), "{name}");
    }
}

#[test]
fn an_iteration_ends_also_when_it_is_cancelled() {
    for event in ["completion.pre", "tool.guard", "tool.pre", "tool.post"] {
        let cancel = pintle_host::CancelToken::default();
        let raise = cancel.clone();
        let stop = hook("ctrl_c", event, move |_| {
            raise.cancel();
            Verdict::pass()
        });
        let scene = TeamScenario::from_replies([call(&[("shell", r#"{"cmd":"ls"}"#)]), say("after")]).hook(stop);
        let mut fixture = scene.open_with(|builder| builder.cancel(cancel));
        assert!(fixture.session.turn("go").is_err());
        assert_eq!(fixture.events.lines_of(&["iteration.end"]), ["iteration.end 1 cancelled"], "{event}");
        assert!(fixture.events.lines_of(&["notification", "error"]).is_empty(), "{event}: the person knows");
        assert_eq!(fixture.events.lines_of(&["user.input"]), ["user.input prompt"], "{event}");
    }
}

#[test]
fn a_hook_that_stops_the_run_is_told_as_an_error_with_its_own_words() {
    let cases = [
        (deny("completion.pre", "max_iterations reached"), "max_iterations reached"),
        (deny("completion.pre", ""), "Agent terminated by a hook."),
        (stop_hook("tool.post", "enough"), "enough"),
        (stop_hook("tool.post", ""), "Agent terminated by a hook."),
    ];
    for (hook, message) in cases {
        let mut fixture = TeamScenario::from_replies([call(&[("look", "{}")]), say("never")]).hook(hook).open();
        assert_eq!(is_denied(fixture.session.turn("go")), message);
        let told = fixture.events.lines_of(&["notification", "error", "turn.end", "agent.stop"]);
        check_lines(&told, &format!("notification error {message}\nerror hook {message} blocked\nturn.end"));
    }
}

#[test]
fn a_model_error_is_told_and_has_no_completion_post() {
    let events = TeamScenario::from_replies([Err(ModelError::fatal("wrong key"))]).play_events();
    check_lines(
        &events,
        "
        prompt.submit go
        turn.start
        iteration.start 1
        completion.pre
        iteration.end 1 error
        notification error wrong key
        error model wrong key
        turn.end
        user.input prompt
        ",
    );
}

#[test]
fn a_loop_is_told_with_the_documented_words() {
    let loops = (0..6).map(|_| call(&[("look", r#"{"at":1}"#)]));
    let mut fixture = TeamScenario::from_replies(loops).open();
    let error = fixture.session.turn("go").unwrap_err();
    let message = "Agent terminated: detected 5 consecutive identical calls to look. This indicates a degenerate loop \
                   where the model is not making progress.";
    assert_eq!(error.message, message);
    assert_eq!(fixture.model.count(), 5, "the fifth batch ran");
    check_lines(
        &fixture.events.lines_of(&["notification", "error"]),
        &format!("notification error {message}\nerror limit {message}"),
    );
}

#[test]
fn at_the_limit_a_person_is_asked_and_ten_more_calls_are_allowed() {
    let limited = |answer: Option<ApprovalResponse>| {
        let calls = (0..13).map(|at| call(&[("look", &format!(r#"{{"at":{at}}}"#))]));
        let mut scene = TeamScenario::from_replies(calls.chain([say("end")])).spec(|spec| spec.exit.max_iterations = 2);
        scene.answer = answer;
        scene.open()
    };
    let yes = ApprovalResponse::Approved { answered_by: String::from("ada") };
    let mut fixture = limited(Some(yes));
    assert_eq!(fixture.session.turn("go").unwrap().text, "end");
    let told = fixture.events.lines_of(&["notification", "limit.iterations", "user.input", "session.resume"]);
    check_lines(
        &told,
        "
        notification warning Maximum iterations reached (2)
        limit.iterations 2 ask
        user.input limit
        session.resume limit 2 12
        notification warning Maximum iterations reached (12)
        limit.iterations 12 ask
        user.input limit
        session.resume limit 12 22
        user.input prompt
        ",
    );
    let stopped = "Execution stopped after reaching the configured max_iterations limit (2).";
    let no = ApprovalResponse::Refused { answered_by: String::from("ada") };
    for (answer, waits) in [(Some(no), true), (None, false)] {
        let mut fixture = limited(answer);
        assert_eq!(fixture.session.turn("go").unwrap().text, stopped);
        assert_eq!(fixture.model.count(), 2);
        let inputs: &[&str] = if waits { &["user.input limit", "user.input prompt"] } else { &["user.input prompt"] };
        assert_eq!(fixture.events.lines_of(&["user.input"]), inputs);
    }
}

#[test]
fn a_hook_that_denies_the_resumption_keeps_the_limit() {
    let scene = TeamScenario::from_replies([call(&[("look", "{}")]), say("never")])
        .spec(|spec| spec.exit.max_iterations = 1)
        .answer(ApprovalResponse::Approved { answered_by: String::from("ada") })
        .hook(deny("session.resume", "no overtime"));
    let mut fixture = scene.open();
    let answer = fixture.session.turn("go").unwrap();
    assert_eq!(answer.text, "Execution stopped after reaching the configured max_iterations limit (1).");
}

#[test]
fn context_of_an_iteration_is_for_its_call_and_that_of_a_session_for_all() {
    let context = |event: &'static str| {
        hook(event, event, move |_| Verdict::pass().with_effect(pintle_host::Effect::Context(format!("from {event}"))))
    };
    let once = hook("once", "iteration.start", |call| match call.event.payload.field("iteration") {
        Some(number) if *number == json!(1) => {
            Verdict::pass().with_effect(pintle_host::Effect::Context(String::from("only now")))
        }
        _ => Verdict::pass(),
    });
    let scene = TeamScenario::from_replies([call(&[("look", "{}")]), say("a"), say("b")])
        .hook(context("session.start"))
        .hook(context("prompt.submit"))
        .hook(once);
    let mut fixture = scene.open();
    fixture.session.turn("one").unwrap();
    fixture.session.turn("two").unwrap();
    let system = |index: usize| fixture.model.request(index).messages[0].content.replace("\n\n", " | ");
    assert_eq!(system(0), "be brief | from session.start | from prompt.submit | only now");
    assert_eq!(system(1), "be brief | from session.start | from prompt.submit");
    assert_eq!(system(2), "be brief | from session.start | from prompt.submit | only now");
}

/// A model that always fails.
#[derive(Debug)]
struct FailingModel;

impl Model for FailingModel {
    fn name(&self) -> &str {
        "broken"
    }

    #[expect(clippy::panic, reason = "that is what this model is for")]
    fn complete(&self, _request: &ModelRequest, _on: &mut dyn FnMut(ReplyDelta), _cancel: &CancelToken) -> QueuedReply {
        panic!("a bug in a provider");
    }
}

#[test]
fn an_iteration_ends_also_when_the_model_panics() {
    let mut fixture = TeamScenario::from_replies([]).open_on(Arc::new(FailingModel));
    assert!(catch_unwind(AssertUnwindSafe(|| fixture.session.turn("go"))).is_err());
    assert_eq!(
        fixture.events.lines_of(&["iteration.start", "iteration.end"]),
        ["iteration.start 1", "iteration.end 1 error"]
    );
}

#[test]
fn a_stop_hook_may_send_the_agent_on() {
    let twice = hook("tests_first", "agent.stop", |call| match call.event.payload.field("continuations") {
        Some(count) if count.as_u64() == Some(0) => Verdict::deny("run the tests first"),
        _ => Verdict::pass(),
    });
    let mut fixture = TeamScenario::from_replies([say("a"), say("b")]).hook(twice).open();
    assert_eq!(fixture.session.turn("go").unwrap().text, "b");
    assert_eq!(fixture.events.lines_of(&["iteration.end"]), ["iteration.end 1 continue", "iteration.end 2 normal"]);
}

#[test]
fn error_hooks_get_no_secret_of_a_provider() {
    let key = format!("sk-proj-{}", "a1B2c3D4e5".repeat(5));
    let refused = ModelError::fatal(format!("the model answered 401: bad key {key}"));
    let scene = TeamScenario { redacts_secrets: true, ..TeamScenario::from_replies([Err(refused)]) };
    let mut fixture = scene.open();
    assert!(fixture.session.turn("go").is_err());
    let lines = fixture.events.lines_of(&["notification", "error"]);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines.iter().all(|line| line.contains("bad key") && !line.contains(&key)), "{lines:?}");
}
