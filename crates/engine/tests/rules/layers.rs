//! How chains follow each other.

use pintle_contract::{ApprovalResponse, Layer, Profile};
use pintle_engine::HookSet;

use crate::model::{Is, LAYERS, PROFILES, Says, Spec, links, run, set, set_x, told, tool};

#[test]
fn rule_17_chains_stand_by_layer_then_load_order() {
    let event = tool("a", 0);
    let loaded = [Layer::Runtime, Layer::Project, Layer::Managed, Layer::Project, Layer::User, Layer::Agent];
    let chains: Vec<_> = loaded
        .iter()
        .enumerate()
        .map(|(number, layer)| links(*layer, PROFILES[0], [Spec::says(&format!("h{number}"), Says::Allow)]))
        .collect();
    let whole = set(&chains, &event.name);
    let order = |set: &HookSet| set.hooks().map(|(_, hook)| hook.id.to_string()).collect::<Vec<_>>().join(" ");
    assert_eq!(order(&whole), "h2 h4 h1 h3 h5 h0");
    // It makes no difference whether chains come at once or one by one.
    let grown = chains.iter().fold(HookSet::empty(), |grown, links| {
        grown.with(set(std::slice::from_ref(links), &event.name).chains().to_vec())
    });
    assert_eq!(order(&grown), order(&whole));
    assert_eq!(told(&run(&whole, &event, &ApprovalResponse::Unavailable)), "allow x=0 h2 h4 h1 h3 h5 h0");
    let mut layers: Vec<Layer> = whole.chains().iter().map(|chain| chain.layer).collect();
    layers.dedup();
    assert_eq!(layers, LAYERS);
}

#[test]
fn rule_18_a_chains_rewrite_is_what_the_next_chain_sees() {
    for profile in [PROFILES[0], PROFILES[1], PROFILES[2]] {
        let event = tool("a", 0);
        let upper = links(Layer::Managed, profile, [Spec { guard: false, ..Spec::says("w", set_x(1)) }]);
        let lower = links(Layer::Project, profile, [Spec::when("d", Is::X(1), Says::Deny, Says::Pass)]);
        let outcome = run(&set(&[lower, upper], &event.name), &event, &ApprovalResponse::Unavailable);
        assert_eq!(told(&outcome), "deny x=1 d", "{profile}");
    }
}

#[test]
fn rule_19_a_plain_deny_ends_the_deciders() {
    let event = tool("a", 0);
    for profile in PROFILES {
        let (hook, later) = Spec::says("later", Says::Allow).build(&event.name);
        let denying = links(Layer::User, profile, [Spec::says("d", Says::Deny)]);
        let set = set(&[denying], &event.name).with([pintle_testkit::chain(Layer::Project, profile, [hook])]);
        assert_eq!(told(&run(&set, &event, &ApprovalResponse::Unavailable)), "deny x=0 d", "{profile}");
        later.only(&[]).unwrap();
    }
}

#[test]
fn rule_20_an_allow_below_lifts_no_ask_above() {
    let event = tool("a", 0);
    let asking = links(Layer::Managed, Profile::SequentialFirstDeny, [Spec::says("k", Says::Ask)]);
    let allowing = links(Layer::Runtime, Profile::SequentialFirstDeny, [Spec::says("y", Says::Allow)]);
    let set = set(&[allowing, asking], &event.name);
    assert_eq!(told(&run(&set, &event, &ApprovalResponse::Deferred)), "ask x=0 k");
    assert_eq!(told(&run(&set, &event, &ApprovalResponse::Unavailable)), "deny x=0 k");
}
