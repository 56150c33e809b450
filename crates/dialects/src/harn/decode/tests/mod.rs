//! The return-value protocol: every event and every kind of value against a table, and its parts one by one.

mod fuzz;
mod matrix;
mod reminders;

use pintle_contract::{Effect, Event, FunctionOutput, Reminder, Rewrite, Verdict, VerdictKind};
use pintle_testkit::{catalogue_payload, plain_event};
use serde_json::{Value, json};

use super::decode;
use crate::harn::ROWS;

/// The example event of the catalogue for one of Harn's.
fn example_event(name: &str) -> Event {
    let def = ROWS.iter().find(|def| def.name == name).unwrap();
    plain_event(def.canonical.name(), catalogue_payload(def.canonical.name()))
}

fn answer(name: &str, value: Value) -> Verdict {
    let read = |returned| decode(&example_event(name), name, "policy.star:3", returned);
    let verdict = read(FunctionOutput::Value(value.clone()));
    // A table decodes the same in both its forms.
    if let Value::Object(fields) = value {
        let shown = format!("{fields:?}");
        assert_eq!(read(FunctionOutput::Table(fields.into_iter().collect())), verdict, "{name} {shown}");
    }
    verdict
}

fn message(name: &str, value: Value) -> String {
    match answer(name, value).kind {
        VerdictKind::Failed(failure) => failure.message,
        other => panic!("{other:?}"),
    }
}

fn rewritten_fields(value: Value) -> VerdictKind {
    let Value::Object(fields) = value else { panic!("{value}") };
    VerdictKind::Rewrite(Rewrite::Fields(fields))
}

#[test]
fn misuse_names_the_hook_the_event_the_shape_and_what_would_be_right() {
    for (event, value, wanted) in [
        (
            "UserPromptSubmit",
            json!(42),
            "hook policy.star:3 (UserPromptSubmit) returned a number; it must return nil, true, false or a table with \
             `block`, `deny` or `reminder`",
        ),
        (
            "PostTurn",
            json!(false),
            "hook policy.star:3 (PostTurn) returned false; it must return nil, true or a table with `reminder`",
        ),
        (
            "PreFinish",
            json!({"block": true}),
            "hook policy.star:3 (PreFinish) returned a table with `block`, which this event does not support; it must \
             return nil, true or a table with `reminder`",
        ),
        (
            "PreToolUse",
            json!({"dney": "no"}),
            "hook policy.star:3 (PreToolUse) returned a table with the unknown key `dney`, did you mean `deny`?; it must \
             return nil, true, false or a table with `block`, `deny`, `args` or `reminder`",
        ),
        (
            "PostToolUse",
            json!(7),
            "hook policy.star:3 (PostToolUse) returned a number; it must return nil, true, a string or a table with \
             `result` or `reminder`",
        ),
        (
            "PermissionAsked",
            json!({"decision": "maybe"}),
            "hook policy.star:3 (PermissionAsked) returned `decision` \"maybe\", which is not \"allow\", \"deny\" or \
             \"ask\"; it must return nil, true, false or a table with `block`, `deny`, `decision` or `reminder`",
        ),
    ] {
        assert_eq!(message(event, value.clone()), wanted, "{event} {value}");
    }
    let other = FunctionOutput::Other { type_name: String::from("function"), printed: String::from("<function f>") };
    let verdict = decode(&example_event("PreStep"), "PreStep", "", other);
    let VerdictKind::Failed(failure) = verdict.kind else { panic!() };
    assert!(failure.message.starts_with("hook without a name (PreStep) returned a function; "), "{}", failure.message);
}

#[test]
fn a_permission_is_decided_in_three_ways_and_nowhere_else() {
    for (value, wanted) in [
        (json!({"decision": "allow", "reason": "ci"}), VerdictKind::Allow { reason: String::from("ci") }),
        (json!({"decision": " DENY ", "reason": "no"}), VerdictKind::Deny { reason: String::from("no") }),
        (json!({"decision": "ask"}), VerdictKind::Ask { reason: String::new() }),
        // A veto dominates a decision.
        (json!({"decision": "allow", "block": true, "reason": "no"}), VerdictKind::Deny { reason: String::from("no") }),
    ] {
        assert_eq!(answer("PermissionAsked", value.clone()).kind, wanted, "{value}");
    }
    for def in ROWS.iter().filter(|def| def.name != "PermissionAsked") {
        assert!(matches!(answer(def.name, json!({"decision": "deny"})).kind, VerdictKind::Failed(_)), "{}", def.name);
    }
}

#[test]
fn step_is_denied_by_a_bare_reason_and_rewritten_by_both_keys() {
    for (event, value, wanted) in [
        ("PreStep", json!({"reason": "frozen"}), VerdictKind::Deny { reason: String::from("frozen") }),
        ("PreStep", json!({"action": "deny", "reason": "x"}), VerdictKind::Deny { reason: String::from("x") }),
        ("PreStep", json!({"args": [1]}), rewritten_fields(json!({"args": [1]}))),
        ("PreStep", json!({"modify": [2]}), rewritten_fields(json!({"args": [2]}))),
        ("PreStep", json!("Allow"), VerdictKind::Pass),
        ("PostStep", json!("Pass"), VerdictKind::Pass),
        ("PostStep", json!({"output": 1}), rewritten_fields(json!({"output": 1}))),
        ("PostStep", json!({"result": 1}), rewritten_fields(json!({"output": 1}))),
        ("PostStep", json!({"modify": 1}), rewritten_fields(json!({"output": 1}))),
    ] {
        assert_eq!(answer(event, value.clone()).kind, wanted, "{event} {value}");
    }
    assert!(message("PreStep", json!({"args": {"a": 1}})).contains("whose `args` is a table, not a list"));
    assert!(message("PostStep", json!({"output": 1, "result": 2})).contains("both `output` and `result`"));
}

