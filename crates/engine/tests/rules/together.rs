//! A rewrite beside an allow or an ask, rewrites laid over each other, denies that end the run, hooks defined twice.

use std::sync::Mutex;

use pintle_contract::{
    ApprovalRequest, ApprovalResponse, Approver, CancelToken, DenyEffect, Effect, EnforcementMode, FailurePolicy, Hook,
    Layer, NullJournal, Outcome, Profile, Verdict,
};
use pintle_engine::{HookSet, explain};
use pintle_testkit::{MapSeam, Scripted, SubjectMatcher};
use serde_json::{Value, json};

use crate::model::{Is, PROFILES, Says, Spec, Wanted, World, approved, event, links, run, set, set_x, told, tool};

const MERGE: Profile = Profile::ParallelMerge;

fn watcher(id: &str, says: Says) -> Spec {
    Spec { guard: false, ..Spec::says(id, says) }
}

fn allow_of(says: Says) -> Says {
    Says::AllowOf(Box::new(says))
}

fn ask_of(says: Says) -> Says {
    Says::AskOf(Box::new(says))
}

fn decided(profile: Profile, hooks: &[Spec]) -> Outcome {
    let event = tool("a", 0);
    let chains = [links(Layer::Project, profile, hooks.iter().cloned())];
    run(&set(&chains, &event.name), &event, &ApprovalResponse::Deferred)
}

/// Every profile that takes rewrites.
fn rewriting() -> impl Iterator<Item = Profile> {
    PROFILES.into_iter().filter(|profile| *profile != Profile::ParallelUnanimous)
}

#[test]
fn rule_49_merged_rewrites_are_laid_over_each_other_in_declared_order() {
    let args = |args: Value| Says::Set(json!({"args": args}));
    let name = |name: &str| Says::Set(json!({"name": name}));
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
                Says::Replace(json!({"name": "b", "args": {"x": 1}})),
                Says::Replace(json!({"name": "c", "args": {"x": 2}})),
            ],
            "b",
            json!({"x": 1}),
        ),
        // What is laid over each other may come to nothing.
        (vec![args(json!({"x": 1})), args(json!({"x": 0, "y": 0}))], "a", json!({"x": 0, "y": 0})),
    ];
    for (says, name, args) in cases {
        let hooks: Vec<Spec> =
            says.iter().enumerate().map(|(at, says)| watcher(&format!("w{at}"), says.clone())).collect();
        let outcome = decided(MERGE, &hooks);
        assert_eq!(outcome.payload.field("name"), Some(&json!(name)), "{says:?}");
        assert_eq!(outcome.payload.field("args"), Some(&args), "{says:?}");
        assert!(outcome.is_allowed());
    }
    // A deny wins over every rewrite.
    assert_eq!(told(&decided(MERGE, &[watcher("w", set_x(1)), Spec::says("d", Says::Deny)])), "deny x=0 d");
}

