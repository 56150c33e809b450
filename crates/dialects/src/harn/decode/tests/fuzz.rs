//! Any value gives a verdict.

use pintle_contract::{Effect, VerdictKind};
use proptest::prelude::*;

use super::answer;
use crate::harn::ROWS;
use crate::test_support::any_json;

/// The words of the protocol.
const WORDS: &[&str] = &[
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
];

proptest! {
    #[test]
    fn any_value_is_a_verdict_and_unsupported_controls_do_not_pass(
        which in 0..ROWS.len(),
        value in any_json(WORDS, 5),
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
