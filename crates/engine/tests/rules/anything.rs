//! Any hooks, any chains, any events.

use pintle_contract::{ApprovalResponse, ApprovalScope, Event};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::model::{
    ChainFixture, HookCase, LAYERS, MatcherFixture, PROFILES, PayloadCondition, ScriptedAnswer, approved_response,
    event, set_x, tool_event,
};

pub(crate) fn any_condition() -> impl Strategy<Value = PayloadCondition> {
    prop_oneof![
        Just(PayloadCondition::Always),
        select(vec!["a", "b"]).prop_map(PayloadCondition::ToolNamed),
        (0..3_i64).prop_map(PayloadCondition::XEquals)
    ]
}

/// What a hook may say when it does not rewrite.
pub(crate) fn any_plain_answer() -> impl Strategy<Value = ScriptedAnswer> {
    select(vec![
        ScriptedAnswer::Pass,
        ScriptedAnswer::Pass,
        ScriptedAnswer::Allow,
        ScriptedAnswer::Allow,
        ScriptedAnswer::Ask,
        ScriptedAnswer::Deny,
        ScriptedAnswer::Fail,
        ScriptedAnswer::Panic,
    ])
}

pub(crate) fn any_rewrite_answer() -> impl Strategy<Value = ScriptedAnswer> {
    prop_oneof![
        3 => (0..3_i64).prop_map(set_x),
        2 => (1..3_i64).prop_map(ScriptedAnswer::Add),
        2 => select(vec!["a", "b", "c"]).prop_map(|name| ScriptedAnswer::Set(json!({"name": name}))),
        1 => (0..3_i64).prop_map(|x| ScriptedAnswer::Set(json!({"arguments": format!("{{\"x\": {x}}}")}))),
        1 => (0..3_i64).prop_map(|z| ScriptedAnswer::Set(json!({"args": {"z": z}}))),
        1 => (0..3_i64).prop_map(|x| ScriptedAnswer::Replace(json!({"id": "c1", "name": "a", "args": {"x": x}}))),
        1 => select(vec![
            ScriptedAnswer::Set(json!({"id": "other"})),
            ScriptedAnswer::Set(json!({"args": 3})),
            ScriptedAnswer::Set(json!({"nmae": "b", "name": "b"})),
            ScriptedAnswer::Set(json!({})),
            ScriptedAnswer::Replace(json!("text")),
            ScriptedAnswer::Replace(Value::Null),
        ]),
    ]
}

pub(crate) fn any_scripted_answer() -> impl Strategy<Value = ScriptedAnswer> {
    prop_oneof![
        2 => any_plain_answer(),
        2 => any_rewrite_answer(),
        1 => (any::<bool>(), any_rewrite_answer()).prop_map(|(asks, rewrite)| match asks {
            true => ScriptedAnswer::AskRewritten(Box::new(rewrite)),
            false => ScriptedAnswer::AllowRewritten(Box::new(rewrite)),
        }),
    ]
}

pub(crate) fn any_matcher() -> impl Strategy<Value = MatcherFixture> {
    let names = select(vec![vec!["a"], vec!["b"], vec!["a", "b"], vec!["z"], vec![], vec!["c", "c"]]);
    prop_oneof![
        4 => Just(MatcherFixture::Always),
        3 => (names, any::<bool>()).prop_map(|(names, sufficient)| MatcherFixture::Names(names, sufficient)),
        2 => any_condition().prop_map(MatcherFixture::When),
        1 => any_condition().prop_map(MatcherFixture::FailsWhen),
        1 => any_condition().prop_map(MatcherFixture::LimitWhen),
        1 => any_condition().prop_map(MatcherFixture::PanicsWhen),
    ]
}

/// Any hook at all.
pub(crate) fn any_hook() -> impl Strategy<Value = HookCase> {
    let answers = (any_condition(), any_scripted_answer(), any_scripted_answer());
    let often = prop::bool::weighted;
    let options = (often(0.7), any::<bool>(), often(0.2), often(0.15), often(0.3));
    let parts = (any_matcher(), answers, options);
    parts.prop_map(|(wanted, (is, then, otherwise), (guard, closed, strict, shadow, stops))| HookCase {
        id: String::new(),
        matcher: wanted,
        condition: is,
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
pub(crate) fn any_duplicable_hook() -> impl Strategy<Value = HookCase> {
    let definition = select(vec![None, None, Some("one"), Some("two")]);
    (any_hook(), definition).prop_map(|(spec, definition)| HookCase { definition, ..spec })
}

/// A hook that says the same of every payload, wants every one and rewrites none.
pub(crate) fn any_steady_hook() -> impl Strategy<Value = HookCase> {
    (any_hook(), any_plain_answer()).prop_map(|(spec, says)| HookCase {
        matcher: MatcherFixture::Always,
        condition: PayloadCondition::Always,
        then: says,
        ..spec
    })
}

/// Chains of hooks; each hook gets a name of its own, in the order written.
pub(crate) fn any_chains(hook: impl Strategy<Value = HookCase>) -> impl Strategy<Value = Vec<ChainFixture>> {
    let links = (select(LAYERS.to_vec()), select(PROFILES.to_vec()), prop::collection::vec(hook, 0..4));
    let links = links.prop_map(|(layer, profile, hooks)| ChainFixture { layer, profile, hooks });
    prop::collection::vec(links, 0..4).prop_map(|mut chains| {
        for (number, spec) in chains.iter_mut().flat_map(|links| &mut links.hooks).enumerate() {
            spec.id = format!("h{number}");
        }
        chains
    })
}

pub(crate) fn any_event() -> impl Strategy<Value = Event> {
    prop_oneof![
        6 => (select(vec!["a", "b", "c"]), 0..3_i64).prop_map(|(name, x)| tool_event(name, x)),
        2 => (0..3_i64).prop_map(|x| event("custom.deploy", json!({"name": "a", "x": x}))),
        1 => select(vec![json!("text"), json!(null), json!([1])]).prop_map(|value| event("custom.deploy", value)),
        1 => Just(event("session.start", json!({"source": "a", "cwd": "/"}))),
        1 => select(vec![json!({"name": 7, "args": {}}), json!("text"), json!({})])
            .prop_map(|value| event("tool.pre", value)),
    ]
}

pub(crate) fn any_response() -> impl Strategy<Value = ApprovalResponse> {
    let granted = ApprovalResponse::Granted { answered_by: String::from("ada"), grant: ApprovalScope::Tool };
    select(vec![
        approved_response(),
        granted,
        ApprovalResponse::Refused { answered_by: String::from("ada") },
        ApprovalResponse::Deferred,
        ApprovalResponse::Unavailable,
    ])
}