#[test]
fn rule_50_each_merged_rewrite_must_make_sense_alone() {
    // Alone, a rewrite that makes no sense is a failure of its own hook, whatever stands behind it.
    let open = Spec { closed: false, ..watcher("o", set_x(1)) };
    assert_eq!(told(&decided(MERGE, &[watcher("f", Says::Set(json!({"args": 3}))), open])), "deny x=0 f");
    let fails_open = Spec { closed: false, ..watcher("f", Says::Set(json!({"args": 3}))) };
    assert_eq!(told(&decided(MERGE, &[fails_open, watcher("w", set_x(1))])), "allow x=1");
    // Of two spellings of one value the event's own preference decides, wherever they stand.
    let spelled = || watcher("s", Says::Set(json!({"arguments": r#"{"x": 2}"#})));
    for pair in [[spelled(), watcher("w", set_x(1))], [watcher("w", set_x(1)), spelled()]] {
        assert_eq!(told(&decided(MERGE, &pair)), "allow x=1");
    }
}

#[test]
fn rule_51_a_guard_judges_what_its_rewrite_was_merged_into() {
    let sets = |id: &str, says: Says| Spec::says(id, says);
    // Each rewrites one key and would do so for ever; the last one wins, once.
    let outcome = decided(MERGE, &[sets("one", set_x(1)), sets("two", set_x(2))]);
    assert_eq!(told(&outcome), "allow x=2");
    // What the first one said of its own target does not hold for the other's.
    let refuses = Spec::when("one", Is::X(0), set_x(1), Says::Deny);
    assert_eq!(told(&decided(MERGE, &[refuses, sets("two", set_x(2))])), "deny x=2 one");
    // Its allow counts where it got what it wished for, and only there.
    let z = |z: i64| Says::Set(json!({"args": {"x": 0, "z": z}}));
    let merged = decided(MERGE, &[sets("one", allow_of(Says::Set(json!({"args": {"x": 0}})))), sets("two", z(1))]);
    assert_eq!((told(&merged).as_str(), merged.approved), ("allow x=0 one", true));
    let lost = decided(MERGE, &[sets("one", allow_of(z(2))), sets("two", z(1))]);
    assert_eq!((told(&lost).as_str(), lost.approved), ("allow x=0", false));
    // Its ask stands.
    assert_eq!(told(&decided(MERGE, &[sets("one", ask_of(z(2))), sets("two", z(1))])), "ask x=0 one");
}

#[test]
fn rule_52_an_allow_or_an_ask_may_come_with_the_target_it_is_about() {
    for profile in rewriting() {
        let outcome = decided(profile, &[Spec::says("y", allow_of(set_x(1)))]);
        assert_eq!((told(&outcome).as_str(), outcome.approved), ("allow x=1 y", true), "{profile}");
        let outcome = decided(profile, &[Spec::says("k", ask_of(set_x(1)))]);
        assert_eq!(told(&outcome), "ask x=1 k", "{profile}");
        // A later change voids the allow, as it does any other.
        let late = links(Layer::Agent, Profile::SequentialRunAll, [watcher("w", set_x(2))]);
        let first = links(Layer::Project, profile, [watcher("y", allow_of(set_x(1)))]);
        let event = tool("a", 0);
        let outcome = run(&set(&[first, late], &event.name), &event, &ApprovalResponse::Deferred);
        assert_eq!((told(&outcome).as_str(), outcome.approved), ("allow x=2", false), "{profile}");
    }
    // A person is asked about the target that was made, and what they approve is bound to it.
    let event = tool("a", 0);
    let chains = [links(Layer::Project, Profile::SequentialRunAll, [Spec::says("k", ask_of(set_x(1)))])];
    let outcome = run(&set(&chains, &event.name), &event, &approved());
    assert!(outcome.approval.as_ref().is_some_and(|approval| approval.covers(&outcome.payload)));
    assert_eq!(told(&outcome), "allow x=1 k");
    // A chain that has to be unanimous is not, once one of its hooks wants a rewrite.
    let unanimous =
        |says| told(&decided(Profile::ParallelUnanimous, &[Spec::says("y", Says::Allow), Spec::says("n", says)]));
    assert_eq!(unanimous(allow_of(set_x(1))), "deny x=0 n");
    assert_eq!(unanimous(ask_of(set_x(1))), "deny x=0 n");
}

#[test]
fn rule_53_an_allow_of_a_target_that_was_not_made_allows_nothing() {
    let open = |says| Spec { closed: false, ..Spec::says("y", says) };
    let ask = || Spec::says("k", Says::Ask);
    for profile in rewriting() {
        // Nothing, because it makes no sense; a part, because the event does not allow the rest.
        for wish in [json!({"args": 3}), json!({"args": {"x": 1}, "id": "other"})] {
            let outcome = decided(profile, &[open(allow_of(Says::Set(wish.clone())))]);
            assert!(outcome.is_allowed() && !outcome.approved, "{profile}: {wish}");
            assert!(outcome.reasons.is_empty());
            // An ask of it stands: a person sees what is there.
            let outcome = decided(profile, &[open(ask_of(Says::Set(wish)))]);
            assert_eq!((outcome.decision.to_string().as_str(), outcome.reasons.len()), ("ask", 1), "{profile}");
        }
        assert_eq!(told(&decided(profile, &[open(allow_of(Says::Set(json!({"args": 3})))), ask()])), "ask x=0 k");
    }
    // An event without a target gives no allow of another one.
    let start = event("session.start", json!({"source": "startup", "cwd": "/"}));
    let allows = |says| {
        let chains = [links(Layer::Project, Profile::ParallelStrictest, [Spec::says("y", says)])];
        run(&set(&chains, &start.name), &start, &ApprovalResponse::Unavailable).approved
    };
    assert!(!allows(allow_of(Says::Set(json!({"cwd": "/etc"})))));
    assert!(allows(allow_of(Says::Set(json!({"cwd": "/"})))));
}

#[test]
fn rule_54_what_is_denied_is_not_rewritten_by_who_denies_it() {
    let event = tool("a", 0);
    for profile in PROFILES {
        let hook = Spec::says("d", Says::Deny);
        let verdict = hook.verdict(event.payload.value());
        let rewrite = Spec::says("w", set_x(1)).verdict(event.payload.value()).kind;
        let pintle_contract::VerdictKind::Rewrite(rewrite) = rewrite else { panic!("a rewrite") };
        let handler = pintle_testkit::Scripted::always(verdict.with_rewrite(rewrite));
        let chain = pintle_testkit::chain(Layer::Project, profile, [hook.build_with(&event.name, handler)]);
        let outcome = run(&HookSet::new(vec![chain]), &event, &ApprovalResponse::Unavailable);
        assert_eq!((told(&outcome).as_str(), outcome.rewritten), ("deny x=0 d", false), "{profile}");
    }
}

#[test]
fn rule_55_a_deny_may_end_the_run_and_leave_what_it_is_about() {
    let stops = |says| Spec { stops: true, ..Spec::says("s", says) };
    let refuses = || Spec::says("r", Says::Deny);
    // Hooks, why the run ends, whether the event is refused as its row says.
    let cases = [
        (vec![stops(Says::Deny)], Some("s says so"), false),
        (vec![stops(Says::Deny), refuses()], Some("s says so"), true),
        (vec![refuses()], None, true),
        (
            vec![stops(Says::Fail)],
            Some("hook `s` gave no answer (error: s says so); it fails closed, so this was refused"),
            false,
        ),
        // An ask that nobody lifts is a deny of the same hook.
        (vec![stops(Says::Ask)], Some("s says so; it needs approval and there is nobody to ask"), false),
        (vec![stops(Says::Allow)], None, false),
    ];
    let event = tool("a", 0);
    for (hooks, why, refused) in cases {
        let chains = [links(Layer::Project, Profile::ParallelStrictest, hooks.clone())];
        let outcome = run(&set(&chains, &event.name), &event, &ApprovalResponse::Unavailable);
        assert_eq!((outcome.stop_reason().as_deref(), outcome.denies_event()), (why, refused), "{hooks:#?}");
    }
}

#[test]
fn rule_57_only_hooks_that_count_alike_speak_for_each_other() {
    let event = tool("a", 0);
    let base = || Hook { definition: Some("words".into()), ..Spec::says("h", Says::Pass).build(&event.name).0 };
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
        let outcome = run(&HookSet::new(vec![chain]), &event, &ApprovalResponse::Unavailable);
        assert_eq!(outcome.hooks_called, asked as u32, "{what}");
    }
    // A hook that does not want the event speaks for nobody, and chains that compose differently do not either.
    let first = Hook { matcher: only(&["b"]), ..base() };
    let pair = |profile| pintle_testkit::chain(Layer::Project, profile, [base()]);
    let chain = pintle_testkit::chain(Layer::Project, MERGE, [first, base()]);
    let sets = [HookSet::new(vec![chain]), HookSet::new(vec![pair(MERGE), pair(MERGE)])];
    assert_eq!(sets.map(|set| run(&set, &event, &ApprovalResponse::Unavailable).hooks_called), [1, 1]);
    let set = HookSet::new(vec![pair(MERGE), pair(Profile::SequentialRunAll)]);
    assert_eq!(run(&set, &event, &ApprovalResponse::Unavailable).hooks_called, 2);
}

#[test]
fn rule_58_an_ignored_failure_decides_nothing_and_is_recorded() {
    let event = tool("a", 0);
    for profile in PROFILES {
        let failing = Spec::says("f", Says::Fail).build(&event.name).0;
        let hook = Hook { on_failure: FailurePolicy::Ignored, ..failing };
        let chain = pintle_testkit::chain(Layer::Project, profile, [hook]);
        let outcome = run(&HookSet::new(vec![chain]), &event, &ApprovalResponse::Unavailable);
        let policies: Vec<FailurePolicy> = outcome.failures.iter().map(|report| report.policy).collect();
        assert_eq!((told(&outcome).as_str(), policies), ("allow x=0", vec![FailurePolicy::Ignored]), "{profile}");
    }
}

/// Remembers the metadata of what it is asked.
#[derive(Debug, Default)]
struct Curious(Mutex<Vec<Value>>);

impl Approver for Curious {
    fn request_approval(&self, question: &ApprovalRequest<'_>) -> ApprovalResponse {
        self.0.lock().unwrap().push(Value::Object(question.metadata.clone()));
        ApprovalResponse::Unavailable
    }
}

#[test]
fn rule_59_who_is_asked_is_told_what_the_hooks_know() {
    let event = tool("a", 0);
    let knows = |id: &str, facts: Value| {
        let Value::Object(facts) = facts else { panic!("facts have names") };
        let handler = Scripted::always(Verdict::ask("look").with_effect(Effect::Metadata(facts)));
        Spec::says(id, Says::Pass).build_with(&event.name, handler)
    };
    let hooks = [knows("one", json!({"category": "shell", "risk": "low"})), knows("two", json!({"risk": "high"}))];
    let set = HookSet::new(vec![pintle_testkit::chain(Layer::Project, Profile::ParallelStrictest, hooks)]);
    let (seam, resolver) = (MapSeam::new(), Curious::default());
    World { journal: &NullJournal, seam: &seam, resolver: &resolver, shadow: false, cancel: CancelToken::default() }
        .dispatch(&set, &event);
    // Of two that speak of one thing the later one counts.
    assert_eq!(resolver.0.into_inner().unwrap(), [json!({"category": "shell", "risk": "high"})]);
}

#[test]
fn explain_says_which_hook_speaks_for_another() {
    let event = tool("a", 0);
    let twin = |id: &str, wanted| Spec { wanted, definition: Some("words"), ..Spec::says(id, Says::Pass) };
    let hooks =
        [twin("first", Wanted::Names(vec!["b"], true)), twin("second", Wanted::Always), twin("third", Wanted::Always)];
    let set = set(&[links(Layer::Project, MERGE, hooks)], &event.name);
    let lines = |event| explain(&set, event).iter().map(|one| one.runs.to_string()).collect::<Vec<_>>();
    assert_eq!(
        lines(&event),
        [
            "does not run: `name` is `a`, and the hook is for `b` only",
            "runs",
            "does not run again: `second` of project is the same, word for word",
        ]
    );
    let same = "does not run again: `first` of project is the same, word for word";
    assert_eq!(lines(&tool("b", 0)), ["runs", same, same]);
}
