//! Any value gives a verdict.

use pintle_contract::{Effect, VerdictKind};
use proptest::prelude::*;
use serde_json::Value;

use super::answer;
use crate::harn::ROWS;

/// Any JSON value, with words of the protocol in the keys and values that matter.
fn any_value() -> impl Strategy<Value = Value> {
    let words = prop::sample::select(vec![
        "block",
        "deny",
        "decision",
        "reason",
        "args",
        "result",
        "output",
        "modify",
        "action",
        "reminder",
        "then",
        "effects",
        "body",
        "tags",
        "ttl_turns",
        "propagate",
        "type",
        "spec",
        "denial",
        "kind",
        "truncated",
        "all",
        "x",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        words.clone().prop_map(Value::from)
    ];
    leaf.prop_recursive(5, 32, 4, move |inner| {
        let fields = prop::collection::vec((words.clone().prop_map(str::to_owned), inner.clone()), 0..5);
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(Value::from),
            fields.prop_map(|fields| fields.into_iter().collect())
        ]
    })
}

proptest! {
    #[test]
    fn any_value_is_a_verdict_and_unsupported_controls_do_not_pass(
        which in 0..ROWS.len(),
        value in any_value(),
    ) {
        let row = &ROWS[which];
        let verdict = answer(row.name, value);
        match &verdict.kind {
            VerdictKind::Deny { .. } => prop_assert!(row.veto),
            VerdictKind::Allow { .. } | VerdictKind::Ask { .. } => prop_assert!(row.decides),
            VerdictKind::Rewrite(_) => prop_assert!(row.rewrites.is_some()),
            VerdictKind::Failed(failure) => {
                let names_both = failure.message.starts_with(&format!("hook policy.star:3 ({}) ", row.name));
                prop_assert!(names_both, "{}", failure.message);
                prop_assert!(!failure.message.contains('\n'));
                prop_assert!(verdict.effects.is_empty());
            }
            VerdictKind::Pass => {}
        }
        for effect in &verdict.effects {
            if let Effect::Reminder(reminder) = effect {
                prop_assert!(!reminder.body.trim().is_empty());
            }
        }
    }
}
