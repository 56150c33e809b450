//! Which hooks are asked, and what `explain` says of it.

use std::sync::Arc;

use pintle_contract::{ApprovalResponse, CancelToken, EventName, FailurePolicy, Hook, Layer, NullJournal, Profile};
use pintle_engine::{HookSet, explain};
use pintle_testkit::{LineJournal, MapSeam, Scripted, ScriptedResolver, SubjectMatcher};
use proptest::prelude::*;
use serde_json::json;

use crate::anything::{any_chains, any_event, any_spec};
use crate::model::{Is, Says, Spec, Wanted, World, event, links, run, set, tool};

#[test]
fn rule_44_a_rewritten_subject_selects_the_later_hooks() {
    let event = tool("a", 0);
    let rename = Spec { guard: false, ..Spec::says("w", Says::Set(json!({"name": "b"}))) };
    let only = |id: &str, name| Spec { wanted: Wanted::Names(vec![name], true), ..Spec::says(id, Says::Allow) };
    let hooks = [only("before", "a"), only("early", "b"), rename, only("late", "b"), only("gone", "a")];
    let built: Vec<_> = hooks.iter().map(|spec| Spec { guard: false, ..spec.clone() }.build(&event.name)).collect();
    let called = |number: usize| built[number].1.calls().len();
    let chain =
        pintle_testkit::chain(Layer::Project, Profile::SequentialFirstDeny, built.iter().map(|(hook, _)| hook.clone()));
    run(&HookSet::new(vec![chain]), &event, &ApprovalResponse::Unavailable);
    assert_eq!([0, 1, 2, 3, 4].map(called), [1, 0, 1, 1, 0]);
}

#[test]
fn rule_45_without_a_subject_every_matcher_is_asked() {
    for payload in [json!({"name": 7}), json!({}), json!("text")] {
        let event = event("tool.pre", payload);
        let only = Spec { wanted: Wanted::Names(vec!["a"], true), ..Spec::says("o", Says::Deny) };
        let set = set(&[links(Layer::Project, Profile::SequentialFirstDeny, [only])], &event.name);
        let outcome = run(&set, &event, &ApprovalResponse::Unavailable);
        let messages: Vec<&str> = outcome.warnings.iter().map(|warning| warning.message.as_str()).collect();
        assert_eq!(messages, ["passed over, because its matcher failed: error: the payload has no subject"]);
    }
}

#[test]
fn rule_46_events_of_a_family_are_told_apart() {
    let deploy = EventName::parse("custom.deploy").unwrap();
    let set = set(&[links(Layer::Project, Profile::SequentialFirstDeny, [Spec::says("d", Says::Deny)])], &deploy);
    assert!(set.listens(&deploy));
    for other in ["custom.other", "tool.pre", "meta.register_tool"] {
        let other = event(other, json!({"name": "a"}));
        assert!(!set.listens(&other.name));
        let outcome = run(&set, &other, &ApprovalResponse::Unavailable);
        assert!(outcome.is_allowed() && outcome.hooks_called == 0);
    }
}

#[test]
fn rule_47_the_journal_holds_event_calls_returns_and_outcome_in_order() {
    let event = tool("a", 0);
    let heads = |profile, hooks: Vec<Spec>| {
        let (journal, seam, resolver) =
            (LineJournal::new(), MapSeam::new(), ScriptedResolver::new(ApprovalResponse::Unavailable));
        World { journal: &journal, seam: &seam, resolver: &resolver, shadow: false, cancel: CancelToken::default() }
            .dispatch(&set(&[links(Layer::Project, profile, hooks)], &event.name), &event);
        let heads = journal.lines().into_iter().map(|line| line.split(' ').take(3).collect::<Vec<_>>().join(" "));
        heads.collect::<Vec<_>>()
    };
    let hooks = || vec![Spec::says("g", Says::Pass), Spec::says("h", Says::Set(json!({"id": "x"})))];
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
    let event = tool("a", 0);
    let of = |id: &str, wanted, strict| Spec { wanted, strict, ..Spec::says(id, Says::Pass) };
    let hooks = [
        of("always", Wanted::Always, false),
        of("named", Wanted::Names(vec!["a"], true), false),
        of("others", Wanted::Names(vec!["b", "c"], true), false),
        of("false", Wanted::When(Is::X(2)), false),
        of("fails", Wanted::FailsWhen(Is::Always), false),
        of("strict", Wanted::FailsWhen(Is::Always), true),
        of("cut", Wanted::CutShortWhen(Is::Always), false),
    ];
    let start = EventName::parse("session.start").unwrap();
    let elsewhere = pintle_testkit::chain(
        Layer::Managed,
        Profile::SequentialFirstDeny,
        [Hook {
            matcher: Some(SubjectMatcher::new(["x"])),
            ..pintle_testkit::hook("start", start, Scripted::says([]))
        }],
    );
    let chains = [links(Layer::Project, Profile::SequentialFirstDeny, hooks)];
    let told: Vec<String> = explain(&set(&chains, &event.name).with([elsewhere]), &event)
        .iter()
        .map(|one| format!("{} {}: {}", one.layer, one.hook, one.runs))
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
            "project strict: does not run and counts as failed: `a closure` failed: error: no such key",
            "project cut: does not run and counts as failed: `a closure` failed: step limit: too long",
        ]
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    /// What `explain` says is what a dispatch does, where nothing is rewritten and nothing ends the chain.
    #[test]
    fn explain_agrees_with_dispatch(chains in any_chains(any_spec()), event in any_event()) {
        let seen = Scripted::says([]);
        let chains: Vec<_> = set(&chains, &event.name)
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
        let wanted = explain(&set, &event).iter().filter(|one| one.runs.is_yes()).count();
        let (seam, resolver) = (MapSeam::new(), ScriptedResolver::new(ApprovalResponse::Unavailable));
        World { journal: &NullJournal, seam: &seam, resolver: &resolver, shadow: false, cancel: CancelToken::default() }
            .dispatch(&set, &event);
        prop_assert_eq!(seen.calls().len(), wanted);
    }
}
