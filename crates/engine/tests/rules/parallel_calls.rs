//! A rewrite beside an allow or an ask, rewrites laid over each other, denies that end the run, hooks defined twice.

use std::sync::Mutex;

use pintle_contract::{
    ApprovalRequest, ApprovalResponse, Approver, CancelToken, Decision, DenyEffect, Effect, EnforcementMode, Failure,
    FailureKind, FailurePolicy, Hook, Layer, NullJournal, Outcome, Profile, Verdict,
};
use pintle_engine::{HookSet, explain};
use pintle_testkit::{InMemoryEffects, ScriptedHandler, SubjectMatcher};
use serde_json::{Value, json};

use crate::model::{
    DispatchFixture, HookCase, MatcherFixture, PROFILES, PayloadCondition, ScriptedAnswer, approved_response,
    build_chain, build_set, event, run_dispatch, set_x, summarize_outcome, tool_event,
};

const MERGE: Profile = Profile::ParallelMerge;

fn watcher(id: &str, says: ScriptedAnswer) -> HookCase {
    HookCase { guard: false, ..HookCase::always(id, says) }
}

fn allow_rewritten(says: ScriptedAnswer) -> ScriptedAnswer {
    ScriptedAnswer::AllowRewritten(Box::new(says))
}

fn ask_rewritten(says: ScriptedAnswer) -> ScriptedAnswer {
    ScriptedAnswer::AskRewritten(Box::new(says))
}

fn dispatch_chain(profile: Profile, hooks: &[HookCase]) -> Outcome {
    let event = tool_event("a", 0);
    let chains = [build_chain(Layer::Project, profile, hooks.iter().cloned())];
    run_dispatch(&build_set(&chains, &event.name), &event, &ApprovalResponse::Deferred)
}

/// Every profile that takes rewrites.
fn rewriting_profiles() -> impl Iterator<Item = Profile> {
    PROFILES.into_iter().filter(|profile| *profile != Profile::ParallelUnanimous)
}

#[test]
fn rule_49_merged_rewrites_are_laid_over_each_other_in_declared_order() {
    let args = |args: Value| ScriptedAnswer::Set(json!({"args": args}));
    let name = |name: &str| ScriptedAnswer::Set(json!({"name": name}));
    // What the hooks say in declared order, the name and the arguments that come out.
    let cases = [
        (vec![args(json!({"x": 1})), args(json!({"z": 2}))], "a", json!({"x": 1, "z": 2})),
        // The last hook wins a key, wherever the others stand.
        (vec![args(json!({"x": 1, "z": 1})), args(json!({"x": 2}))], "a", json!({"x": 2, "z": 1})),
        (vec![args(json!({"x": 2})), args(json!({"x": 1, "z": 1}))], "a", json!({"x": 1, "z": 1})),
        // What one hook leaves as it was stays among what the others name.
        (vec![args(json!({"x": 0, "y": 0})), args(json!({"z": 1}))], "a", json!({"x": 0, "y": 0, "z": 1})),
        // Of anything but an object the first one stays.
        (vec![name("b"), name("c"), args(json!({"x": 1}))], "b", json!({"x": 1})),
        // A rewrite of the whole payload stands alone, and the first one at that.
        (
            vec![
                args(json!({"z": 1})),
                ScriptedAnswer::Replace(json!({"name": "b", "args": {"x": 1}})),
                ScriptedAnswer::Replace(json!({"name": "c", "args": {"x": 2}})),
            ],
            "b",
            json!({"x": 1}),
        ),
        // What is laid over each other may come to nothing.
        (vec![args(json!({"x": 1})), args(json!({"x": 0, "y": 0}))], "a", json!({"x": 0, "y": 0})),
    ];
    for (says, name, args) in cases {
        let hooks: Vec<HookCase> =
            says.iter().enumerate().map(|(index, says)| watcher(&format!("w{index}"), says.clone())).collect();
        let outcome = dispatch_chain(MERGE, &hooks);
        assert_eq!(outcome.payload.field("name"), Some(&json!(name)), "{says:?}");
        assert_eq!(outcome.payload.field("args"), Some(&args), "{says:?}");
        assert!(outcome.is_allowed());
    }
    // A deny wins over every rewrite.
    assert_eq!(
        summarize_outcome(&dispatch_chain(
            MERGE,
            &[watcher("w", set_x(1)), HookCase::always("d", ScriptedAnswer::Deny)]
        )),
        "deny x=0 d"
    );
}

