//! Any hooks, any chains, any events.

use pintle_contract::{ApprovalResponse, ApprovalScope, Event};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::model::{Is, LAYERS, Links, PROFILES, Says, Spec, Wanted, approved, event, set_x, tool};

pub(crate) fn any_is() -> impl Strategy<Value = Is> {
    prop_oneof![Just(Is::Always), select(vec!["a", "b"]).prop_map(Is::Named), (0..3_i64).prop_map(Is::X)]
}

/// What a hook may say when it does not rewrite.
pub(crate) fn any_plain() -> impl Strategy<Value = Says> {
    select(vec![Says::Pass, Says::Pass, Says::Allow, Says::Allow, Says::Ask, Says::Deny, Says::Fail, Says::Panic])
}

pub(crate) fn any_rewrite() -> impl Strategy<Value = Says> {
    prop_oneof![
        3 => (0..3_i64).prop_map(set_x),
        2 => (1..3_i64).prop_map(Says::Add),
        2 => select(vec!["a", "b", "c"]).prop_map(|name| Says::Set(json!({"name": name}))),
        1 => (0..3_i64).prop_map(|x| Says::Set(json!({"arguments": format!("{{\"x\": {x}}}")}))),
        1 => (0..3_i64).prop_map(|z| Says::Set(json!({"args": {"z": z}}))),
        1 => (0..3_i64).prop_map(|x| Says::Replace(json!({"id": "c1", "name": "a", "args": {"x": x}}))),
        1 => select(vec![
            Says::Set(json!({"id": "other"})),
            Says::Set(json!({"args": 3})),
            Says::Set(json!({"nmae": "b", "name": "b"})),
            Says::Set(json!({})),
            Says::Replace(json!("text")),
            Says::Replace(Value::Null),
        ]),
    ]
}

pub(crate) fn any_says() -> impl Strategy<Value = Says> {
    prop_oneof![
        2 => any_plain(),
        2 => any_rewrite(),
        1 => (any::<bool>(), any_rewrite()).prop_map(|(asks, rewrite)| match asks {
            true => Says::AskOf(Box::new(rewrite)),
            false => Says::AllowOf(Box::new(rewrite)),
        }),
    ]
}

pub(crate) fn any_wanted() -> impl Strategy<Value = Wanted> {
    let names = select(vec![vec!["a"], vec!["b"], vec!["a", "b"], vec!["z"], vec![], vec!["c", "c"]]);
    prop_oneof![
        4 => Just(Wanted::Always),
        3 => (names, any::<bool>()).prop_map(|(names, sufficient)| Wanted::Names(names, sufficient)),
        2 => any_is().prop_map(Wanted::When),
        1 => any_is().prop_map(Wanted::FailsWhen),
        1 => any_is().prop_map(Wanted::CutShortWhen),
        1 => any_is().prop_map(Wanted::PanicsWhen),
    ]
}

/// Any hook at all.
pub(crate) fn any_spec() -> impl Strategy<Value = Spec> {
    let answers = (any_is(), any_says(), any_says());
    let often = prop::bool::weighted;
    let options = (often(0.7), any::<bool>(), often(0.2), often(0.15), often(0.3));
    let parts = (any_wanted(), answers, options);
    parts.prop_map(|(wanted, (is, then, otherwise), (guard, closed, strict, shadow, stops))| Spec {
        id: String::new(),
        wanted,
        is,
        then,
        otherwise,
        guard,
        closed,
        strict,
        shadow,
        stops,
        definition: None,
    })
}

/// Any hook, which may be defined in the same words as another one.
pub(crate) fn any_twin() -> impl Strategy<Value = Spec> {
    let definition = select(vec![None, None, Some("one"), Some("two")]);
    (any_spec(), definition).prop_map(|(spec, definition)| Spec { definition, ..spec })
}

/// A hook that says the same of every payload, wants every one and rewrites none.
pub(crate) fn any_steady() -> impl Strategy<Value = Spec> {
    (any_spec(), any_plain()).prop_map(|(spec, says)| Spec {
        wanted: Wanted::Always,
        is: Is::Always,
        then: says,
        ..spec
    })
}

/// Chains of hooks; each hook gets a name of its own, in the order written.
pub(crate) fn any_chains(hook: impl Strategy<Value = Spec>) -> impl Strategy<Value = Vec<Links>> {
    let links = (select(LAYERS.to_vec()), select(PROFILES.to_vec()), prop::collection::vec(hook, 0..4));
    let links = links.prop_map(|(layer, profile, hooks)| Links { layer, profile, hooks });
    prop::collection::vec(links, 0..4).prop_map(|mut chains| {
        for (number, spec) in chains.iter_mut().flat_map(|links| &mut links.hooks).enumerate() {
            spec.id = format!("h{number}");
        }
        chains
    })
}

pub(crate) fn any_event() -> impl Strategy<Value = Event> {
    prop_oneof![
        6 => (select(vec!["a", "b", "c"]), 0..3_i64).prop_map(|(name, x)| tool(name, x)),
        2 => (0..3_i64).prop_map(|x| event("custom.deploy", json!({"name": "a", "x": x}))),
        1 => select(vec![json!("text"), json!(null), json!([1])]).prop_map(|value| event("custom.deploy", value)),
        1 => Just(event("session.start", json!({"source": "a", "cwd": "/"}))),
        1 => select(vec![json!({"name": 7, "args": {}}), json!("text"), json!({})])
            .prop_map(|value| event("tool.pre", value)),
    ]
}

pub(crate) fn any_answer() -> impl Strategy<Value = ApprovalResponse> {
    let granted = ApprovalResponse::Granted { answered_by: String::from("ada"), grant: ApprovalScope::Tool };
    select(vec![
        approved(),
        granted,
        ApprovalResponse::Refused { answered_by: String::from("ada") },
        ApprovalResponse::Deferred,
        ApprovalResponse::Unavailable,
    ])
}
