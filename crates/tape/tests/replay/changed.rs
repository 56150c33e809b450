//! Tapes that were changed and whose digest chain was repaired.

use pintle_contract::{CancelToken, Layer, Profile, Verdict};
use pintle_tape::replay::DifferenceKind;
use pintle_testkit::{ScriptedHandler, chain, hook};
use serde_json::{Value, json};

use crate::replay::fixture::{
    ReplaySessionFixture, assert_replays_equal, forge_tape, increment_counter, replay_tape, tool_event,
};

/// Two dispatches with a guard that denies, between a hook that counts and a hook that is not called any more.
fn record_denials() -> Vec<u8> {
    let session = ReplaySessionFixture::new(false);
    let pre = || pintle_contract::EventName::parse("tool.pre").unwrap();
    let hooks = [
        hook("counts", pre(), ScriptedHandler::from_fn(|call| increment_counter(call, "n"))),
        hook("guard", pre(), ScriptedHandler::from_verdict(Verdict::deny("never"))),
        hook("late", pre(), ScriptedHandler::from_verdict(Verdict::pass())),
    ];
    let set = session.load(vec![chain(Layer::User, Profile::SequentialFirstDeny, hooks)]);
    for _ in 0..2 {
        session.fire(&set, &tool_event("run", json!({"a": 1})), &CancelToken::default(), None);
    }
    session.bytes()
}

fn index_of_kind(records: &mut [Value], kind: &str) -> usize {
    records.iter().rposition(|record| record["kind"] == kind).unwrap()
}

type RecordsEdit = fn(&mut Vec<Value>);

/// The change, the line of the difference, its record kind, and its hook.
fn list_changes() -> Vec<(&'static str, RecordsEdit, usize, &'static str, Option<&'static str>)> {
    vec![
        (
            "a deny becomes an allow",
            |all| {
                let index = index_of_kind(all, "outcome");
                all[index]["decision"] = json!("allow");
                all[index].as_object_mut().unwrap().shift_remove("reasons");
            },
            18,
            "outcome",
            Some("guard"),
        ),
        (
            "a reason is edited",
            |all| {
                let index = index_of_kind(all, "outcome");
                all[index]["reasons"][0]["text"] = json!("perhaps");
            },
            18,
            "outcome",
            Some("guard"),
        ),
        (
            "an answer is edited",
            |all| {
                let index = index_of_kind(all, "hook_returned");
                all[index]["verdict"] = json!({"kind": "pass"});
            },
            17,
            "hook_vetoed",
            Some("guard"),
        ),
        (
            "an answer is edited and its veto taken away",
            |all| {
                let index = index_of_kind(all, "hook_returned");
                all[index]["verdict"] = json!({"kind": "pass"});
                all.remove(index + 1);
            },
            17,
            "outcome",
            Some("guard"),
        ),
        (
            "a veto is taken away",
            |all| {
                let index = index_of_kind(all, "hook_vetoed");
                all.remove(index);
            },
            17,
            "outcome",
            Some("guard"),
        ),
        (
            "a call is added",
            |all| {
                let index = index_of_kind(all, "hook_call");
                let mut call = all[index].clone();
                (call["hook"], call["entry"], call["call"]) = (json!("late"), json!(2), json!(77));
                let mut returned = all[index + 1].clone();
                (returned["hook"], returned["call"], returned["verdict"]) =
                    (json!("late"), json!(77), json!({"kind": "pass"}));
                all.insert(index + 3, call);
                all.insert(index + 4, returned);
            },
            18,
            "hook_call",
            Some("late"),
        ),
        (
            "a call is taken away",
            |all| {
                let index = index_of_kind(all, "hook_call");
                all.drain(index..index + 3);
            },
            15,
            "outcome",
            Some("guard"),
        ),
        (
            "an answer is taken away",
            |all| {
                let index = index_of_kind(all, "hook_returned");
                all.remove(index);
            },
            16,
            "hook_vetoed",
            Some("guard"),
        ),
        (
            "calls change places",
            |all| {
                let (first, second) = (all[2].clone(), all[6].clone());
                assert_eq!((&first["kind"], &second["kind"]), (&json!("event"), &json!("hook_call")));
                let moved: Vec<Value> = all.drain(6..9).collect();
                all.splice(3..3, moved);
            },
            7,
            "hook_call",
            Some("counts"),
        ),
        (
            "a hook is another one's",
            |all| {
                let index = index_of_kind(all, "hook_call");
                all[index]["entry"] = json!(9);
            },
            15,
            "hook_call",
            Some("guard"),
        ),
        (
            "a hook's guard is taken away",
            |all| {
                all[1]["hooks"][1]["on_failure"] = json!("open");
                let index = index_of_kind(all, "hook_returned");
                all[index]["verdict"] = json!({"kind": "failed", "failure": {"kind": "crash", "message": "gone"}});
            },
            17,
            "hook_vetoed",
            Some("guard"),
        ),
        (
            "the event is another one",
            |all| {
                all[2]["event"] = json!("tool.per");
            },
            3,
            "event",
            None,
        ),
        (
            "the asked are miscounted",
            |all| {
                let index = index_of_kind(all, "outcome");
                all[index]["hooks_called"] = json!(3);
            },
            18,
            "outcome",
            Some("guard"),
        ),
        (
            "the payload's version is another one",
            |all| {
                let index = index_of_kind(all, "hook_call");
                all[index]["payload"] = json!(1);
            },
            15,
            "hook_call",
            Some("guard"),
        ),
        (
            "an outcome comes from nowhere",
            |all| {
                let index = index_of_kind(all, "outcome");
                let mut other = all[index].clone();
                other["dispatch"] = json!(40);
                all.push(other);
            },
            19,
            "outcome",
            Some("guard"),
        ),
        (
            "a dispatch begins twice",
            |all| {
                let event = all[2].clone();
                all.insert(3, event);
            },
            4,
            "event",
            Some("counts"),
        ),
    ]
}

