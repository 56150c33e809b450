//! The calls of one answer take their way at once, and nothing that can be seen depends on which was faster.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail by panicking")]

use crate::support;

mod signs;

use std::sync::{Arc, Mutex};

use pintle_host::contract::DenyEffect;
use pintle_host::tape::replay::{ReplayOptions, replay};
use pintle_host::tape::verify::verify_bytes;
use pintle_host::tape::{HostRecord, RecordBody, read_bytes};
use pintle_host::{Effect, Hook, Reminder, Verdict};
use serde_json::{Value, json};

use signs::{BatchFixture, BatchScenario, CountingApprover, call_id, waiting_hook};
use support::hook;

const CALLS: usize = 6;

/// The calls say their numbers.
fn numbered_calls(count: usize) -> impl Iterator<Item = Value> {
    (1..=count).map(|number| json!({"say": number.to_string()}))
}

/// What the tape says happened, in its order, without the calls' durations.
fn tape_lines(tape: &[u8]) -> Vec<String> {
    let line = |body: &RecordBody<'_>| match body {
        RecordBody::Event(fired) => {
            let payload = &fired.payload;
            let id = payload.get("id").or_else(|| payload.get("call_id")).and_then(Value::as_str).unwrap_or_default();
            Some(format!("{} {}: {id}", fired.dispatch, fired.event))
        }
        RecordBody::HookCall(asked) => Some(format!("{} call {} of {}", asked.dispatch, asked.call, asked.hook)),
        RecordBody::HookReturned(answered) => {
            Some(format!("{} return {}: {:?}", answered.dispatch, answered.call, answered.verdict.kind))
        }
        RecordBody::Outcome(decided) => Some(format!("{} outcome", decided.dispatch)),
        RecordBody::Effect(effected) => Some(format!("{:?} effect {:?}", effected.dispatch, effected.call)),
        RecordBody::Approval(resolved) => Some(format!("{:?} approval", resolved.dispatch)),
        RecordBody::Host(HostRecord::ToolCall(call)) => Some(format!("runs {}", call.id)),
        RecordBody::Host(HostRecord::Message(message)) => Some(format!("message {}", message.message)),
        RecordBody::Host(HostRecord::Reminder(changed)) => Some(format!("reminder {}", changed.reminder.body)),
        _ => None,
    };
    read_bytes(tape).unwrap().records.iter().filter_map(|record| line(&record.body)).collect()
}

/// Ends the session. Its tape has to verify and to replay.
fn checked_tape(fixture: BatchFixture) -> Vec<u8> {
    let tape = fixture.into_tape();
    let report = verify_bytes(&tape).unwrap();
    assert!(report.is_complete(), "{report:?}\n{}", String::from_utf8_lossy(&tape));
    let again = replay(&tape, &ReplayOptions::default()).unwrap();
    assert!(again.difference.is_none() && again.tape == tape, "{:?}", again.difference);
    tape
}

/// A hook that is asked about a call only once all calls are being asked about.
fn meeting_hook(scenario: &BatchScenario, event: &'static str) -> Hook {
    let signs = scenario.signs.clone();
    waiting_hook("meets", event, move |call| {
        signs.show(format!("{event} {}", call_id(call)));
        let has_met = (1..=CALLS).all(|number| signs.wait_for(&format!("{event} {number}")));
        if has_met { Verdict::pass() } else { Verdict::deny("alone") }
    })
}

#[test]
fn the_hooks_of_all_calls_are_asked_at_once_at_every_stage() {
    for event in ["tool.transform", "tool.guard", "tool.pre", "permission.reply", "tool.result", "tool.post"] {
        let scenario = BatchScenario::from_calls(numbered_calls(CALLS));
        let meets = meeting_hook(&scenario, event);
        let mut fixture = scenario.hook(meets).open();
        assert_eq!(fixture.play(), ["1", "2", "3", "4", "5", "6"], "{event}");
        checked_tape(fixture);
    }
}

#[test]
fn a_call_goes_on_while_the_hooks_of_a_later_one_think() {
    let scenario = BatchScenario::from_calls([json!({"show": "first runs", "wait": "second is reviewed"}), json!({})]);
    let (checks, reviews) = (scenario.signs.clone(), scenario.signs.clone());
    let checks = waiting_hook("checks", "tool.guard", move |call| match call_id(call).as_str() {
        "2" if !checks.wait_for("first runs") => Verdict::deny("the first call does not run"),
        _ => Verdict::pass(),
    });
    let reviews = waiting_hook("reviews", "tool.post", move |call| {
        reviews.show(if call_id(call) == "2" { "second is reviewed" } else { "first is reviewed" });
        Verdict::pass()
    });
    let mut fixture = scenario.hook(checks).hook(reviews).open();
    assert_eq!(fixture.play(), ["done", "done"]);
    checked_tape(fixture);
}

