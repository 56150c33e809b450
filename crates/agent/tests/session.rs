//! Sessions and their turns.

use crate::support;

use std::sync::Arc;

use pintle_agent::model::ModelError;
use pintle_agent::{InterruptHandle, InterruptResult, TurnErrorKind};
use pintle_host::contract::{ExitMode, ExitSpec, HistorySpec, OnMaxIterations};
use pintle_host::{Effect, Verdict};
use serde_json::{Value, json};
use support::*;

#[test]
fn every_event_of_a_turn_fires_in_order_with_its_payload() {
    let model = QueuedReplyModel::root([call(&[("write", r#"{"path":"a.txt","content":"hi"}"#)]), say("done")]);
    let mut fixture = open_fixture(model, [], agent());
    let answer = fixture.session.turn("write a file").unwrap();
    fixture.session.end();
    assert_eq!(answer.text, "done");
    assert_eq!((answer.usage.input_tokens, answer.usage.output_tokens), (20, 2));
    assert_eq!(answer.tool_calls.len(), 1);
    assert_eq!(std::fs::read_to_string(fixture.folder.path().join("a.txt")).unwrap(), "hi");
    let expected = [
        "session.start",
        "turn.start",
        "completion.pre",
        "completion.post",
        "tool.pre",
        "tool.post",
        "completion.pre",
        "completion.post",
        "agent.stop",
        "turn.end",
        "session.end",
    ];
    assert_eq!(fixture.seen.names(), expected);
    assert_eq!(fixture.seen.payloads_of("turn.start"), [json!("write a file")]);
    let pre = &fixture.seen.payloads_of("tool.pre")[0];
    assert_eq!((&pre["id"], &pre["name"], &pre["args"]["path"]), (&json!("1"), &json!("write"), &json!("a.txt")));
    assert!(pre["arguments"].is_string());
    let post = &fixture.seen.payloads_of("tool.post")[0];
    assert_eq!((&post["call_id"], &post["content"]), (&json!("1"), &json!("wrote 2 bytes to a.txt")));
    assert_eq!(post["is_error"], json!(false));
    let request = &fixture.seen.payloads_of("completion.pre")[1];
    assert_eq!((&request["model"], &request["iteration"]), (&json!("play"), &json!(2)));
    assert_eq!(request["messages"].as_array().unwrap().len(), 4);
    let stop = &fixture.seen.payloads_of("agent.stop")[0];
    assert_eq!((&stop["response"], &stop["iteration"], &stop["continuations"]), (&json!("done"), &json!(2), &json!(0)));
    let end = &fixture.seen.payloads_of("turn.end")[0];
    assert_eq!((&end["text"], &end["usage"]["input_tokens"]), (&json!("done"), &json!(20)));
    assert_eq!((end.get("Response"), &end["tool_calls"][0]["name"]), (None, &json!("write")));
    let over = &fixture.seen.payloads_of("session.end")[0];
    assert_eq!(
        (&over["reason"], &over["turns"], &over["usage"]["total_tokens"]),
        (&json!("done"), &json!(1), &json!(22))
    );
}

#[test]
fn a_denied_session_never_starts_and_still_ends() {
    let mut fixture = open_fixture(QueuedReplyModel::root([]), [deny("session.start", "closed today")], agent());
    let error = fixture.session.turn("hello").unwrap_err();
    assert_eq!(error.message, "session blocked: blocked by hook \"no\": closed today");
    assert_eq!(error.kind, TurnErrorKind::Denied);
    assert!(fixture.session.turn("hello").is_err());
    drop(fixture.session);
    assert_eq!(fixture.seen.names(), ["session.start", "session.end"]);
    assert_eq!(fixture.seen.payloads_of("session.end")[0]["reason"], json!("blocked"));
}

#[test]
fn blocked_message_is_not_stored_and_rewritten_one_is() {
    let guard = hook("words", "turn.start", |call| match call.event.payload.value().as_str() {
        Some("secret") => Verdict::deny("not that word"),
        Some("hello") => Verdict::new(pintle_host::contract::VerdictKind::Rewrite(
            pintle_host::contract::Rewrite::Whole(json!("good day")),
        )),
        _ => Verdict::pass(),
    });
    let mut fixture = open_fixture(QueuedReplyModel::root([say("hi")]), [guard], agent());
    let error = fixture.session.turn("secret").unwrap_err();
    assert_eq!(error.message, "turn blocked: blocked by hook \"words\": not that word");
    assert_eq!(fixture.session.turn("hello").unwrap().text, "hi");
    assert_eq!(message_lines(&fixture.model.request(0)), ["system: be brief", "user: good day"]);
    assert!(fixture.seen.payloads_of("error").is_empty(), "a refusal is not an error");
}

#[test]
fn a_rewritten_request_counts_for_its_call_only() {
    let shorten = hook("shorten", "completion.pre", |call| {
        if call.event.payload.field("iteration") != Some(&json!(1)) {
            return Verdict::pass();
        }
        let messages = json!([{"role": "user", "content": "only this"}]);
        Verdict::rewrite([(String::from("messages"), messages)].into_iter().collect())
    });
    let model = QueuedReplyModel::root([call(&[("list", "{}")]), say("ok")]);
    let mut fixture = open_fixture(model, [shorten], agent());
    fixture.session.turn("everything").unwrap();
    assert_eq!(message_lines(&fixture.model.request(0)), ["user: only this"]);
    assert_eq!(
        message_lines(&fixture.model.request(1)),
        ["system: be brief", "user: everything", "assistant: ", "tool: []"]
    );
}

#[test]
fn hooks_may_stop_a_completion_before_and_after_and_change_its_answer() {
    for event in ["completion.pre", "completion.post"] {
        let mut fixture = open_fixture(QueuedReplyModel::root([say("hi"), say("hi")]), [deny(event, "no")], agent());
        let error = fixture.session.turn("x").unwrap_err();
        assert_eq!(error.message, "completion blocked: blocked by hook \"no\": no");
        assert!(error.is_denied());
    }
    let mut fixture = open_fixture(
        QueuedReplyModel::root([say("my key is 123")]),
        [rewrite("completion.post", json!({"text": "my key is ***"}))],
        agent(),
    );
    assert_eq!(fixture.session.turn("x").unwrap().text, "my key is ***");
}

#[test]
fn context_stays_as_long_as_its_event_says() {
    let context = |event: &'static str| {
        hook(event, event, move |_| Verdict::pass().with_effect(Effect::Context(format!("from {event}"))))
    };
    let model = QueuedReplyModel::root([call(&[("list", "{}")]), say("one"), say("two")]);
    let hooks = [context("session.start"), context("turn.start"), context("tool.pre"), context("completion.pre")];
    let mut fixture = open_fixture(model, hooks, agent());
    fixture.session.turn("a").unwrap();
    fixture.session.turn("b").unwrap();
    let system = |index: usize| fixture.model.request(index).messages[0].content.replace("\n\n", " | ");
    assert_eq!(system(0), "be brief | from session.start | from turn.start | from completion.pre");
    assert_eq!(system(1), "be brief | from session.start | from turn.start | from tool.pre | from completion.pre");
    assert_eq!(system(2), "be brief | from session.start | from turn.start | from completion.pre");
}

#[test]
fn a_denied_stop_sends_the_agent_on_until_the_hooks_are_content() {
    let twice = hook("tests_first", "agent.stop", |call| match call.event.payload.field("continuations") {
        Some(count) if count.as_u64() < Some(2) => Verdict::deny("run the tests first"),
        _ => Verdict::pass(),
    });
    let mut fixture = open_fixture(QueuedReplyModel::root([say("a"), say("b"), say("c")]), [twice], agent());
    assert_eq!(fixture.session.turn("go").unwrap().text, "c");
    assert_eq!(message_lines(&fixture.model.request(1))[2..], ["assistant: a", "user: run the tests first"]);
    assert_eq!(fixture.seen.payloads_of("agent.stop").len(), 3);
}

#[test]
fn a_stop_that_is_never_allowed_ends_at_the_limit_or_fails_the_turn() {
    let exit = ExitSpec { max_iterations: 2, ..ExitSpec::default() };
    let spec = pintle_host::contract::AgentSpec { exit, ..agent() };
    let mut fixture = open_fixture(
        QueuedReplyModel::root([say("a"), say("b"), say("c")]),
        [deny("agent.stop", "never")],
        spec.clone(),
    );
    let error = fixture.session.turn("go").unwrap_err();
    assert_eq!(error.message, "the turn reached its limit of 2 model calls; raise `exit_policy.max_iterations`");
    assert_eq!(fixture.seen.payloads_of("limit.iterations")[0]["action"], json!("stop"));
    assert_eq!(fixture.seen.payloads_of("error")[0]["kind"], json!("limit"));

    let exit = ExitSpec { block_fails_turn: true, ..ExitSpec::default() };
    let mut fixture = support::open_fixture(
        QueuedReplyModel::root([say("a")]),
        [deny("agent.stop", "never")],
        pintle_host::contract::AgentSpec { exit, ..agent() },
    );
    assert_eq!(fixture.session.turn("go").unwrap_err().message, "agent stop blocked: blocked by hook \"no\": never");
}

#[test]
fn hooks_may_change_the_answer_at_the_stop_and_at_the_end_of_the_turn() {
    let mut one =
        open_fixture(QueuedReplyModel::root([say("a")]), [rewrite("agent.stop", json!({"response": "b"}))], agent());
    assert_eq!(one.session.turn("go").unwrap().text, "b");
    let mut two =
        open_fixture(QueuedReplyModel::root([say("a")]), [rewrite("turn.end", json!({"text": "c"}))], agent());
    assert_eq!(two.session.turn("go").unwrap().text, "c");
    let mut three = open_fixture(QueuedReplyModel::root([say("a")]), [deny("turn.end", "too rude")], agent());
    assert_eq!(three.session.turn("go").unwrap_err().message, "turn blocked: blocked by hook \"no\": too rude");
}

#[test]
fn the_limit_of_a_turn_may_end_it_or_allow_one_last_answer() {
    let looping = || QueuedReplyModel::root([call(&[("list", "{}")]), say("last words")]);
    let spec = |on_max_iterations| pintle_host::contract::AgentSpec {
        exit: ExitSpec { max_iterations: 1, on_max_iterations, ..ExitSpec::default() },
        ..agent()
    };
    let mut fixture = open_fixture(looping(), [], spec(OnMaxIterations::WarnAndExit));
    assert_eq!(fixture.session.turn("go").unwrap().text, "");
    let mut fixture = support::open_fixture(looping(), [], spec(OnMaxIterations::ContinueWithWarning));
    assert_eq!(fixture.session.turn("go").unwrap().text, "last words");
    assert!(fixture.model.request(1).tools.is_empty());
    assert_eq!(fixture.seen.payloads_of("limit.iterations")[0]["action"], json!("continue"));
}

#[test]
fn done_mode_goes_on_until_the_tool_was_called_and_not_blocked() {
    let exit = ExitSpec { mode: ExitMode::DoneTool, ..ExitSpec::default() };
    let spec = pintle_host::contract::AgentSpec { exit, ..agent() };
    let model = QueuedReplyModel::root([say("finished?"), call(&[("done", r#"{"summary":"all of it"}"#)])]);
    let mut fixture = open_fixture(model, [], spec.clone());
    let answer = fixture.session.turn("go").unwrap();
    assert_eq!(answer.text, "all of it");
    assert!(message_lines(&fixture.model.request(1))[3].starts_with("user: Call the `done` tool"));
    assert_eq!(
        fixture.seen.payloads_of("agent.stop").iter().map(|stop| stop["done"].clone()).collect::<Vec<_>>(),
        [json!(true)]
    );

    let not_yet = hook("not_yet", "tool.pre", |call| {
        if call.event.payload.field("id") == Some(&json!("1")) { Verdict::deny("not yet") } else { Verdict::pass() }
    });
    let model =
        QueuedReplyModel::root([call(&[("done", "{}")]), call(&[("list", "{}"), ("done", r#"{"summary":"now"}"#)])]);
    let mut fixture = support::open_fixture(model, [not_yet], spec);
    assert_eq!(fixture.session.turn("go").unwrap().text, "now");
}

#[test]
fn only_errors_that_may_pass_are_tried_again() {
    let sleeps = Arc::new(RecordingSleeper::default());
    let busy = || Err(ModelError::retryable("busy"));
    let model = QueuedReplyModel::root([busy(), busy(), say("ok"), Err(ModelError::fatal("wrong key")), say("never")]);
    let shared = sleeps.clone();
    let mut fixture = open_fixture_with(model, [], agent(), move |builder| builder.sleeper(shared));
    assert_eq!(fixture.session.turn("a").unwrap().text, "ok");
    assert_eq!(*sleeps.0.lock().unwrap(), [250, 500]);
    let fault = fixture.session.turn("b").unwrap_err();
    assert_eq!(fault.message, "wrong key");
    let error = &fixture.seen.payloads_of("error")[0];
    assert_eq!(
        (&error["kind"], &error["message"], &error["retryable"]),
        (&json!("model"), &json!("wrong key"), &json!(false))
    );
    drop(fixture.session);
    assert_eq!(fixture.seen.payloads_of("session.end")[0]["reason"], json!("error"));
}

#[test]
fn every_turn_that_begins_ends_once_whatever_ended_it() {
    let denies = |event: &'static str| hook("no", event, |_| Verdict::deny("no"));
    let cases = [
        (QueuedReplyModel::root([say("fine")]), vec![], 1, None),
        (QueuedReplyModel::root([Err(ModelError::fatal("wrong key"))]), vec![], 1, Some("wrong key")),
        (QueuedReplyModel::root([say("fine")]), vec![denies("turn.start")], 1, Some("turn blocked")),
        (QueuedReplyModel::root([say("fine")]), vec![denies("completion.pre")], 1, Some("no")),
        // The turn did not begin, or its end was denied, which still ends it.
        (QueuedReplyModel::root([say("fine")]), vec![denies("prompt.submit")], 0, None),
        (QueuedReplyModel::root([say("fine")]), vec![denies("turn.end")], 1, None),
    ];
    for (index, (model, hooks, count, error)) in cases.into_iter().enumerate() {
        let mut fixture = open_fixture(model, hooks, agent());
        let answer = fixture.session.turn("go");
        let ended = fixture.seen.payloads_of("turn.end");
        assert_eq!(ended.len(), count, "{index}: {answer:?}");
        let told = ended.first().and_then(|ended| ended["error"].as_str());
        assert_eq!(told.is_some(), error.is_some(), "{index}: {ended:?}");
        assert!(told.unwrap_or_default().contains(error.unwrap_or_default()), "{index}: {ended:?}");
    }
}

#[test]
fn a_cancelled_turn_still_pairs_its_calls_and_ends_its_session() {
    let model = QueuedReplyModel::root([call(&[("list", "{}")]), say("after")]);
    let cancel = pintle_host::CancelToken::default();
    let raise = cancel.clone();
    let hook = hook("stop", "tool.pre", move |_| {
        raise.cancel();
        Verdict::pass()
    });
    let shared = cancel.clone();
    let mut fixture = open_fixture_with(model, [hook], agent(), move |builder| builder.cancel(shared));
    assert_eq!(fixture.session.turn("go").unwrap_err().kind, TurnErrorKind::Cancelled);
    fixture.session.end();
    assert_eq!((fixture.seen.payloads_of("tool.pre").len(), fixture.seen.payloads_of("tool.post").len()), (1, 1));
    assert!(fixture.seen.payloads_of("error").is_empty());
    let ended = fixture.seen.payloads_of("turn.end");
    assert_eq!((ended.len(), &ended[0]["error"], &ended[0]["text"]), (1, &json!("cancelled"), &json!("")));
    assert_eq!(ended[0]["tool_calls"][0]["name"], json!("list"));
    assert_eq!(fixture.seen.payloads_of("session.end")[0]["reason"], json!("cancelled"));
}

#[test]
fn an_interrupted_turn_ends_with_all_it_started_and_the_session_goes_on() {
    let interrupt: Arc<std::sync::Mutex<Option<InterruptHandle>>> = Arc::default();
    let raise = Arc::clone(&interrupt);
    let hook = hook("ctrl_c", "delegation.pre", move |_| {
        assert_eq!(raise.lock().unwrap().as_ref().unwrap().interrupt(), InterruptResult::Requested);
        assert_eq!(raise.lock().unwrap().as_ref().unwrap().interrupt(), InterruptResult::AlreadyRequested);
        Verdict::pass()
    });
    let model = QueuedReplyModel::root([
        call(&[("delegate", r#"{"task":"sleep"}"#), ("shell", r#"{"command":"until false; do :; done"}"#)]),
        say("here I am"),
    ]);
    let mut fixture = open_fixture(model, [hook], agent());
    *interrupt.lock().unwrap() = Some(fixture.session.interrupt());
    assert_eq!(fixture.session.turn("work").unwrap_err().kind, TurnErrorKind::Cancelled);
    assert_eq!(fixture.session.interrupt().interrupt(), InterruptResult::NoTurn);
    assert_eq!((fixture.seen.payloads_of("tool.pre").len(), fixture.seen.payloads_of("tool.post").len()), (2, 2));
    assert_eq!(fixture.model.count(), 1, "the delegated agent asked no model");
    assert_eq!(fixture.session.turn("still there?").unwrap().text, "here I am");
    let told = message_lines(&fixture.model.request(1));
    assert_eq!(told.len(), 6, "each call of the interrupted turn has its result: {told:?}");
    fixture.session.end();
    assert_eq!(fixture.seen.payloads_of("session.end")[0]["reason"], json!("done"));
}

#[test]
fn only_the_newest_part_of_a_long_conversation_is_sent() {
    let spec =
        pintle_host::contract::AgentSpec { history: HistorySpec { max_messages: 3, max_tokens: 100_000 }, ..agent() };
    let mut fixture = open_fixture(QueuedReplyModel::root([say("1"), say("2"), say("3")]), [], spec);
    for message in ["a", "b", "c"] {
        fixture.session.turn(message).unwrap();
    }
    assert_eq!(message_lines(&fixture.model.request(2)), ["system: be brief", "user: b", "assistant: 2", "user: c"]);
}

#[test]
fn log_lines_of_hooks_reach_the_end_of_their_turn_and_no_other() {
    let log = hook("audit", "tool.pre", |call| {
        let request = pintle_host::contract::EffectRequest::Log {
            level: pintle_host::contract::LogLevel::Warn,
            message: String::from("seen"),
        };
        call.effects.perform(call.caller(), request).unwrap();
        Verdict::pass()
    });
    let mut fixture =
        open_fixture(QueuedReplyModel::root([call(&[("list", "{}")]), say("a"), say("b")]), [log], agent());
    fixture.session.turn("one").unwrap();
    fixture.session.turn("two").unwrap();
    let ends = fixture.seen.payloads_of("turn.end");
    assert_eq!(ends[0]["logs"], json!([{"level": "warn", "hook": "audit", "message": "seen"}]));
    assert_eq!(ends[1]["logs"], Value::Array(Vec::new()));
}