#[test]
fn rule_50_each_merged_rewrite_must_make_sense_alone() {
    // Alone, a rewrite that makes no sense is a failure of its own hook, whatever stands behind it.
    let open = HookCase { closed: false, ..watcher("o", set_x(1)) };
    assert_eq!(
        summarize_outcome(&dispatch_chain(MERGE, &[watcher("f", ScriptedAnswer::Set(json!({"args": 3}))), open])),
        "deny x=0 f"
    );
    let fails_open = HookCase { closed: false, ..watcher("f", ScriptedAnswer::Set(json!({"args": 3}))) };
    assert_eq!(summarize_outcome(&dispatch_chain(MERGE, &[fails_open, watcher("w", set_x(1))])), "allow x=1");
    // Of two spellings of one value the event's own preference decides, wherever they stand.
    let spelled = || watcher("s", ScriptedAnswer::Set(json!({"arguments": r#"{"x": 2}"#})));
    for pair in [[spelled(), watcher("w", set_x(1))], [watcher("w", set_x(1)), spelled()]] {
        assert_eq!(summarize_outcome(&dispatch_chain(MERGE, &pair)), "allow x=1");
    }
}

#[test]
fn rule_51_a_guard_judges_what_its_rewrite_was_merged_into() {
    let sets = |id: &str, says: ScriptedAnswer| HookCase::always(id, says);
    // Each rewrites one key and would do so for ever; the last one wins, once.
    let outcome = dispatch_chain(MERGE, &[sets("one", set_x(1)), sets("two", set_x(2))]);
    assert_eq!(summarize_outcome(&outcome), "allow x=2");
    // What the first one said of its own target does not hold for the other's.
    let refuses = HookCase::new("one", PayloadCondition::XEquals(0), set_x(1), ScriptedAnswer::Deny);
    assert_eq!(summarize_outcome(&dispatch_chain(MERGE, &[refuses, sets("two", set_x(2))])), "deny x=2 one");
    // Its allow counts where it got what it wished for, and only there.
    let z = |z: i64| ScriptedAnswer::Set(json!({"args": {"x": 0, "z": z}}));
    let merged = dispatch_chain(
        MERGE,
        &[sets("one", allow_rewritten(ScriptedAnswer::Set(json!({"args": {"x": 0}})))), sets("two", z(1))],
    );
    assert_eq!((summarize_outcome(&merged).as_str(), merged.approved), ("allow x=0 one", true));
    let lost = dispatch_chain(MERGE, &[sets("one", allow_rewritten(z(2))), sets("two", z(1))]);
    assert_eq!((summarize_outcome(&lost).as_str(), lost.approved), ("allow x=0", false));
    // Its ask stands.
    assert_eq!(
        summarize_outcome(&dispatch_chain(MERGE, &[sets("one", ask_rewritten(z(2))), sets("two", z(1))])),
        "ask x=0 one"
    );
}

#[test]
fn rule_52_an_allow_or_an_ask_may_come_with_the_target_it_is_about() {
    for profile in rewriting_profiles() {
        let outcome = dispatch_chain(profile, &[HookCase::always("y", allow_rewritten(set_x(1)))]);
        assert_eq!((summarize_outcome(&outcome).as_str(), outcome.approved), ("allow x=1 y", true), "{profile}");
        let outcome = dispatch_chain(profile, &[HookCase::always("k", ask_rewritten(set_x(1)))]);
        assert_eq!(summarize_outcome(&outcome), "ask x=1 k", "{profile}");
        // A later change voids the allow, as it does any other.
        let late = build_chain(Layer::Agent, Profile::SequentialRunAll, [watcher("w", set_x(2))]);
        let first = build_chain(Layer::Project, profile, [watcher("y", allow_rewritten(set_x(1)))]);
        let event = tool_event("a", 0);
        let outcome = run_dispatch(&build_set(&[first, late], &event.name), &event, &ApprovalResponse::Deferred);
        assert_eq!((summarize_outcome(&outcome).as_str(), outcome.approved), ("allow x=2", false), "{profile}");
    }
    // A person is asked about the target that was made, and what they approve is bound to it.
    let event = tool_event("a", 0);
    let chains =
        [build_chain(Layer::Project, Profile::SequentialRunAll, [HookCase::always("k", ask_rewritten(set_x(1)))])];
    let outcome = run_dispatch(&build_set(&chains, &event.name), &event, &approved_response());
    assert!(outcome.approval.as_ref().is_some_and(|approval| approval.covers(&outcome.payload)));
    assert_eq!(summarize_outcome(&outcome), "allow x=1 k");
    // A chain that has to be unanimous is not, once one of its hooks wants a rewrite.
    let unanimous = |says| {
        summarize_outcome(&dispatch_chain(
            Profile::ParallelUnanimous,
            &[HookCase::always("y", ScriptedAnswer::Allow), HookCase::always("n", says)],
        ))
    };
    assert_eq!(unanimous(allow_rewritten(set_x(1))), "deny x=0 n");
    assert_eq!(unanimous(ask_rewritten(set_x(1))), "deny x=0 n");
}

#[test]
fn rule_53_an_allow_of_a_target_that_was_not_made_allows_nothing() {
    let open = |says| HookCase { closed: false, ..HookCase::always("y", says) };
    let ask = || HookCase::always("k", ScriptedAnswer::Ask);
    for profile in rewriting_profiles() {
        // Nothing, because it makes no sense; a part, because the event does not allow the rest.
        for wish in [json!({"args": 3}), json!({"args": {"x": 1}, "id": "other"})] {
            let outcome = dispatch_chain(profile, &[open(allow_rewritten(ScriptedAnswer::Set(wish.clone())))]);
            assert!(outcome.is_allowed() && !outcome.approved, "{profile}: {wish}");
            assert!(outcome.reasons.is_empty());
            // An ask of it stands: a person sees what is there.
            let outcome = dispatch_chain(profile, &[open(ask_rewritten(ScriptedAnswer::Set(wish)))]);
            assert_eq!((outcome.decision.to_string().as_str(), outcome.reasons.len()), ("ask", 1), "{profile}");
        }
        assert_eq!(
            summarize_outcome(&dispatch_chain(
                profile,
                &[open(allow_rewritten(ScriptedAnswer::Set(json!({"args": 3})))), ask()]
            )),
            "ask x=0 k"
        );
    }
    // An event without a target gives no allow of another one.
    let start = event("session.start", json!({"source": "startup", "cwd": "/"}));
    let allows = |says| {
        let chains = [build_chain(Layer::Project, Profile::ParallelStrictest, [HookCase::always("y", says)])];
        run_dispatch(&build_set(&chains, &start.name), &start, &ApprovalResponse::Unavailable).approved
    };
    assert!(!allows(allow_rewritten(ScriptedAnswer::Set(json!({"cwd": "/etc"})))));
    assert!(allows(allow_rewritten(ScriptedAnswer::Set(json!({"cwd": "/"})))));
}

#[test]
fn rule_54_what_is_denied_is_not_rewritten_by_who_denies_it() {
    let event = tool_event("a", 0);
    for profile in PROFILES {
        let hook = HookCase::always("d", ScriptedAnswer::Deny);
        let verdict = hook.verdict(event.payload.value());
        let rewrite = HookCase::always("w", set_x(1)).verdict(event.payload.value()).kind;
        let pintle_contract::VerdictKind::Rewrite(rewrite) = rewrite else { panic!("a rewrite") };
        let handler = pintle_testkit::ScriptedHandler::from_verdict(verdict.with_rewrite(rewrite));
        let chain = pintle_testkit::chain(Layer::Project, profile, [hook.build_with(&event.name, handler)]);
        let outcome = run_dispatch(&HookSet::new(vec![chain]), &event, &ApprovalResponse::Unavailable);
        assert_eq!((summarize_outcome(&outcome).as_str(), outcome.rewritten), ("deny x=0 d", false), "{profile}");
    }
}

#[test]
fn rule_55_a_deny_may_end_the_run_and_leave_what_it_is_about() {
    let stops = |says| HookCase { stops: true, ..HookCase::always("s", says) };
    let refuses = || HookCase::always("r", ScriptedAnswer::Deny);
    // Hooks, why the run ends, whether the event is refused as its row says.
    let cases = [
        (vec![stops(ScriptedAnswer::Deny)], Some("s says so"), false),
        (vec![stops(ScriptedAnswer::Deny), refuses()], Some("s says so"), true),
        (vec![refuses()], None, true),
        (
            vec![stops(ScriptedAnswer::Fail)],
            Some("denied because hook `s` failed (error: s says so) and its failure policy is `closed`"),
            false,
        ),
        // An ask that nobody lifts is a deny of the same hook.
        (
            vec![stops(ScriptedAnswer::Ask)],
            Some("s says so; denied because it needs approval and nothing can request one"),
            false,
        ),
        (vec![stops(ScriptedAnswer::Allow)], None, false),
    ];
    let event = tool_event("a", 0);
    for (hooks, reason, refused) in cases {
        let chains = [build_chain(Layer::Project, Profile::ParallelStrictest, hooks.clone())];
        let outcome = run_dispatch(&build_set(&chains, &event.name), &event, &ApprovalResponse::Unavailable);
        assert_eq!((outcome.stop_reason().as_deref(), outcome.denies_event()), (reason, refused), "{hooks:#?}");
    }
}

#[test]
fn rule_57_only_hooks_that_count_alike_speak_for_each_other() {
    let event = tool_event("a", 0);
    let base = || Hook {
        definition: Some("words".into()),
        ..HookCase::always("h", ScriptedAnswer::Pass).build(&event.name).0
    };
    let only = |names: &[&'static str]| Some(SubjectMatcher::new(names.iter().copied()) as _);
    // The second hook, and how many of the two are asked for a call of `a`.
    let cases: [(&str, Hook, usize); 9] = [
        ("the same", base(), 1),
        ("another matcher that wants it too", Hook { matcher: only(&["a", "b"]), ..base() }, 1),
        ("other words", Hook { definition: Some("others".into()), ..base() }, 2),
        ("no words", Hook { definition: None, ..base() }, 2),
        ("another spelling", Hook { event_alias: "pre_tool_use".into(), ..base() }, 2),
        ("shadow mode", Hook { mode: EnforcementMode::Shadow, ..base() }, 2),
        ("fails open", Hook { on_failure: FailurePolicy::Open, ..base() }, 2),
        ("ends the run", Hook { on_deny: DenyEffect::StopRun, ..base() }, 2),
        ("another event", Hook { event: crate::model::event("session.end", Value::Null).name, ..base() }, 1),
    ];
    for (what, second, asked) in cases {
        let chain = pintle_testkit::chain(Layer::Project, Profile::ParallelStrictest, [base(), second.clone()]);
        let outcome = run_dispatch(&HookSet::new(vec![chain]), &event, &ApprovalResponse::Unavailable);
        assert_eq!(outcome.hooks_called, asked as u32, "{what}");
    }
    // A hook that does not want the event speaks for nobody, and chains that compose differently do not either.
    let first = Hook { matcher: only(&["b"]), ..base() };
    let pair = |profile| pintle_testkit::chain(Layer::Project, profile, [base()]);
    let chain = pintle_testkit::chain(Layer::Project, MERGE, [first, base()]);
    let sets = [HookSet::new(vec![chain]), HookSet::new(vec![pair(MERGE), pair(MERGE)])];
    assert_eq!(sets.map(|set| run_dispatch(&set, &event, &ApprovalResponse::Unavailable).hooks_called), [1, 1]);
    let set = HookSet::new(vec![pair(MERGE), pair(Profile::SequentialRunAll)]);
    assert_eq!(run_dispatch(&set, &event, &ApprovalResponse::Unavailable).hooks_called, 2);
}

#[test]
fn rule_58_an_ignored_failure_decides_nothing_and_is_recorded() {
    let event = tool_event("a", 0);
    for profile in PROFILES {
        let failing = HookCase::always("f", ScriptedAnswer::Fail).build(&event.name).0;
        let hook = Hook { on_failure: FailurePolicy::Ignored, ..failing };
        let chain = pintle_testkit::chain(Layer::Project, profile, [hook]);
        let outcome = run_dispatch(&HookSet::new(vec![chain]), &event, &ApprovalResponse::Unavailable);
        let policies: Vec<FailurePolicy> = outcome.failures.iter().map(|report| report.policy).collect();
        assert_eq!(
            (summarize_outcome(&outcome).as_str(), policies),
            ("allow x=0", vec![FailurePolicy::Ignored]),
            "{profile}"
        );
    }
}

#[test]
fn rule_64_a_guard_that_could_not_be_started_denies_whatever_its_policy_is() {
    let event = tool_event("a", 0);
    let failed = |kind| Verdict::failed(Failure::new(kind, "cannot run `sh`"));
    for (kind, guard, wanted) in [
        (FailureKind::NotStarted, true, Decision::Deny),
        (FailureKind::NotStarted, false, Decision::Allow),
        (FailureKind::Crash, true, Decision::Allow),
    ] {
        for policy in [FailurePolicy::Open, FailurePolicy::Ignored] {
            let handler = ScriptedHandler::from_verdict(failed(kind));
            let failing = HookCase::always("f", ScriptedAnswer::Pass).build_with(&event.name, handler);
            let hook = Hook { on_failure: policy, guard, ..failing };
            let chain = pintle_testkit::chain(Layer::Project, Profile::ParallelStrictest, [hook]);
            let outcome = run_dispatch(&HookSet::new(vec![chain]), &event, &ApprovalResponse::Unavailable);
            assert_eq!(outcome.decision, wanted, "{kind:?} {guard} {policy:?}");
        }
    }
}

/// Remembers the metadata of what it is asked.
#[derive(Debug, Default)]
struct MetadataApprover(Mutex<Vec<Value>>);

impl Approver for MetadataApprover {
    fn request_approval(&self, question: &ApprovalRequest<'_>) -> ApprovalResponse {
        self.0.lock().unwrap().push(Value::Object(question.metadata.clone()));
        ApprovalResponse::Unavailable
    }
}

#[test]
fn rule_59_who_is_asked_is_told_what_the_hooks_know() {
    let event = tool_event("a", 0);
    let knows = |id: &str, facts: Value| {
        let Value::Object(facts) = facts else { panic!("facts have names") };
        let handler = ScriptedHandler::from_verdict(Verdict::ask("look").with_effect(Effect::Metadata(facts)));
        HookCase::always(id, ScriptedAnswer::Pass).build_with(&event.name, handler)
    };
    let hooks = [knows("one", json!({"category": "shell", "risk": "low"})), knows("two", json!({"risk": "high"}))];
    let set = HookSet::new(vec![pintle_testkit::chain(Layer::Project, Profile::ParallelStrictest, hooks)]);
    let (seam, resolver) = (InMemoryEffects::new(), MetadataApprover::default());
    DispatchFixture {
        journal: &NullJournal,
        effects: &seam,
        approver: &resolver,
        shadow: false,
        cancel: CancelToken::default(),
    }
    .dispatch(&set, &event);
    // Of two that speak of one thing the later one counts.
    assert_eq!(resolver.0.into_inner().unwrap(), [json!({"category": "shell", "risk": "high"})]);
}

#[test]
fn explain_says_which_hook_speaks_for_another() {
    let event = tool_event("a", 0);
    let twin = |id: &str, wanted| HookCase {
        matcher: wanted,
        definition: Some("words"),
        ..HookCase::always(id, ScriptedAnswer::Pass)
    };
    let hooks = [
        twin("first", MatcherFixture::Names(vec!["b"], true)),
        twin("second", MatcherFixture::Always),
        twin("third", MatcherFixture::Always),
    ];
    let set = build_set(&[build_chain(Layer::Project, MERGE, hooks)], &event.name);
    let lines = |event| explain(&set, event).iter().map(|one| one.prediction.to_string()).collect::<Vec<_>>();
    assert_eq!(
        lines(&event),
        [
            "does not run: `name` is `a`, and the hook is for `b` only",
            "runs",
            "does not run again: it duplicates `second` of project",
        ]
    );
    let same = "does not run again: it duplicates `first` of project";
    assert_eq!(lines(&tool_event("b", 0)), ["runs", same, same]);
}
