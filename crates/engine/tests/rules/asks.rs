//! An ask is a deny that somebody may lift.

use pintle_contract::{
    Approval, ApprovalRequest, ApprovalResponse, Approver, CancelToken, HookId, Layer, NullJournal, Outcome,
    OutcomeReason, Profile,
};
use pintle_testkit::{MapSeam, ScriptedResolver};

use crate::model::{Is, Links, Says, Spec, World, approved, links, run, set, set_x, told, tool};

const IN_ORDER: Profile = Profile::SequentialFirstDeny;

fn asked(chains: &[Links], resolver: &ScriptedResolver) -> Outcome {
    let (event, seam) = (tool("a", 0), MapSeam::new());
    World { journal: &NullJournal, seam: &seam, resolver, shadow: false, cancel: CancelToken::default() }
        .dispatch(&set(chains, &event.name), &event)
}

fn reason(hook: &str, text: &str) -> OutcomeReason {
    OutcomeReason::new(HookId::new(hook), text)
}

#[test]
fn rule_30_one_question_holds_all_reasons_and_the_final_target() {
    let late = Spec { guard: false, ..Spec::says("w", set_x(1)) };
    let chains = [
        links(Layer::Managed, IN_ORDER, [Spec::says("k", Says::Ask)]),
        links(Layer::Project, Profile::ParallelStrictest, [Spec::says("l", Says::Ask), late]),
    ];
    let resolver = ScriptedResolver::new(approved());
    let outcome = asked(&chains, &resolver);
    let digest = outcome.payload.digest();
    let reasons = vec![reason("k", "k says so"), reason("l", "l says so")];
    assert_eq!(resolver.asked(), [(outcome.payload.value().clone(), digest.clone(), reasons.clone())]);
    assert_eq!(outcome.approval, Some(Approval { digest, approved_by: String::from("ada") }));
    assert_eq!((told(&outcome).as_str(), outcome.reasons), ("allow x=1 k l", reasons));
    // The approval is for these bytes and no others.
    assert!(!outcome.approval.unwrap().covers(&tool("a", 0).payload));
}

#[test]
fn rule_31_who_answers_decides_and_nobody_means_deny() {
    let event = tool("a", 0);
    let set = set(&[links(Layer::Project, IN_ORDER, [Spec::says("k", Says::Ask)])], &event.name);
    let cases = [
        (approved(), "allow", "k says so", true),
        (ApprovalResponse::Deferred, "ask", "k says so", false),
        (ApprovalResponse::Refused { answered_by: String::from("ada") }, "deny", "k says so; refused by ada", false),
        (ApprovalResponse::Unavailable, "deny", "k says so; it needs approval and there is nobody to ask", false),
    ];
    for (answer, decision, text, lifted) in cases {
        let outcome = run(&set, &event, &answer);
        assert_eq!(outcome.decision.to_string(), decision);
        assert_eq!(outcome.reasons, [reason("k", text)]);
        assert_eq!(outcome.approval.is_some(), lifted);
        // An approval is no hook's allow.
        assert!(!outcome.approved);
    }
}

#[test]
fn rule_32_a_deny_anywhere_beats_an_ask_and_nobody_is_asked() {
    let resolver = ScriptedResolver::new(approved());
    let ask = || links(Layer::Managed, IN_ORDER, [Spec::says("k", Says::Ask)]);
    let deny = links(Layer::Runtime, IN_ORDER, [Spec::says("d", Says::Deny)]);
    assert_eq!(told(&asked(&[ask(), deny], &resolver)), "deny x=0 d");
    assert_eq!(resolver.asked(), []);
}

#[test]
fn rule_33_an_ask_about_older_bytes_is_void_when_its_guard_takes_it_back() {
    let ask = |guard| Spec { guard, ..Spec::when("k", Is::X(0), Says::Ask, Says::Pass) };
    let change = || Spec { guard: false, ..Spec::says("w", set_x(1)) };
    let outcome = |guard| {
        let resolver = ScriptedResolver::new(ApprovalResponse::Deferred);
        told(&asked(&[links(Layer::Project, IN_ORDER, [ask(guard), change()])], &resolver))
    };
    // The guard was asked again and does not mind the final bytes; a hook that is not asked again keeps its ask.
    assert_eq!(outcome(true), "allow x=1");
    assert_eq!(outcome(false), "ask x=1 k");
    // A guard that rewrites what it is asked about again has taken its ask back too.
    let settles = Spec::when("k", Is::X(0), Says::Ask, set_x(2));
    let resolver = ScriptedResolver::new(ApprovalResponse::Deferred);
    assert_eq!(told(&asked(&[links(Layer::Project, IN_ORDER, [settles, change()])], &resolver)), "allow x=2");
}

#[test]
fn rule_34_an_allow_counts_only_for_the_bytes_it_was_given_for() {
    let allow = |guard| Spec { guard, ..Spec::when("y", Is::X(0), Says::Allow, Says::Pass) };
    let change = || Spec { guard: false, ..Spec::says("w", set_x(1)) };
    let event = tool("a", 0);
    for (hooks, approved) in [
        (vec![allow(true)], true),
        (vec![change(), allow(true)], false),
        (vec![allow(true), change()], false),
        (vec![allow(false), change()], false),
        (vec![change(), Spec::says("y", Says::Allow)], true),
    ] {
        let set = set(&[links(Layer::Project, IN_ORDER, hooks.clone())], &event.name);
        assert_eq!(run(&set, &event, &ApprovalResponse::Unavailable).approved, approved, "{hooks:#?}");
    }
}

#[derive(Debug)]
struct Broken;

impl Approver for Broken {
    fn request_approval(&self, _question: &ApprovalRequest<'_>) -> ApprovalResponse {
        panic!("no terminal");
    }
}

#[test]
fn rule_48_a_resolver_that_panics_has_answered_nothing() {
    let (event, seam) = (tool("a", 0), MapSeam::new());
    let set = set(&[links(Layer::Project, IN_ORDER, [Spec::says("k", Says::Ask)])], &event.name);
    let world =
        World { journal: &NullJournal, seam: &seam, resolver: &Broken, shadow: false, cancel: CancelToken::default() };
    let outcome = world.dispatch(&set, &event);
    assert_eq!(outcome.reason(), "blocked by hook \"k\": k says so; it needs approval and there is nobody to ask");
}