#[test]
fn a_hook_that_ends_the_run_stops_an_earlier_call_that_still_runs() {
    let scenario = BatchScenario::from_calls([json!({"show": "runs", "wait": "cancel"}), json!({"wait": "runs"})]);
    let stops = waiting_hook("stops", "tool.post", |call| match call_id(call).as_str() {
        "2" => Verdict::deny("enough"),
        _ => Verdict::pass(),
    });
    let mut fixture = scenario.hook(Hook { on_deny: DenyEffect::StopRun, ..stops }).open();
    assert_eq!(fixture.session.turn("go").unwrap_err().message, "enough");
    let lines = tape_lines(&checked_tape(fixture));
    let messages: Vec<&String> = lines.iter().filter(|line| line.contains("\"tool\"")).collect();
    assert!(messages.len() == 2 && messages[0].contains("stopped") && messages[1].contains("done"), "{messages:?}");
}

/// The session's tape if the hooks of one event end in this order.
fn tape_of_order(event: &'static str, order: [&'static str; 4]) -> Vec<u8> {
    let scenario = BatchScenario::from_calls(numbered_calls(4));
    let signs = scenario.signs.clone();
    let ordered = waiting_hook("ordered", event, move |call| {
        let id = call_id(call);
        let before = order.iter().position(|other| *other == id).unwrap();
        let is_next = before == 0 || signs.wait_for(&format!("{} has ended", order[before - 1]));
        let note = Effect::Context(format!("about {id}"));
        let reminder = Effect::Reminder(Reminder::for_one_turn(format!("remember {id}")));
        signs.show(format!("{id} has ended"));
        if is_next { Verdict::pass().with_effect(note).with_effect(reminder) } else { Verdict::deny("out of order") }
    });
    let mut fixture = scenario.hook(ordered).open();
    assert_eq!(fixture.play(), ["1", "2", "3", "4"], "{event} {order:?}");
    checked_tape(fixture)
}

#[test]
fn the_tape_and_the_effects_are_in_the_order_of_the_calls_whoever_ends_first() {
    for event in ["tool.transform", "tool.guard", "tool.pre", "permission.reply", "tool.result", "tool.post"] {
        let forwards = tape_lines(&tape_of_order(event, ["1", "2", "3", "4"]));
        for order in [["4", "3", "2", "1"], ["2", "4", "1", "3"], ["3", "1", "4", "2"]] {
            assert_eq!(tape_lines(&tape_of_order(event, order)), forwards, "{event} {order:?}");
        }
        let position = |start: &str| forwards.iter().position(|line| line.contains(start)).unwrap();
        assert!(position("remember 1") < position("remember 2") && position("remember 3") < position("remember 4"));
    }
}

#[test]
fn hooks_that_keep_state_hear_the_calls_one_after_another() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let keeps = |event: &'static str| {
        let heard = Arc::clone(&heard);
        hook("keeps", event, move |call| {
            heard.lock().unwrap().push(format!("{event} {}", call_id(call)));
            Verdict::pass()
        })
    };
    let tools = Arc::clone(&heard);
    let scenario = BatchScenario::from_calls(numbered_calls(3)).hook(keeps("tool.pre")).hook(keeps("tool.post"));
    let mut fixture = scenario.hook(keeps("tool.guard")).open();
    assert_eq!(fixture.play(), ["1", "2", "3"]);
    let wanted: Vec<String> =
        ["tool.guard 1", "tool.pre 1", "tool.guard 2", "tool.pre 2", "tool.guard 3", "tool.pre 3"]
            .into_iter()
            .chain(["tool.post 1", "tool.post 2", "tool.post 3"])
            .map(str::to_owned)
            .collect();
    assert_eq!(*tools.lock().unwrap(), wanted);
    checked_tape(fixture);
}

#[test]
fn no_tool_starts_before_the_hooks_that_keep_state_have_judged_every_call() {
    let scenario = BatchScenario::from_calls([json!({"show": "runs"}), json!({"show": "runs"})]);
    let has_run = Arc::new(Mutex::new(false));
    let (asks, tells) = (Arc::clone(&has_run), Arc::clone(&has_run));
    let judges = hook("judges", "tool.pre", move |_| match *asks.lock().unwrap() {
        true => Verdict::deny("a tool has run"),
        false => Verdict::pass(),
    });
    let tells = waiting_hook("tells", "tool.post", move |_| {
        *tells.lock().unwrap() = true;
        Verdict::pass()
    });
    let mut fixture = scenario.hook(judges).hook(tells).open();
    assert_eq!(fixture.play(), ["done", "done"]);
    checked_tape(fixture);
}

