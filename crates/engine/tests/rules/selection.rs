//! Which hooks are asked, and what `explain` says of it.

use std::sync::Arc;

use pintle_contract::{ApprovalResponse, CancelToken, EventName, FailurePolicy, Hook, Layer, NullJournal, Profile};
use pintle_engine::{HookSet, explain};
use pintle_testkit::{InMemoryEffects, LineJournal, ScriptedApprover, ScriptedHandler, SubjectMatcher};
use proptest::prelude::*;
use serde_json::json;

use crate::anything::{any_chains, any_event, any_hook};
use crate::model::{
    DispatchFixture, HookCase, MatcherFixture, PayloadCondition, ScriptedAnswer, build_chain, build_set, event,
    run_dispatch, tool_event,
};

#[test]
fn rule_44_a_rewritten_subject_selects_the_later_hooks() {
    let event = tool_event("a", 0);
    let rename = HookCase { guard: false, ..HookCase::always("w", ScriptedAnswer::Set(json!({"name": "b"}))) };
    let only = |id: &str, name| HookCase {
        matcher: MatcherFixture::Names(vec![name], true),
        ..HookCase::always(id, ScriptedAnswer::Allow)
    };
    let hooks = [only("before", "a"), only("early", "b"), rename, only("late", "b"), only("gone", "a")];
    let built: Vec<_> = hooks.iter().map(|spec| HookCase { guard: false, ..spec.clone() }.build(&event.name)).collect();
    let called = |number: usize| built[number].1.calls().len();
    let chain =
        pintle_testkit::chain(Layer::Project, Profile::SequentialFirstDeny, built.iter().map(|(hook, _)| hook.clone()));
    run_dispatch(&HookSet::new(vec![chain]), &event, &ApprovalResponse::Unavailable);
    assert_eq!([0, 1, 2, 3, 4].map(called), [1, 0, 1, 1, 0]);
}

#[test]
fn rule_45_without_a_subject_every_matcher_is_asked() {
    for payload in [json!({"name": 7}), json!({}), json!("text")] {
        let event = event("tool.pre", payload);
        let only = HookCase {
            matcher: MatcherFixture::Names(vec!["a"], true),
            guard: false,
            ..HookCase::always("o", ScriptedAnswer::Deny)
        };
        let set = build_set(&[build_chain(Layer::Project, Profile::SequentialFirstDeny, [only])], &event.name);
        let outcome = run_dispatch(&set, &event, &ApprovalResponse::Unavailable);
        let messages: Vec<&str> = outcome.warnings.iter().map(|warning| warning.message.as_str()).collect();
        assert_eq!(messages, ["skipped because its matcher failed: error: the payload has no subject"]);
    }
}

#[test]
fn rule_46_events_of_a_family_are_told_apart() {
    let deploy = EventName::parse("custom.deploy").unwrap();
    let set = build_set(
        &[build_chain(Layer::Project, Profile::SequentialFirstDeny, [HookCase::always("d", ScriptedAnswer::Deny)])],
        &deploy,
    );
    assert!(set.has_hooks_for(&deploy));
    for other in ["custom.other", "tool.pre", "meta.register_tool"] {
        let other = event(other, json!({"name": "a"}));
        assert!(!set.has_hooks_for(&other.name));
        let outcome = run_dispatch(&set, &other, &ApprovalResponse::Unavailable);
        assert!(outcome.is_allowed() && outcome.hooks_called == 0);
    }
}

