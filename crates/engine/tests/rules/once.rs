//! A guard that is asked again does not rewrite a second time, but over a lower layer.

use pintle_contract::{ApprovalResponse, CancelToken, Decision, Layer, Profile};
use pintle_testkit::{InMemoryEffects, ScriptedApprover};
use proptest::prelude::*;
use proptest::sample::select;

use crate::model::{
    ChainFixture, DispatchFixture, HookCase, PayloadCondition, ScriptedAnswer, build_chain, build_set, run_dispatch,
    set_x, tool_event,
};
use crate::naive::JournaledStep;
use crate::properties::StepJournal;

/// A rewrite that sets or one that builds on what there is.
fn any_set_or_add() -> impl Strategy<Value = ScriptedAnswer> {
    prop_oneof![(1..4_i64).prop_map(ScriptedAnswer::Add), (1..9_i64).prop_map(set_x), Just(ScriptedAnswer::Pass)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, max_global_rejects: 100_000, ..ProptestConfig::default() })]

    /// The order is the rule: whether a rewriting hook can deny changes nothing about what the hooks of a layer make of a
    /// target, and no hook rewrites it twice.
    #[test]
    fn rule_60_guards_of_a_layer_rewrite_once_and_in_order(
        chains in prop::collection::vec(prop::collection::vec((any_set_or_add(), any::<bool>()), 0..4), 0..3),
        run_all in any::<bool>(),
        forbidden in 0..12_i64,
    ) {
        let event = tool_event("a", 0);
        let profile = if run_all { Profile::SequentialRunAll } else { Profile::SequentialFirstDeny };
        let mut number = 0;
        let chains: Vec<ChainFixture> = chains.into_iter().map(|hooks| build_chain(Layer::Project, profile, hooks.into_iter().map(|(says, guard)| {
            number += 1;
            let id = format!("h{number}");
            // A guard that has nothing to refuse, one that refuses one value, and a hook that cannot refuse.
            match guard {
                true => HookCase::new(&id, PayloadCondition::XEquals(forbidden), ScriptedAnswer::Deny, says),
                false => HookCase { guard: false, ..HookCase::always(&id, says) },
            }
        }))).collect();
        let hooks: Vec<&HookCase> = chains.iter().flat_map(|links| &links.hooks).collect();
        let (mut target, mut refused, mut maker) = (event.payload.value().clone(), false, 0);
        for (at, spec) in hooks.iter().enumerate() {
            match spec.answer(&target) {
                ScriptedAnswer::Deny => refused = true,
                ScriptedAnswer::Set(fields) => {
                    // A hook that leaves the target as it is has not rewritten it yet.
                    prop_assume!(target["args"] != fields["args"]);
                    target["args"] = fields["args"].clone();
                    maker = at;
                }
                _ => {}
            }
        }
        // A guard is asked about the final target too, unless it made that itself.
        refused |= hooks[..maker.min(hooks.len())].iter().any(|spec| matches!(spec.answer(&target), ScriptedAnswer::Deny));
        let outcome = run_dispatch(&build_set(&chains, &event.name), &event, &ApprovalResponse::Unavailable);
        prop_assert_eq!(outcome.decision == Decision::Deny, refused, "{:?}", outcome);
        if !refused {
            prop_assert_eq!(outcome.payload.field("args"), target.get("args"));
        }
    }

    /// A lower layer does not undo what a guard above it made: the last word on the target is that of the upper guard.
    #[test]
    fn rule_61_a_lower_layer_does_not_undo_an_upper_guards_rewrite(
        sets in any::<bool>(),
        lower in prop::collection::vec((any_set_or_add(), any::<bool>()), 0..4),
        profile in select(vec![Profile::SequentialRunAll, Profile::ParallelMerge]),
    ) {
        let event = tool_event("a", 0);
        // One keeps `x` at 7, as a guard that keeps paths in a folder; the other builds on what there is.
        let upper = HookCase::new("upper", PayloadCondition::XEquals(99), ScriptedAnswer::Deny, if sets { set_x(7) } else { ScriptedAnswer::Add(10) });
        let below = lower.into_iter().enumerate().map(|(number, (says, guard))| {
            HookCase { guard, ..HookCase::always(&format!("l{number}"), says) }
        });
        let chains = [
            build_chain(Layer::User, Profile::SequentialFirstDeny, [upper.clone()]),
            build_chain(Layer::Project, profile, below),
        ];
        let steps = StepJournal::default();
        let (seam, resolver) = (InMemoryEffects::new(), ScriptedApprover::new(ApprovalResponse::Unavailable));
        let world =
            DispatchFixture { journal: &steps, effects: &seam, approver: &resolver, shadow: false, cancel: CancelToken::default() };
        let outcome = world.dispatch(&build_set(&chains, &event.name), &event);
        prop_assert_eq!(outcome.decision, Decision::Allow, "{:?}", outcome);
        // What is used is what the upper guard made of what it saw last.
        let steps = steps.0.into_inner().unwrap();
        let seen = steps.iter().rev().find_map(|step| match step {
            JournaledStep::Call(hook, _, payload) if hook == "upper" => Some(payload.clone()),
            _ => None,
        });
        let ScriptedAnswer::Set(fields) = upper.answer(&seen.unwrap()) else { panic!("it rewrites") };
        prop_assert_eq!(outcome.payload.field("args"), fields.get("args"));
    }
}
