//! Reminders and their forms.

use pintle_contract::{Effect, Reminder, ReminderAuthority, ReminderPropagation, ReminderRoleHint};
use serde_json::{Value, json};

use super::super::reminder::KEYS;
use super::{VerdictKind, answer, message};
use crate::harn::ROWS;

fn bodies(value: Value) -> Vec<String> {
    let effects = answer("PostTurn", value).effects;
    effects
        .into_iter()
        .map(|effect| match effect {
            Effect::Reminder(reminder) => reminder.body,
            other => panic!("{other:?}"),
        })
        .collect()
}

#[test]
fn every_key_of_a_specification_is_read() {
    let verdict = answer(
        "PostTurn",
        json!({
            "body": "  look  ", "tags": [" a ", "b", "a", ""], "dedupe_key": " k ", "ttl_turns": 2,
            "preserve_on_compact": true, "propagate": "all", "role_hint": "ephemeral_cache", "authority": "advisory",
        }),
    );
    let wanted = Reminder {
        body: String::from("look"),
        tags: vec![String::from("a"), String::from("b")],
        dedupe_key: Some(String::from("k")),
        ttl_turns: Some(2),
        preserve_on_compact: true,
        propagate: ReminderPropagation::All,
        role_hint: ReminderRoleHint::EphemeralCache,
        authority: ReminderAuthority::Advisory,
    };
    assert_eq!(verdict.effects, [Effect::Reminder(wanted)]);
}

#[test]
fn what_a_specification_leaves_out_has_the_documented_default() {
    let verdict = answer("PostTurn", json!({"body": "look"}));
    let Some(Effect::Reminder(reminder)) = verdict.effects.first() else { panic!() };
    assert_eq!(*reminder, Reminder { body: String::from("look"), ..Reminder::default() });
    assert_eq!((reminder.propagate, reminder.role_hint), (ReminderPropagation::Session, ReminderRoleHint::System));
    assert_eq!(reminder.authority, ReminderAuthority::Contract);
}

#[test]
fn reminders_come_in_every_documented_form() {
    let list = json!([
        {"reminder": {"body": "one"}},
        {"body": "two"},
        {"type": "reminder", "body": "three"},
        {"type": "reminder", "spec": {"body": "four"}},
        {"effects": [{"body": "five"}]},
    ]);
    assert_eq!(bodies(list.clone()), ["one", "two", "three", "four", "five"]);
    assert_eq!(bodies(json!({"effects": list})), ["one", "two", "three", "four", "five"]);
    assert_eq!(bodies(json!({"effects": {"body": "alone"}})), ["alone"]);
    assert_eq!(bodies(json!({"reminder": {"body": "a"}, "then": {"body": "b"}})), ["a", "b"]);
    for def in ROWS {
        assert_eq!(answer(def.name, json!({"body": "x"})).effects.len(), 1, "{}", def.name);
    }
}

#[test]
fn then_is_followed_thirty_two_levels_deep() {
    let nested = |levels: usize| {
        (0..levels).fold(json!({"body": "in"}), |inner, _| json!({"reminder": {"body": "x"}, "then": inner}))
    };
    assert_eq!(bodies(nested(32)).len(), 33);
    assert!(message("PostTurn", nested(33)).contains("returned effects nested more than 32 deep"));
    assert!(message("PostTurn", json!({"then": true})).contains("`then` and no `reminder`"));
}

#[test]
fn a_bad_specification_says_what_is_wrong_with_the_documented_code() {
    for (spec, wanted) in [
        (json!({"body": "x", "bdy": 1}), "HARN-RMD-001: unknown reminder option `bdy`; did you mean `body`?"),
        (json!({"body": "x", "colour": 1, "b": 2}), "HARN-RMD-001: unknown reminder option `colour`, `b`"),
        (
            json!({"body": "x", "propagate": "everywhere"}),
            "HARN-RMD-005: `propagate` must be one of \"all\", \"session\", \"none\", not \"everywhere\"",
        ),
        (json!({"body": " "}), "`body` must be a non-empty string"),
        (json!({}), "`body` must be a non-empty string"),
        (json!({"body": "x", "ttl_turns": 0}), "`ttl_turns` must be a whole number above 0, not 0"),
        (json!({"body": "x", "ttl_turns": "2"}), "`ttl_turns` must be a whole number above 0, not a string"),
        (json!({"body": "x", "tags": ["a", 3]}), "`tags` must contain strings, not a number"),
        (json!({"body": "x", "tags": "a"}), "`tags` must be a list of strings, not a string"),
        (json!({"body": "x", "dedupe_key": ""}), "`dedupe_key` must not be empty"),
        (json!({"body": "x", "preserve_on_compact": 1}), "`preserve_on_compact` must be true or false, not a number"),
        (
            json!({"body": "x", "role_hint": "boss"}),
            "`role_hint` must be one of \"system\", \"developer\", \"user_block\", \"ephemeral_cache\", not \"boss\"",
        ),
        (
            json!({"body": "x", "authority": 1}),
            "`authority` must be one of \"contract\", \"corrective\", \"advisory\", not a number",
        ),
    ] {
        let told = message("PostTurn", json!({"reminder": spec.clone()}));
        assert_eq!(told, format!("hook policy.star:3 (PostTurn) returned a bad reminder: {wanted}"), "{spec}");
    }
    assert!(message("PostTurn", json!({"reminder": "x"})).contains("a reminder must be a table, not a string"));
    assert!(message("PostTurn", json!([1])).contains("a list with a number in it, not a reminder"));
    assert!(message("PostTurn", json!([{"deny": "x"}])).contains("a list with a table in it that is not a reminder"));
    assert!(message("PostTurn", json!([{"type": "metric"}])).contains("the only type is \"reminder\""));
}

#[test]
fn a_goal_is_not_pinned_and_says_so() {
    assert!(KEYS.contains(&"goal_pin"));
    let verdict = answer("PostTurn", json!({"body": "x", "goal_pin": true}));
    assert_eq!(verdict.kind, VerdictKind::Pass);
    assert_eq!(verdict.warnings, ["`goal_pin` of a reminder has no effect: Pintle does not pin goals"]);
}
