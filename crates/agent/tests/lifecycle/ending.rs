//! The end of a session: unsettled work, the host's callback, and sessions that end with an error.

use std::sync::{Arc, Mutex};

use pintle_host::event::UnsettledState;
use serde_json::{Value, json};

use crate::lifecycle::{FiredEventLog, open_fixture};
use crate::support::{QueuedReplyModel, call, deny, hook, say};

const END: [&str; 5] = ["finish.pre", "finish.unsettled", "finish.post", "session.error", "session.end"];

#[test]
fn a_run_finishes_once_before_its_session_ends() {
    let heard = FiredEventLog::default();
    let mut fixture = open_fixture(QueuedReplyModel::root([say("done")]), heard.hooks(&END));
    fixture.session.turn("go").unwrap();
    fixture.session.end();
    fixture.session.end();
    assert_eq!(heard.names(), ["finish.pre", "finish.post", "session.end"]);
    let pre = json!({"return_value": "done", "unsettled": [], "has_on_finish": false});
    assert_eq!(heard.payloads_of("finish.pre"), [pre]);
    assert_eq!(heard.payloads_of("finish.post"), [json!({"return_value": "done", "unsettled": []})]);
}

#[test]
fn the_callback_replaces_the_value_and_is_called_once() {
    let heard = FiredEventLog::default();
    let mut fixture = open_fixture(QueuedReplyModel::root([say("done")]), heard.hooks(&END));
    fixture.session.turn("go").unwrap();
    let calls = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&calls);
    fixture.session.on_finish(|_, _| json!("the first callback is not used"));
    fixture.session.on_finish(move |value, state: &UnsettledState| {
        *counted.lock().unwrap() += 1;
        json!({"was": value, "is_settled": state.is_empty()})
    });
    let expected = json!({"was": "done", "is_settled": true});
    assert_eq!(fixture.session.finish(), expected);
    assert_eq!(fixture.session.finish_with(json!(7)), json!(7), "a run finishes once");
    fixture.session.end();
    assert_eq!(*calls.lock().unwrap(), 1);
    assert_eq!(heard.names(), ["finish.pre", "finish.post", "session.end"]);
    assert_eq!(heard.payloads_of("finish.pre")[0]["has_on_finish"], json!(true));
    assert_eq!(heard.payloads_of("finish.post")[0]["return_value"], expected);
}

#[test]
fn a_callback_that_panics_leaves_the_value() {
    let mut fixture = open_fixture(QueuedReplyModel::root([say("done")]), []);
    fixture.session.turn("go").unwrap();
    fixture.session.on_finish(|_, _| panic!("no"));
    assert_eq!(fixture.session.finish(), json!("done"));
}

#[test]
fn what_is_not_settled_is_told_between_finish_pre_and_the_callback() {
    let heard = FiredEventLog::default();
    let mut fixture = open_fixture(QueuedReplyModel::root([say("done")]), heard.hooks(&END));
    fixture.session.turn("go").unwrap();
    assert!(fixture.session.unsettled_work().is_empty());
    fixture.session.inbox().follow_up("and then?");
    fixture.session.inbox().steer("wait");
    let state = fixture.session.unsettled_work();
    assert_eq!(state.summary(), "2 messages");
    assert_eq!(state.counts().filter(|(_, count)| *count > 0).collect::<Vec<_>>(), [("message", 2)]);
    let order = Arc::new(Mutex::new(Vec::new()));
    let (seen, names) = (Arc::clone(&order), heard.clone());
    fixture.session.on_finish(move |value, _| {
        *seen.lock().unwrap() = names.names();
        value
    });
    fixture.session.finish();
    assert_eq!(*order.lock().unwrap(), ["finish.pre", "finish.unsettled"]);
    let told = &heard.payloads_of("finish.unsettled")[0];
    assert_eq!(told["summary"], json!("2 messages"));
    assert_eq!(told["unsettled"][0], json!({"category": "message", "id": "message_1", "summary": "wait", "age_ms": 0}));
}

#[test]
fn a_tool_call_and_a_task_that_run_are_not_settled() {
    let spec = crate::support::agent();
    let found = Arc::new(Mutex::new(Vec::new()));
    let model = QueuedReplyModel::root([call(&[("delegate_async", r#"{"task":"wait"}"#)]), say("done")]);
    let gate = Arc::new(std::sync::Barrier::new(2));
    let waits = Arc::clone(&gate);
    let hold = hook("hold", "turn.start", move |call| {
        if call.event.origin.depth > 0 {
            waits.wait();
        }
        pintle_host::Verdict::pass()
    });
    model.add("delegate", [say("waited")]);
    let mut fixture = crate::lifecycle::open_fixture_with(model, spec, [hold], |builder| builder);
    fixture.session.turn("go").unwrap();
    let state = fixture.session.unsettled_work();
    found.lock().unwrap().extend(state.all().into_iter().map(|work| (work.category, work.summary)));
    gate.wait();
    assert_eq!(*found.lock().unwrap(), [(String::from("background_task"), String::from("task"))]);
    assert_eq!(state.summary(), "1 background task");
    fixture.session.end();
    assert!(fixture.session.unsettled_work().is_empty());
}

#[test]
fn a_session_that_ends_badly_says_so_before_its_end() {
    let cases: [(&str, Vec<pintle_host::Hook>, Value); 2] = [
        (
            "the model",
            Vec::new(),
            json!({"status": "failed", "stop_reason": "model_error", "message": "no reply left for root"}),
        ),
        (
            "a hook",
            vec![deny("prompt.submit", "no")],
            json!({"status": "blocked", "stop_reason": "user_prompt_submit_blocked", "message": "prompt blocked: blocked by hook \"no\": no"}),
        ),
    ];
    for (name, hooks, expected) in cases {
        let heard = FiredEventLog::default();
        let mut fixture = open_fixture(QueuedReplyModel::root([]), heard.hooks(&END).into_iter().chain(hooks));
        fixture.session.turn("go").unwrap_err();
        fixture.session.end();
        assert_eq!(heard.names(), ["finish.pre", "finish.post", "session.error", "session.end"], "{name}");
        assert_eq!(heard.payloads_of("session.error"), [expected], "{name}");
    }
    let heard = FiredEventLog::default();
    let mut mended = open_fixture(QueuedReplyModel::root([]), heard.hooks(&END));
    mended.session.turn("go").unwrap_err();
    mended.model.add("root", [say("now")]);
    mended.session.turn("again").unwrap();
    mended.session.end();
    assert!(heard.payloads_of("session.error").is_empty(), "the last turn went well");
}
