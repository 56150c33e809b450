//! Every documented event is fired and recorded.

use std::collections::BTreeSet;
use std::sync::Arc;

use pintle_host::contract::{BudgetSpec, PersonaSpec, StepSpec};
use pintle_host::{ApprovalResponse, HookReturn, Reminder, Runtime, ToolHook};
use pintle_testkit::ScriptedApprover;
use serde_json::json;

use crate::registered::fixture::*;
use crate::support::{QueuedReplyModel, agent, call, say};

/// The events of Harn that never fire upstream.
const SILENT: [&str; 5] =
    ["OnApprovalRequested", "OnHandoffEmitted", "OnPersonaPaused", "OnPersonaResumed", "OnBudgetThreshold(50)"];

#[test]
fn the_notifications_and_the_turn_events_fire() {
    let seen = SharedLines::default();
    let lines = seen.clone();
    // The user is asked only if one is available.
    let user = Arc::new(ScriptedApprover::new(ApprovalResponse::Approved { answered_by: String::from("ada") }));
    let runtime = Runtime::builder().approver(user).build().unwrap();
    for event in SILENT {
        let lines = lines.clone();
        runtime.register_persona_hook("merge_*", event, move |event| lines.add(event.name())).unwrap();
    }
    for event in ["PreAgentTurn", "PostAgentTurn"] {
        let lines = lines.clone();
        runtime.register_session_hook(event, move |event| lines.add(event.name())).unwrap();
    }
    let replies = QueuedReplyModel::root([call(&[("look", "{}")]), say("done")]);
    let mut fixture = open_fixture_on(runtime, replies, agent(), with_strict_mode);
    let spec = PersonaSpec {
        name: String::from("merge_captain"),
        steps: vec![StepSpec::new("audit")],
        handoffs: vec![String::from("triage")],
        budget: BudgetSpec { max_tokens: Some(40), ..BudgetSpec::default() },
        ..PersonaSpec::default()
    };
    let mut persona = fixture.session.persona(&spec).unwrap();
    persona.step("audit", json!([]), |step| Ok(json!(step.run_prompt("look")?.text))).unwrap();
    persona.hand_off("triage", "it is yours", json!({})).unwrap();
    persona.pause("maintenance");
    persona.resume("over");
    let fired: BTreeSet<String> = seen.all().into_iter().collect();
    let expected: BTreeSet<String> = SILENT
        .iter()
        .map(|name| name.split('(').next().unwrap_or_default().to_owned())
        .chain([String::from("PreAgentTurn"), String::from("PostAgentTurn")])
        .collect();
    assert_eq!(fired, expected);
}