#[test]
fn what_was_changed_is_found_though_the_chain_was_repaired() {
    let tape = record_denials();
    assert_replays_equal(&tape, "as it was written");
    assert_replays_equal(&forge_tape(&tape, |_| {}), "numbered and chained anew");
    let mut wrong = Vec::new();
    for (what, change, line, kind, hook) in list_changes() {
        let replayed = replay_tape(&forge_tape(&tape, change));
        let difference = replayed.difference.unwrap_or_else(|| panic!("{what}: nothing was found"));
        let found = (difference.line, difference.kind.as_str(), difference.hook.as_deref(), difference.difference_kind);
        if found != (line, kind, hook, DifferenceKind::Content) {
            wrong.push(format!("{what}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_difference_names_its_place_and_what_comes_out() {
    let tape = forge_tape(&record_denials(), |all| {
        let index = index_of_kind(all, "outcome");
        all[index]["decision"] = json!("allow");
    });
    let replayed = replay_tape(&tape);
    let found = replayed.difference.unwrap();
    assert_eq!((found.dispatch, found.event.as_deref()), (Some(2), Some("tool.pre")));
    assert!(found.expected.contains(r#""decision":"allow""#), "{}", found.expected);
    assert!(found.actual.unwrap().contains(r#""decision":"deny""#));
    // The new tape has what replay produces, and is a complete tape itself.
    assert_replays_equal(&replayed.tape, "the new tape");
}

#[test]
fn a_broken_chain_a_wrong_number_and_another_spelling_are_found() {
    let tape = String::from_utf8(record_denials()).unwrap();
    let lines: Vec<&str> = tape.lines().collect();
    let with = |index: usize, line: String| {
        let mut lines: Vec<&str> = lines.clone();
        lines[index] = &line;
        format!("{}\n", lines.join("\n")).into_bytes()
    };
    let (prev, seq) = (lines[4].replacen("\"prev\":\"", "\"prev\":\"0", 1), lines[4].replace("\"seq\":4", "\"seq\":5"));
    let input = lines[4].replace("\"kind\":\"effect\",", "\"kind\":\"effect\", ");
    let cases = [
        (with(4, prev), 5, DifferenceKind::Chain),
        (with(4, seq), 5, DifferenceKind::Chain),
        (with(4, input), 5, DifferenceKind::Encoding),
        // A change without a repaired chain shows in the next line.
        (with(4, lines[4].replace("\"amount\":1", "\"amount\":2")), 6, DifferenceKind::Chain),
    ];
    for (tape, line, reason) in cases {
        let found = replay_tape(&tape).difference.unwrap();
        assert_eq!((found.line, found.difference_kind), (line, reason), "{found:#?}");
    }
}

#[test]
fn rewrite_is_replayed_with_the_values_that_it_refers_to() {
    let session = ReplaySessionFixture::new(false);
    let args = json!({"text": "x".repeat(2_000), "data": {"$blob": "ab"}});
    let rewrite = move || Verdict::rewrite([(String::from("args"), args.clone())].into_iter().collect());
    let pre = || pintle_contract::EventName::parse("tool.pre").unwrap();
    let hooks = [
        hook("shape", pre(), ScriptedHandler::from_fn(move |_| rewrite())),
        hook("late", pre(), ScriptedHandler::from_verdict(Verdict::pass())),
    ];
    let set = session.load(vec![chain(Layer::User, Profile::SequentialFirstDeny, hooks)]);
    session.fire(&set, &tool_event("run", json!({"text": "short"})), &CancelToken::default(), None);
    let tape = session.bytes();
    assert_replays_equal(&tape, "as it was written");
    // An object that only looks like a reference is not what the hook returned.
    let forged = forge_tape(&tape, |all| {
        let index = all.iter().position(|record| record["value"]["args"]["text"]["$blob"].is_string()).unwrap();
        let text = &mut all[index]["value"]["args"]["text"];
        *text = json!({"$$blob": text["$blob"]});
    });
    let found = replay_tape(&forged).difference.unwrap();
    assert_eq!((found.kind.as_str(), found.difference_kind), ("hook_call", DifferenceKind::Content));
}