#[test]
fn rule_47_the_journal_holds_event_calls_returns_and_outcome_in_order() {
    let event = tool_event("a", 0);
    let heads = |profile, hooks: Vec<HookCase>| {
        let (journal, seam, resolver) =
            (LineJournal::new(), InMemoryEffects::new(), ScriptedApprover::new(ApprovalResponse::Unavailable));
        DispatchFixture {
            journal: &journal,
            effects: &seam,
            approver: &resolver,
            shadow: false,
            cancel: CancelToken::default(),
        }
        .dispatch(&build_set(&[build_chain(Layer::Project, profile, hooks)], &event.name), &event);
        let heads = journal.lines().into_iter().map(|line| line.split(' ').take(3).collect::<Vec<_>>().join(" "));
        heads.collect::<Vec<_>>()
    };
    let hooks = || {
        vec![
            HookCase::always("g", ScriptedAnswer::Pass),
            HookCase::always("h", ScriptedAnswer::Set(json!({"id": "x"}))),
        ]
    };
    let (first, last) = ("event tool.pre Object", "outcome tool.pre Outcome");
    assert_eq!(heads(Profile::SequentialRunAll, Vec::new()), [first, last]);
    assert_eq!(
        heads(Profile::SequentialRunAll, hooks()),
        [first, "call 1 g", "return 1 g", "call 2 h", "return 2 h", "warning h: its", last]
    );
    assert_eq!(
        heads(Profile::ParallelStrictest, hooks()),
        [first, "call 1 g", "call 2 h", "return 1 g", "return 2 h", "warning h: its", last]
    );
}

#[test]
fn explain_says_why_a_hook_would_not_run() {
    let event = tool_event("a", 0);
    let of =
        |id: &str, wanted, strict| HookCase { matcher: wanted, strict, ..HookCase::always(id, ScriptedAnswer::Pass) };
    let hooks = [
        of("always", MatcherFixture::Always, false),
        of("named", MatcherFixture::Names(vec!["a"], true), false),
        of("others", MatcherFixture::Names(vec!["b", "c"], true), false),
        of("false", MatcherFixture::When(PayloadCondition::XEquals(2)), false),
        of("fails", MatcherFixture::FailsWhen(PayloadCondition::Always), false),
        of("strict", MatcherFixture::FailsWhen(PayloadCondition::Always), true),
        of("cut", MatcherFixture::LimitWhen(PayloadCondition::Always), false),
    ];
    let start = EventName::parse("session.start").unwrap();
    let elsewhere = pintle_testkit::chain(
        Layer::Managed,
        Profile::SequentialFirstDeny,
        [Hook {
            matcher: Some(SubjectMatcher::new(["x"])),
            ..pintle_testkit::hook("start", start, ScriptedHandler::from_verdicts([]))
        }],
    );
    let chains = [build_chain(Layer::Project, Profile::SequentialFirstDeny, hooks)];
    let told: Vec<String> = explain(&build_set(&chains, &event.name).with_chains([elsewhere]), &event)
        .iter()
        .map(|one| format!("{} {}: {}", one.layer, one.hook, one.prediction))
        .collect();
    assert_eq!(
        told,
        [
            "managed start: does not run: it listens to `session.start`",
            "project always: runs",
            "project named: runs",
            "project others: does not run: `name` is `a`, and the hook is for `b`, `c` only",
            "project false: does not run: `a closure` is false",
            "project fails: does not run: `a closure` failed: error: no such key",
            "project strict: does not run and fails: `a closure` failed: error: no such key",
            "project cut: does not run and fails: `a closure` failed: step limit: too long",
        ]
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    /// What `explain` says is what a dispatch does, where nothing is rewritten and nothing ends the chain.
    #[test]
    fn explain_agrees_with_dispatch(chains in any_chains(any_hook()), event in any_event()) {
        let seen = ScriptedHandler::from_verdicts([]);
        let chains: Vec<_> = build_set(&chains, &event.name)
            .chains()
            .iter()
            .map(|chain| {
                let mut chain = chain.clone();
                chain.profile = Profile::SequentialRunAll;
                chain.hooks = chain
                    .hooks
                    .iter()
                    .map(|hook| {
                        let (handler, on_failure) = (seen.clone(), FailurePolicy::Open);
                        Arc::new(Hook { strict_matcher: false, handler, on_failure, ..Hook::clone(hook) })
                    })
                    .collect();
                chain
            })
            .collect();
        let set = HookSet::new(chains);
        let wanted = explain(&set, &event).iter().filter(|one| one.prediction.is_yes()).count();
        let (seam, resolver) = (InMemoryEffects::new(), ScriptedApprover::new(ApprovalResponse::Unavailable));
        DispatchFixture { journal: &NullJournal, effects: &seam, approver: &resolver, shadow: false, cancel: CancelToken::default() }
            .dispatch(&set, &event);
        prop_assert_eq!(seen.calls().len(), wanted);
    }
}