#[test]
fn every_hook_call_is_on_the_tape_with_its_name_number_time_and_payload() {
    let mut fixture = open_fixture([call(&[("look", r#"{"n":1}"#)]), say("done")], |runtime| {
        runtime.register_tool_hook(ToolHook::for_tools("*").pre(|_| ()).post(|_| ()).name("tool")).unwrap();
        runtime.register_step_hook("*", "audit", "PreStep", |_| ()).unwrap();
        for event in ["session_start", "user_prompt_submit", "post_turn", "pre_finish", "post_finish", "session_end"] {
            runtime.register_session_hook(event, |_| ()).unwrap();
        }
    });
    fixture.session.turn("go").unwrap();
    fixture.session.step(&StepSpec::new("audit"), json!([1]), |_| Ok(json!(null))).unwrap();
    fixture.session.finish();
    fixture.session.end();
    let calls = fixture.records_about("", &["hook_call"]);
    let returns = fixture.records_about("", &["hook_returned"]);
    let events = fixture.records_about("", &["event"]);
    let names: BTreeSet<&str> = calls.iter().filter_map(|record| record["hook"].as_str()).collect();
    assert_eq!(names.len(), 9, "{names:?}");
    let numbers: BTreeSet<u64> = calls.iter().filter_map(|record| record["call"].as_u64()).collect();
    assert_eq!(numbers.len(), calls.len(), "each call has a number of its own");
    assert_eq!(calls.len(), returns.len());
    for call in &calls {
        let its: Vec<_> = returns.iter().filter(|record| record["call"] == call["call"]).collect();
        assert_eq!(its.len(), 1, "{call}");
        assert!(its[0]["duration_us"].is_u64() && its[0]["hook"] == call["hook"], "{call}");
        assert!(events.iter().any(|event| event["dispatch"] == call["dispatch"]), "{call}");
    }
}

#[test]
fn thousands_of_hook_calls_end_no_session() {
    let turns = 12;
    let replies = (0..turns).map(|_| say("done"));
    let mut fixture = open_fixture(replies, |runtime| {
        for _ in 0..1_000 {
            runtime.register_session_hook("post_turn", |_| ()).unwrap();
        }
    });
    for _ in 0..turns {
        fixture.session.turn("go").unwrap();
    }
    fixture.session.end();
    assert_eq!(fixture.records_about("", &["hook_call"]).len(), 12_000);
    assert_eq!(fixture.model.count(), turns);
}

#[test]
fn a_reminder_of_one_turn_is_seen_once_and_one_with_a_key_never_twice() {
    let replies = (0..4).map(|_| call(&[("look", "{}")])).chain([say("done")]);
    let mut fixture = open_fixture(replies, |runtime| {
        let once = |event: &pintle_host::HookEvent<'_>| {
            let is_first = event.field("iteration") == Some(&json!(1));
            is_first.then(|| HookReturn::reminder(Reminder::for_one_turn("only the next one")))
        };
        runtime.register_session_hook("post_turn", once).unwrap();
        let keyed = |_: &pintle_host::HookEvent<'_>| Reminder {
            body: String::from("mind the tests"),
            dedupe_key: Some(String::from("tests")),
            ..Reminder::default()
        };
        runtime.register_session_hook("post_turn", keyed).unwrap();
    });
    fixture.session.turn("go").unwrap();
    let holds = |text: &str| -> Vec<usize> {
        (0..fixture.model.count()).map(|request| fixture.sent(request).matches(text).count()).collect()
    };
    assert_eq!(holds("only the next one"), [0, 1, 0, 0, 0]);
    assert!(holds("mind the tests").iter().all(|count| *count <= 1), "{:?}", holds("mind the tests"));
}

#[test]
fn a_preserved_reminder_outlives_a_compaction_and_others_do_not() {
    let mut fixture = open_fixture([say("a"), say("the gist"), say("b")], |runtime| {
        let remind = |event: &pintle_host::HookEvent<'_>| {
            let kept =
                Reminder { body: String::from("kept for good"), preserve_on_compact: true, ..Reminder::default() };
            let gone = Reminder { body: String::from("gone with it"), ..Reminder::default() };
            (event.turn() == 1).then(|| HookReturn::reminders([kept, gone]))
        };
        runtime.register_session_hook("post_turn", remind).unwrap();
    });
    fixture.session.turn("one").unwrap();
    fixture.session.compact(None).unwrap().unwrap();
    fixture.session.turn("two").unwrap();
    let sent = fixture.sent(2);
    assert!(sent.contains("kept for good") && !sent.contains("gone with it"), "{sent}");
}

#[test]
fn tape_of_registered_hooks_replays_byte_for_byte_without_them() {
    let calls = call(&[("exec_ls", "{}"), ("look", r#"{"n":1}"#), ("break", "{}"), ("fetch_page", "{}")]);
    let mut fixture = open_fixture([calls, say("done")], |runtime| {
        runtime.register_tool_hook(ToolHook::for_tools("exec_*").deny("exec is gated")).unwrap();
        runtime.register_tool_hook(ToolHook::for_tools("look").pre(|_| HookReturn::args(json!({"n": 2})))).unwrap();
        runtime
            .register_tool_hook(ToolHook::for_tools("fetch_*").pre(|_| Reminder::for_one_turn("about to fetch")))
            .unwrap();
        runtime.register_tool_hook(ToolHook::for_tools("*").max_output(3).post(|_| panic_if_broken())).unwrap();
        runtime.register_session_hook("post_turn", |_| Err::<(), _>("odd")).unwrap();
    });
    fixture.session.turn("go").unwrap();
    fixture.session.end();
    let lines = fixture.runtime.tape().unwrap().lines();
    let text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
    drop(fixture);
    let replayed =
        pintle_host::tape::replay::replay(text.as_bytes(), &pintle_host::tape::replay::ReplayOptions::default())
            .unwrap();
    assert_eq!(replayed.difference, None);
    assert_eq!(replayed.tape, text.as_bytes());
    assert!(replayed.calls > 8, "{}", replayed.calls);
}

fn panic_if_broken() {
    panic!("odd");
}