#[test]
fn a_result_is_replaced_refused_or_marked_as_cut() {
    let denied = answer("PostToolUse", json!({"result": "gone", "denial": {"kind": "scope", "message": "no"}}));
    assert_eq!(denied.kind, rewritten_fields(json!({"content": "gone", "is_error": true})));
    let facts = |value: Value| Effect::Metadata(value.as_object().unwrap().clone());
    assert_eq!(denied.effects, [facts(json!({"denial": {"kind": "scope", "message": "no"}}))]);
    let cut = answer("PostToolUse", json!({"result": {"a": 1}, "truncated": true, "dropped_bytes": 9}));
    assert_eq!(cut.kind, rewritten_fields(json!({"result": {"a": 1}})));
    assert_eq!(cut.effects, [facts(json!({"truncated": true, "dropped_bytes": 9}))]);
    for (value, wanted) in [
        (json!({"result": "x", "denial": {"kind": ""}}), "returned a denial without `kind`"),
        (json!({"result": "x", "denial": {"kind": "a", "mesage": "b"}}), "a denial with the unknown key `mesage`"),
        (json!({"denial": {"kind": "a"}}), "a denial without `result`"),
        (json!({"result": "x", "truncated": true}), "`truncated` without `dropped_bytes`"),
        (json!({"result": "x", "truncated": true, "dropped_bytes": 0}), "`truncated` without `dropped_bytes`"),
        (json!({"result": "x", "dropped_bytes": 3}), "`dropped_bytes` without `truncated: true`"),
        (
            json!({"result": "x", "denial": {"kind": "a"}, "truncated": true, "dropped_bytes": 3}),
            "a denial that is also truncated",
        ),
    ] {
        let told = message("PostToolUse", value.clone());
        assert!(told.contains(wanted), "{value}: {told}");
    }
}

#[test]
fn a_deny_wins_over_new_arguments() {
    let both = answer("PreToolUse", json!({"args": {"a": 1}, "deny": "no"}));
    assert_eq!(both.kind, VerdictKind::Deny { reason: String::from("no") });
    assert_eq!(both.target_rewrite(), None);
}

#[test]
fn a_step_may_be_made_to_give_nothing() {
    let nothing = || rewritten_fields(json!({"output": null}));
    for (value, wanted) in [
        (json!({"output": null}), nothing()),
        (json!({"result": null}), nothing()),
        (json!({"modify": null, "deny": null}), nothing()),
        (json!({"reminder": {"body": "b"}, "output": null}), nothing()),
        (json!({"reminder": {"body": "b"}, "then": {"output": null}}), nothing()),
        (json!({"output": 1, "result": null}), rewritten_fields(json!({"output": 1}))),
        (json!({"deny": null}), VerdictKind::Pass),
        (json!({"body": "b", "output": null}), VerdictKind::Pass),
    ] {
        assert_eq!(answer("PostStep", value.clone()).kind, wanted, "{value}");
    }
    assert_eq!(answer("PostToolUse", json!({"result": null})).kind, VerdictKind::Pass);
}

#[test]
fn a_veto_has_the_first_reason_that_says_something() {
    let blocked = "UserPromptSubmit hook blocked the operation";
    for (value, wanted) in [
        (json!({"deny": "a", "reason": "b"}), "a"),
        (json!({"reason": "b", "deny": " "}), "b"),
        (json!({"reason": "b", "block": true}), "b"),
        (json!({"block": true, "deny": "a"}), "a"),
        (json!({"reason": " ", "block": true}), " "),
        (json!({"deny": ""}), blocked),
        (json!({"block": true}), blocked),
        (json!({"block": true, "reason": null}), blocked),
    ] {
        let denied = VerdictKind::Deny { reason: wanted.to_owned() };
        assert_eq!(answer("UserPromptSubmit", value.clone()).kind, denied, "{value}");
    }
}

#[test]
fn what_is_nil_is_not_there() {
    for value in [json!({"block": null}), json!({"deny": null, "reason": null}), json!({}), json!({"args": null})] {
        assert_eq!(answer("PreToolUse", value.clone()), Verdict::pass(), "{value}");
    }
}

#[test]
fn the_receipt_of_queued_work_passes() {
    let receipt = json!({"schema": "harn.context_maintenance.job_receipt.v1", "job_id": "a", "status": "queued"});
    assert_eq!(answer("FileEdited", receipt.clone()), Verdict::pass());
    assert_eq!(answer("UserPromptSubmit", receipt), Verdict::pass());
}

#[test]
fn the_inner_action_of_a_reminder_applies() {
    let verdict = answer("PreStep", json!({"reminder": {"body": "Audit step is running"}, "then": {"args": [3]}}));
    assert_eq!(verdict.kind, rewritten_fields(json!({"args": [3]})));
    let reminder = Reminder { body: String::from("Audit step is running"), ..Reminder::default() };
    assert_eq!(verdict.effects, [Effect::Reminder(reminder.clone())]);
    // Keys next to the reminder apply as well.
    let beside = answer("UserPromptSubmit", json!({"reminder": {"body": "Audit step is running"}, "block": true}));
    assert!(matches!(beside.kind, VerdictKind::Deny { .. }));
    assert_eq!(beside.effects, [Effect::Reminder(reminder)]);
}