#[test]
fn the_person_is_asked_about_one_call_after_another() {
    for event in ["tool.guard", "tool.pre"] {
        let approver = Arc::new(CountingApprover::default());
        let scenario = BatchScenario::from_calls(numbered_calls(3));
        let signs = scenario.signs.clone();
        // The hooks answer in the opposite order.
        let asks = waiting_hook("asks", event, move |call| {
            let number: usize = call_id(call).parse().unwrap();
            let is_next = number == 3 || signs.wait_for(&format!("{} answered", number + 1));
            signs.show(format!("{number} answered"));
            if is_next { Verdict::ask("sure?") } else { Verdict::deny("out of order") }
        });
        let mut fixture = BatchScenario { approver: Some(approver.clone()), ..scenario.hook(asks) }.open();
        assert_eq!(fixture.play(), ["1", "2", "3"], "{event}");
        assert_eq!(*approver.0.lock().unwrap(), ["1", "2", "3"], "{event}");
        checked_tape(fixture);
    }
}

#[test]
fn a_denied_a_broken_and_a_changed_call_do_not_touch_their_siblings() {
    pintle_testkit::quiet_panics("fell over");
    let mut calls: Vec<Value> = numbered_calls(CALLS).collect();
    calls[4] = json!({"wait": "panic"});
    let scenario = BatchScenario::from_calls(calls);
    let meets = meeting_hook(&scenario, "tool.guard");
    let judges = waiting_hook("judges", "tool.pre", |call| match call_id(call).as_str() {
        "2" => Verdict::deny("not this one"),
        "3" => panic!("fell over"),
        "4" => Verdict::rewrite(json!({"args": {"say": "changed"}}).as_object().unwrap().clone()),
        _ => Verdict::pass(),
    });
    let mut fixture = scenario.hook(meets).hook(judges).open();
    let results = fixture.play();
    let starts = ["1", "tool blocked: ", "tool blocked: ", "changed", "tool error: tool \"sign\" crashed", "6"];
    assert!(
        results.len() == CALLS && results.iter().zip(starts).all(|(text, start)| text.starts_with(start)),
        "{results:?}"
    );
    assert!(results[1].contains("not this one") && results[2].contains("a policy check failed"), "{results:?}");
    checked_tape(fixture);
}

#[test]
fn a_cancelled_turn_ends_all_calls_wherever_they_are() {
    for event in ["tool.guard", "tool.pre"] {
        let scenario = BatchScenario::from_calls([json!({"show": "runs", "wait": "cancel"}), json!({}), json!({})]);
        let (signs, cancel) = (scenario.signs.clone(), scenario.cancel.clone());
        let cancels = waiting_hook("ctrl_c", event, move |call| {
            if call_id(call) == "2" && signs.wait_for("runs") {
                cancel.cancel();
            }
            Verdict::pass()
        });
        let mut fixture = scenario.hook(cancels).open();
        assert_eq!(fixture.session.turn("go").unwrap_err().kind, pintle_agent::TurnErrorKind::Cancelled, "{event}");
        let lines = tape_lines(&checked_tape(fixture));
        assert_eq!(lines.iter().filter(|line| line.contains("tool.post")).count(), 3, "{event}: {lines:#?}");
        assert_eq!(lines.iter().filter(|line| line.starts_with("runs")).count(), 1, "{event}: {lines:#?}");
    }
}

#[test]
fn three_hundred_calls_are_counted_exactly() {
    let scenario = BatchScenario::from_calls(numbered_calls(300));
    let count = |event: &'static str| {
        hook("counts", event, move |call| {
            call.effects.metric_incr(call.caller(), event, 1).unwrap();
            Verdict::pass()
        })
    };
    let free = |event: &'static str| waiting_hook("free", event, |_| Verdict::pass());
    let scenario = scenario.hook(count("tool.pre")).hook(free("tool.guard")).hook(free("tool.post"));
    let mut fixture = scenario.hook(count("tool.result")).open();
    let wanted: Vec<String> = (1..=300).map(|number| number.to_string()).collect();
    assert_eq!(fixture.play(), wanted);
    let metrics = fixture.runtime.metrics();
    assert_eq!((&metrics["tool.pre"], &metrics["tool.result"]), (&json!(300), &json!(300)));
    checked_tape(fixture);
}
