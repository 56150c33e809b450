//! Shadow mode: asked, recorded, not enforced.

use pintle_contract::{ApprovalResponse, Effect, HookId, Layer, Profile, ShadowVerdict};

use crate::model::{HookCase, ScriptedAnswer, build_chain, build_set, run_dispatch, set_x, tool_event};

#[test]
fn rule_38_a_shadow_hook_is_asked_and_recorded_and_nothing_follows() {
    let event = tool_event("a", 0);
    for says in [ScriptedAnswer::Deny, ScriptedAnswer::Ask, ScriptedAnswer::Fail, set_x(1)] {
        for profile in crate::model::PROFILES {
            let shadow = HookCase { shadow: true, ..HookCase::always("s", says.clone()) };
            let expected = ShadowVerdict { hook: HookId::new("s"), verdict: shadow.verdict(event.payload.value()) };
            let chains = [build_chain(Layer::Project, profile, [shadow, HookCase::always("y", ScriptedAnswer::Allow)])];
            let outcome = run_dispatch(&build_set(&chains, &event.name), &event, &ApprovalResponse::Unavailable);
            assert!(outcome.is_allowed() && outcome.approved && outcome.payload.ptr_eq(&event.payload));
            assert_eq!((outcome.shadow, outcome.hooks_called), (vec![expected], 2));
            assert_eq!(outcome.effects, [(HookId::new("y"), Effect::Notice(String::from("y")))]);
            assert!(outcome.failures.is_empty());
        }
    }
}

#[test]
fn rule_39_an_enforced_hook_beside_a_shadow_hook_is_enforced() {
    let event = tool_event("a", 0);
    let shadow = HookCase { shadow: true, ..HookCase::always("s", ScriptedAnswer::Allow) };
    let chains = [build_chain(
        Layer::Project,
        Profile::SequentialFirstDeny,
        [shadow, HookCase::always("d", ScriptedAnswer::Deny)],
    )];
    assert!(!run_dispatch(&build_set(&chains, &event.name), &event, &ApprovalResponse::Unavailable).is_allowed());
}
