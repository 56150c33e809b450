//! Shadow mode: asked, recorded, not enforced.

use pintle_contract::{ApprovalResponse, Effect, HookId, Layer, Profile, ShadowVerdict};

use crate::model::{Says, Spec, links, run, set, set_x, tool};

#[test]
fn rule_38_a_shadow_hook_is_asked_and_recorded_and_nothing_follows() {
    let event = tool("a", 0);
    for says in [Says::Deny, Says::Ask, Says::Fail, set_x(1)] {
        for profile in crate::model::PROFILES {
            let shadow = Spec { shadow: true, ..Spec::says("s", says.clone()) };
            let expected = ShadowVerdict { hook: HookId::new("s"), verdict: shadow.verdict(event.payload.value()) };
            let chains = [links(Layer::Project, profile, [shadow, Spec::says("y", Says::Allow)])];
            let outcome = run(&set(&chains, &event.name), &event, &ApprovalResponse::Unavailable);
            assert!(outcome.is_allowed() && outcome.approved && outcome.payload.ptr_eq(&event.payload));
            assert_eq!((outcome.shadow, outcome.hooks_called), (vec![expected], 2));
            assert_eq!(outcome.effects, [(HookId::new("y"), Effect::Notice(String::from("y")))]);
            assert!(outcome.failures.is_empty());
        }
    }
}

#[test]
fn rule_39_an_enforced_hook_beside_a_shadow_hook_is_enforced() {
    let event = tool("a", 0);
    let shadow = Spec { shadow: true, ..Spec::says("s", Says::Allow) };
    let chains = [links(Layer::Project, Profile::SequentialFirstDeny, [shadow, Spec::says("d", Says::Deny)])];
    assert!(!run(&set(&chains, &event.name), &event, &ApprovalResponse::Unavailable).is_allowed());
}
