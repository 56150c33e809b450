//! An ask is a deny that somebody may lift.

use pintle_contract::{
    Approval, ApprovalRequest, ApprovalResponse, Approver, CancelToken, HookId, Layer, NullJournal, Outcome,
    OutcomeReason, Profile,
};
use pintle_testkit::{InMemoryEffects, ScriptedApprover};

use crate::model::{
    ChainFixture, DispatchFixture, HookCase, PayloadCondition, ScriptedAnswer, approved_response, build_chain,
    build_set, run_dispatch, set_x, summarize_outcome, tool_event,
};

const IN_ORDER: Profile = Profile::SequentialFirstDeny;

fn dispatch_chains(chains: &[ChainFixture], resolver: &ScriptedApprover) -> Outcome {
    let (event, seam) = (tool_event("a", 0), InMemoryEffects::new());
    DispatchFixture {
        journal: &NullJournal,
        effects: &seam,
        approver: resolver,
        shadow: false,
        cancel: CancelToken::default(),
    }
    .dispatch(&build_set(chains, &event.name), &event)
}

fn reason(hook: &str, text: &str) -> OutcomeReason {
    OutcomeReason::new(HookId::new(hook), text)
}

#[test]
fn rule_30_one_question_holds_all_reasons_and_the_final_target() {
    let late = HookCase { guard: false, ..HookCase::always("w", set_x(1)) };
    let chains = [
        build_chain(Layer::Managed, IN_ORDER, [HookCase::always("k", ScriptedAnswer::Ask)]),
        build_chain(Layer::Project, Profile::ParallelStrictest, [HookCase::always("l", ScriptedAnswer::Ask), late]),
    ];
    let approver = ScriptedApprover::new(approved_response());
    let outcome = dispatch_chains(&chains, &approver);
    let digest = outcome.payload.digest();
    let reasons = vec![reason("k", "k says so"), reason("l", "l says so")];
    assert_eq!(approver.requests(), [(outcome.payload.value().clone(), digest.clone(), reasons.clone())]);
    assert_eq!(outcome.approval, Some(Approval { digest, approved_by: String::from("ada") }));
    assert_eq!((summarize_outcome(&outcome).as_str(), outcome.reasons), ("allow x=1 k l", reasons));
    // The approval is for these bytes and no others.
    assert!(!outcome.approval.unwrap().covers(&tool_event("a", 0).payload));
}

#[test]
fn rule_31_who_answers_decides_and_nobody_means_deny() {
    let event = tool_event("a", 0);
    let set =
        build_set(&[build_chain(Layer::Project, IN_ORDER, [HookCase::always("k", ScriptedAnswer::Ask)])], &event.name);
    let cases = [
        (approved_response(), "allow", "k says so", true),
        (ApprovalResponse::Deferred, "ask", "k says so", false),
        (ApprovalResponse::Refused { answered_by: String::from("ada") }, "deny", "k says so; denied by ada", false),
        (
            ApprovalResponse::Unavailable,
            "deny",
            "k says so; denied because it needs approval and nothing can request one",
            false,
        ),
    ];
    for (answer, decision, text, lifted) in cases {
        let outcome = run_dispatch(&set, &event, &answer);
        assert_eq!(outcome.decision.to_string(), decision);
        assert_eq!(outcome.reasons, [reason("k", text)]);
        assert_eq!(outcome.approval.is_some(), lifted);
        // An approval is no hook's allow.
        assert!(!outcome.approved);
    }
}

#[test]
fn rule_32_a_deny_anywhere_beats_an_ask_and_nobody_is_asked() {
    let approver = ScriptedApprover::new(approved_response());
    let ask = || build_chain(Layer::Managed, IN_ORDER, [HookCase::always("k", ScriptedAnswer::Ask)]);
    let deny = build_chain(Layer::Runtime, IN_ORDER, [HookCase::always("d", ScriptedAnswer::Deny)]);
    assert_eq!(summarize_outcome(&dispatch_chains(&[ask(), deny], &approver)), "deny x=0 d");
    assert_eq!(approver.requests(), []);
}

#[test]
fn rule_33_an_ask_about_older_bytes_is_void_when_its_guard_takes_it_back() {
    let ask = |guard| HookCase {
        guard,
        ..HookCase::new("k", PayloadCondition::XEquals(0), ScriptedAnswer::Ask, ScriptedAnswer::Pass)
    };
    let change = || HookCase { guard: false, ..HookCase::always("w", set_x(1)) };
    let outcome = |guard| {
        let approver = ScriptedApprover::new(ApprovalResponse::Deferred);
        summarize_outcome(&dispatch_chains(&[build_chain(Layer::Project, IN_ORDER, [ask(guard), change()])], &approver))
    };
    // The guard was asked again and does not mind the final bytes; a hook that is not asked again keeps its ask.
    assert_eq!(outcome(true), "allow x=1");
    assert_eq!(outcome(false), "ask x=1 k");
    // A guard that rewrites what it is asked about again has taken its ask back too.
    let settles = HookCase::new("k", PayloadCondition::XEquals(0), ScriptedAnswer::Ask, set_x(2));
    let approver = ScriptedApprover::new(ApprovalResponse::Deferred);
    assert_eq!(
        summarize_outcome(&dispatch_chains(&[build_chain(Layer::Project, IN_ORDER, [settles, change()])], &approver)),
        "allow x=2"
    );
}

#[test]
fn rule_34_an_allow_counts_only_for_the_bytes_it_was_given_for() {
    let allow = |guard| HookCase {
        guard,
        ..HookCase::new("y", PayloadCondition::XEquals(0), ScriptedAnswer::Allow, ScriptedAnswer::Pass)
    };
    let change = || HookCase { guard: false, ..HookCase::always("w", set_x(1)) };
    let event = tool_event("a", 0);
    for (hooks, approved) in [
        (vec![allow(true)], true),
        (vec![change(), allow(true)], false),
        (vec![allow(true), change()], false),
        (vec![allow(false), change()], false),
        (vec![change(), HookCase::always("y", ScriptedAnswer::Allow)], true),
    ] {
        let set = build_set(&[build_chain(Layer::Project, IN_ORDER, hooks.clone())], &event.name);
        assert_eq!(run_dispatch(&set, &event, &ApprovalResponse::Unavailable).approved, approved, "{hooks:#?}");
    }
}

#[derive(Debug)]
struct PanickingApprover;

impl Approver for PanickingApprover {
    fn request_approval(&self, _question: &ApprovalRequest<'_>) -> ApprovalResponse {
        panic!("no terminal");
    }
}

#[test]
fn rule_48_a_resolver_that_panics_has_answered_nothing() {
    let (event, seam) = (tool_event("a", 0), InMemoryEffects::new());
    let set =
        build_set(&[build_chain(Layer::Project, IN_ORDER, [HookCase::always("k", ScriptedAnswer::Ask)])], &event.name);
    let world = DispatchFixture {
        journal: &NullJournal,
        effects: &seam,
        approver: &PanickingApprover,
        shadow: false,
        cancel: CancelToken::default(),
    };
    let outcome = world.dispatch(&set, &event);
    assert_eq!(
        outcome.reason(),
        "blocked by hook \"k\": k says so; denied because it needs approval and nothing can request one"
    );
}
