//! How chains follow each other.

use pintle_contract::{ApprovalResponse, Layer, Profile};
use pintle_engine::HookSet;

use crate::model::{
    HookCase, LAYERS, PROFILES, PayloadCondition, ScriptedAnswer, build_chain, build_set, run_dispatch, set_x,
    summarize_outcome, tool_event,
};

#[test]
fn rule_17_chains_stand_by_layer_then_load_order() {
    let event = tool_event("a", 0);
    let loaded = [Layer::Runtime, Layer::Project, Layer::Managed, Layer::Project, Layer::User, Layer::Agent];
    let chains: Vec<_> = loaded
        .iter()
        .enumerate()
        .map(|(number, layer)| {
            build_chain(*layer, PROFILES[0], [HookCase::always(&format!("h{number}"), ScriptedAnswer::Allow)])
        })
        .collect();
    let whole = build_set(&chains, &event.name);
    let order = |set: &HookSet| set.hooks().map(|(_, hook)| hook.id.to_string()).collect::<Vec<_>>().join(" ");
    assert_eq!(order(&whole), "h2 h4 h1 h3 h5 h0");
    // It makes no difference whether chains come at once or one by one.
    let grown = chains.iter().fold(HookSet::empty(), |grown, links| {
        grown.with_chains(build_set(std::slice::from_ref(links), &event.name).chains().to_vec())
    });
    assert_eq!(order(&grown), order(&whole));
    assert_eq!(
        summarize_outcome(&run_dispatch(&whole, &event, &ApprovalResponse::Unavailable)),
        "allow x=0 h2 h4 h1 h3 h5 h0"
    );
    let mut layers: Vec<Layer> = whole.chains().iter().map(|chain| chain.layer).collect();
    layers.dedup();
    assert_eq!(layers, LAYERS);
}

#[test]
fn rule_18_a_chains_rewrite_is_what_the_next_chain_sees() {
    for profile in [PROFILES[0], PROFILES[1], PROFILES[2]] {
        let event = tool_event("a", 0);
        let upper =
            build_chain(Layer::Managed, profile, [HookCase { guard: false, ..HookCase::always("w", set_x(1)) }]);
        let lower = build_chain(
            Layer::Project,
            profile,
            [HookCase::new("d", PayloadCondition::XEquals(1), ScriptedAnswer::Deny, ScriptedAnswer::Pass)],
        );
        let outcome = run_dispatch(&build_set(&[lower, upper], &event.name), &event, &ApprovalResponse::Unavailable);
        assert_eq!(summarize_outcome(&outcome), "deny x=1 d", "{profile}");
    }
}

#[test]
fn rule_19_a_plain_deny_ends_the_deciders() {
    let event = tool_event("a", 0);
    for profile in PROFILES {
        let (hook, later) = HookCase::always("later", ScriptedAnswer::Allow).build(&event.name);
        let denying = build_chain(Layer::User, profile, [HookCase::always("d", ScriptedAnswer::Deny)]);
        let set =
            build_set(&[denying], &event.name).with_chains([pintle_testkit::chain(Layer::Project, profile, [hook])]);
        assert_eq!(
            summarize_outcome(&run_dispatch(&set, &event, &ApprovalResponse::Unavailable)),
            "deny x=0 d",
            "{profile}"
        );
        later.check_calls(&[]).unwrap();
    }
}

#[test]
fn rule_20_an_allow_below_lifts_no_ask_above() {
    let event = tool_event("a", 0);
    let asking =
        build_chain(Layer::Managed, Profile::SequentialFirstDeny, [HookCase::always("k", ScriptedAnswer::Ask)]);
    let allowing =
        build_chain(Layer::Runtime, Profile::SequentialFirstDeny, [HookCase::always("y", ScriptedAnswer::Allow)]);
    let set = build_set(&[allowing, asking], &event.name);
    assert_eq!(summarize_outcome(&run_dispatch(&set, &event, &ApprovalResponse::Deferred)), "ask x=0 k");
    assert_eq!(summarize_outcome(&run_dispatch(&set, &event, &ApprovalResponse::Unavailable)), "deny x=0 k");
}
