//! A failed hook is not a refusing hook.

use pintle_contract::{ApprovalResponse, CancelToken, FailureKind, FailurePolicy, Layer, LimitKind, Profile};
use pintle_testkit::{InMemoryEffects, LineJournal, ScriptedApprover};
use serde_json::json;

use crate::model::{
    DispatchFixture, HookCase, MatcherFixture, PayloadCondition, ScriptedAnswer, build_chain, build_set, run_dispatch,
    summarize_outcome, tool_event,
};

const IN_ORDER: Profile = Profile::SequentialFirstDeny;

#[test]
fn rule_35_every_failure_goes_by_the_hooks_policy() {
    let event = tool_event("a", 0);
    let strict = |wanted| HookCase { matcher: wanted, strict: true, ..HookCase::always("f", ScriptedAnswer::Pass) };
    let cases = [
        (HookCase::always("f", ScriptedAnswer::Fail), FailureKind::Error, "error: f says so"),
        (HookCase::always("f", ScriptedAnswer::Panic), FailureKind::Crash, "crash: the handler panicked: f says so"),
        (
            HookCase::always("f", ScriptedAnswer::Set(json!({"args": 3}))),
            FailureKind::BadOutput,
            "bad output: `args` must be an object",
        ),
        (
            HookCase::always("f", ScriptedAnswer::Replace(json!("text"))),
            FailureKind::BadOutput,
            "bad output: the payload of `tool.pre` must stay an object",
        ),
        (strict(MatcherFixture::FailsWhen(PayloadCondition::Always)), FailureKind::Error, "error: no such key"),
        // A matcher that is cut short has not said that its hook does not want the event, whatever its author wrote.
        (
            HookCase { strict: false, ..strict(MatcherFixture::LimitWhen(PayloadCondition::Always)) },
            FailureKind::Limit(LimitKind::Steps),
            "step limit: too long",
        ),
        (
            HookCase { strict: false, ..strict(MatcherFixture::PanicsWhen(PayloadCondition::Always)) },
            FailureKind::Crash,
            "crash: the matcher panicked: matcher bug",
        ),
    ];
    for (spec, kind, message) in cases {
        for closed in [true, false] {
            let spec = HookCase { closed, ..spec.clone() };
            let later = HookCase::always("y", ScriptedAnswer::Allow);
            let set = build_set(&[build_chain(Layer::Project, IN_ORDER, [spec.clone(), later])], &event.name);
            let outcome = run_dispatch(&set, &event, &ApprovalResponse::Unavailable);
            let policy = if closed { FailurePolicy::Closed } else { FailurePolicy::Open };
            let reports: Vec<_> = outcome.failures.iter().map(|report| (report.failure.kind, report.policy)).collect();
            assert_eq!(reports, [(kind, policy)], "{spec:#?}");
            assert_eq!(summarize_outcome(&outcome), if closed { "deny x=0 f" } else { "allow x=0 y" }, "{spec:#?}");
            if closed {
                let text = format!("denied because hook `f` failed ({message}) and its failure policy is `closed`");
                assert_eq!(outcome.reasons[0].text, text);
            }
        }
    }
}

#[test]
fn rule_36_a_failing_matcher_passes_its_hook_over_with_a_warning() {
    let event = tool_event("a", 0);
    let spec = HookCase {
        matcher: MatcherFixture::FailsWhen(PayloadCondition::Always),
        ..HookCase::always("f", ScriptedAnswer::Deny)
    };
    let message = "skipped because its matcher failed: error: no such key";
    for profile in crate::model::PROFILES {
        let (journal, seam) = (LineJournal::new(), InMemoryEffects::new());
        let resolver = ScriptedApprover::new(ApprovalResponse::Unavailable);
        let world = DispatchFixture {
            journal: &journal,
            effects: &seam,
            approver: &resolver,
            shadow: false,
            cancel: CancelToken::default(),
        };
        let set = build_set(&[build_chain(Layer::Project, profile, [spec.clone()])], &event.name);
        let outcome = world.dispatch(&set, &event);
        assert_eq!((summarize_outcome(&outcome).as_str(), outcome.hooks_called), ("allow x=0", 0));
        assert_eq!(outcome.warnings.iter().map(|one| one.message.as_str()).collect::<Vec<_>>(), [message]);
        let what = message.strip_prefix("skipped because its matcher failed: ").unwrap();
        let told = [format!("matcher_failed f round 0 {what}"), format!("warning f: {message}")];
        assert_eq!(journal.lines()[1..3], told);
    }
}

#[test]
fn rule_36_a_matcher_that_fails_without_a_subject_fails_its_guard() {
    let spec = HookCase {
        matcher: MatcherFixture::FailsWhen(PayloadCondition::Always),
        ..HookCase::always("f", ScriptedAnswer::Pass)
    };
    let named = tool_event("a", 0);
    let mut payload = named.payload.value().clone();
    payload.as_object_mut().unwrap().remove("name");
    let nameless = named.with_payload(pintle_contract::Payload::new(payload));
    for (is_guard, event, wanted) in
        [(true, &named, "allow x=0"), (true, &nameless, "deny x=0 f"), (false, &nameless, "allow x=0")]
    {
        let mut hook = spec.build(&event.name).0;
        hook.guard = is_guard;
        hook.on_failure = FailurePolicy::Closed;
        let set = pintle_engine::HookSet::new(vec![pintle_testkit::chain(Layer::Project, IN_ORDER, [hook])]);
        let outcome = run_dispatch(&set, event, &ApprovalResponse::Unavailable);
        assert_eq!(summarize_outcome(&outcome), wanted, "{is_guard} {}", event.payload.value());
    }
}

#[test]
fn rule_37_after_a_cancel_hooks_fail_as_cancelled_and_are_not_called() {
    let event = tool_event("a", 0);
    for closed in [true, false] {
        let (hook, calls) = HookCase { closed, ..HookCase::always("f", ScriptedAnswer::Allow) }.build(&event.name);
        let other = HookCase {
            matcher: MatcherFixture::When(PayloadCondition::XEquals(2)),
            ..HookCase::always("o", ScriptedAnswer::Deny)
        }
        .build(&event.name)
        .0;
        let set = pintle_engine::HookSet::new(vec![pintle_testkit::chain(Layer::Project, IN_ORDER, [other, hook])]);
        let (seam, resolver) = (InMemoryEffects::new(), ScriptedApprover::new(ApprovalResponse::Unavailable));
        let cancel = CancelToken::default();
        cancel.cancel();
        let journal = LineJournal::new();
        let world = DispatchFixture { journal: &journal, effects: &seam, approver: &resolver, shadow: false, cancel };
        let outcome = world.dispatch(&set, &event);
        calls.check_calls(&[]).unwrap();
        let unasked = "not_called f round 0 cancelled: the host cancelled before it was called";
        assert_eq!((journal.lines()[1].as_str(), journal.lines().len()), (unasked, 3));
        assert_eq!(summarize_outcome(&outcome), if closed { "deny x=0 f" } else { "allow x=0" });
        let kinds: Vec<FailureKind> = outcome.failures.iter().map(|report| report.failure.kind).collect();
        assert_eq!((kinds, outcome.hooks_called), (vec![FailureKind::Cancelled], 0));
    }
}
