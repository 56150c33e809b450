//! The rules that hold for any hooks at all.

use std::sync::{Arc, Condvar, Mutex};

use pintle_contract::{
    ApprovalResponse, CallId, CancelToken, Decision, DispatchId, Event, Journal, JournalEntry, Layer, NullJournal,
    Outcome, OutcomeReason, Profile, Verdict,
};
use pintle_engine::{HookSet, RunPrediction, explain};
use pintle_testkit::{InMemoryEffects, LineJournal, ScriptedApprover, ScriptedHandler};
use proptest::prelude::*;
use proptest::sample::select;

use crate::anything::{
    any_chains, any_duplicable_hook, any_event, any_hook, any_response, any_scripted_answer, any_steady_hook,
};
use crate::model::{
    ChainFixture, DispatchFixture, HookCase, MatcherFixture, PROFILES, ScriptedAnswer, build_set, run_dispatch,
};
use crate::naive::{ExpectedOutcome, JournaledStep, fold};

/// Keeps the steps of a dispatch.
#[derive(Debug, Default)]
pub(crate) struct StepJournal(pub(crate) Mutex<Vec<JournaledStep>>);

impl Journal for StepJournal {
    fn begin_dispatch(&self, _event: &JournalEntry<'_>) -> DispatchId {
        DispatchId(0)
    }

    fn record(&self, _dispatch: DispatchId, entry: &JournalEntry<'_>) {
        let step = match entry {
            JournalEntry::Call { hook, round, event, .. } => {
                JournaledStep::Call(hook.id.to_string(), *round, event.payload.value().clone())
            }
            JournalEntry::MatcherFailed { hook, round, failure } => {
                JournaledStep::MatcherFailed(hook.id.to_string(), *round, failure.kind)
            }
            JournalEntry::NotCalled { hook, round, failure } => {
                JournaledStep::NotCalled(hook.id.to_string(), *round, failure.kind)
            }
            JournalEntry::ApprovalAnswered { digest, reasons, .. } => {
                JournaledStep::ApprovalAnswered((*digest).to_owned(), hook_ids(reasons))
            }
            JournalEntry::Event { .. }
            | JournalEntry::Return { .. }
            | JournalEntry::Warning { .. }
            | JournalEntry::Outcome { .. } => return,
        };
        self.0.lock().unwrap().push(step);
    }

    fn next_call(&self) -> CallId {
        CallId(0)
    }
}

fn hook_ids(reasons: &[OutcomeReason]) -> Vec<String> {
    let ends = |reason: &OutcomeReason| if reason.stops_run { "!" } else { "" };
    reasons.iter().map(|reason| format!("{}{}", reason.hook, ends(reason))).collect()
}

/// An outcome in the form that the naive fold speaks.
fn to_expected(outcome: &Outcome, steps: Vec<JournaledStep>) -> ExpectedOutcome {
    let mut failures = Vec::new();
    for report in &outcome.failures {
        let failure = (report.hook.to_string(), report.failure.kind, report.policy);
        if !failures.contains(&failure) {
            failures.push(failure);
        }
    }
    ExpectedOutcome {
        decision: outcome.decision,
        approved: outcome.approved,
        payload: outcome.payload.value().clone(),
        rewritten: outcome.rewritten,
        reasons: hook_ids(&outcome.reasons),
        effects: outcome.effects.iter().map(|(hook, _)| hook.to_string()).collect(),
        failures,
        shadow: outcome.shadow.iter().map(|verdict| verdict.hook.to_string()).collect(),
        has_approval: outcome.approval.is_some(),
        steps,
    }
}

/// The hooks that made the final target: what one of them would make of the target it saw last.
fn find_makers(
    set: &HookSet,
    chains: &[ChainFixture],
    event: &Event,
    answer: &ApprovalResponse,
    fin: &Event,
) -> Vec<String> {
    let (steps, seam, resolver) =
        (StepJournal::default(), InMemoryEffects::new(), ScriptedApprover::new(answer.clone()));
    DispatchFixture {
        journal: &steps,
        effects: &seam,
        approver: &resolver,
        shadow: false,
        cancel: CancelToken::default(),
    }
    .dispatch(set, event);
    let steps = steps.0.into_inner().unwrap();
    let rewriters = chains.iter().flat_map(|links| &links.hooks).filter(|spec| {
        let last = steps.iter().rev().find_map(|step| match step {
            JournaledStep::Call(hook, _, payload) if *hook == spec.id => Some(payload),
            _ => None,
        });
        last.is_some_and(|seen| seen != fin.payload.value() && spec.answer(seen).may_rewrite())
    });
    rewriters.map(|spec| spec.id.clone()).collect()
}

fn is_deny(decision: Decision) -> bool {
    decision == Decision::Deny
}

/// Chains whose hooks say the same of every payload, so that what one hook does cannot change what another says.
fn any_steady_chains() -> impl Strategy<Value = Vec<ChainFixture>> {
    any_chains(any_steady_hook())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, max_global_rejects: 100_000, ..ProptestConfig::default() })]

    /// The engine agrees with a second implementation of the whole rule.
    #[test]
    fn rule_01_the_engine_agrees_with_the_naive_fold(
        chains in any_chains(any_duplicable_hook()),
        event in any_event(),
        answer in any_response(),
    ) {
        let (steps, seam, resolver) = (StepJournal::default(), InMemoryEffects::new(), ScriptedApprover::new(answer.clone()));
        let world =
            DispatchFixture { journal: &steps, effects: &seam, approver: &resolver, shadow: false, cancel: CancelToken::default() };
        let outcome = world.dispatch(&build_set(&chains, &event.name), &event);
        let steps = steps.0.into_inner().unwrap();
        prop_assert_eq!(to_expected(&outcome, steps), fold(&chains, &event, &answer));
    }

    /// Adding a hook never turns a deny into an allow.
    #[test]
    fn rule_02_adding_a_hook_never_lifts_a_deny(
        chains in any_steady_chains(),
        added in any_hook(),
        place in any::<prop::sample::Index>(),
        event in any_event(),
        answer in any_response(),
    ) {
        prop_assume!(!chains.is_empty());
        let before = run_dispatch(&build_set(&chains, &event.name), &event, &answer);
        prop_assume!(is_deny(before.decision));
        let mut more = chains;
        let at = place.index(more.len());
        let links = &mut more[at];
        let position = place.index(links.hooks.len() + 1);
        links.hooks.insert(position, HookCase { id: String::from("added"), ..added });
        let after = run_dispatch(&build_set(&more, &event.name), &event, &answer);
        prop_assert!(is_deny(after.decision), "{:?}", after);
    }

    /// Adding a layer never turns a deny into an allow, wherever it stands.
    #[test]
    fn rule_03_adding_a_layer_never_lifts_a_deny(
        chains in any_steady_chains(),
        added in any_chains(any_hook()),
        event in any_event(),
        answer in any_response(),
    ) {
        let base = build_set(&chains, &event.name);
        prop_assume!(is_deny(run_dispatch(&base, &event, &answer).decision));
        let after = run_dispatch(&base.with_chains(build_set(&added, &event.name).chains().to_vec()), &event, &answer);
        prop_assert!(is_deny(after.decision), "{:?}", after);
    }

    /// A lower layer can narrow, never widen: what upper layers ask or deny, nothing below lifts.
    #[test]
    fn rule_04_a_lower_layer_never_widens(
        upper in any_chains(any_steady_hook()),
        lower in any_chains(any_hook()),
        event in any_event(),
    ) {
        let at = |mut chains: Vec<ChainFixture>, layer| {
            chains.iter_mut().for_each(|links| links.layer = layer);
            build_set(&chains, &event.name)
        };
        let alone = at(upper, Layer::Managed);
        // An ask of a hook that is no guard, or of one that is, stays an ask where nobody answers it.
        let narrow = run_dispatch(&alone, &event, &ApprovalResponse::Deferred).decision;
        let both = alone.with_chains(at(lower, Layer::Project).chains().to_vec());
        let after = run_dispatch(&both, &event, &ApprovalResponse::Deferred).decision;
        prop_assert!(after >= narrow, "{narrow} became {after}");
    }

    /// Guards see the final bytes: nothing is allowed that an enforced guard would refuse or ask about.
    #[test]
    fn rule_05_no_guard_would_refuse_what_is_allowed(
        chains in any_chains(any_hook()),
        event in any_event(),
        answer in any_response(),
    ) {
        let set = build_set(&chains, &event.name);
        let outcome = run_dispatch(&set, &event, &answer);
        prop_assume!(outcome.is_allowed());
        let fin = event.with_payload(outcome.payload.clone());
        let explained = explain(&set, &fin);
        let those = |is: fn(&RunPrediction) -> bool| -> Vec<String> {
            explained.iter().filter(|one| is(&one.prediction)).map(|one| one.hook.to_string()).collect()
        };
        let (wanted, failing) = (those(RunPrediction::is_yes), those(|runs| matches!(runs, RunPrediction::HookFailed { .. })));
        let made = find_makers(&set, &chains, &event, &answer, &fin);
        for spec in chains.iter().flat_map(|links| &links.hooks) {
            // A hook is taken at its word about a target that it made itself; one that rewrites judges every other one.
            if made.contains(&spec.id) {
                continue;
            }
            if !spec.guard || spec.shadow {
                continue;
            }
            prop_assert!(!spec.closed || !failing.contains(&spec.id), "the matcher of {} is cut short", spec.id);
            if !wanted.contains(&spec.id) {
                continue;
            }
            match spec.answer(fin.payload.value()) {
                ScriptedAnswer::Deny => prop_assert!(false, "{} would deny {:?}", spec.id, fin.payload),
                ScriptedAnswer::Fail | ScriptedAnswer::Panic => prop_assert!(!spec.closed, "{} would fail closed", spec.id),
                ScriptedAnswer::Ask | ScriptedAnswer::AskRewritten(_) => prop_assert!(outcome.approval.as_ref().is_some_and(|yes| yes.covers(&fin.payload))),
                _ => {}
            }
        }
    }

    /// Shadow mode: whatever the hooks are, nothing follows from them.
    #[test]
    fn rule_06_shadow_enforces_nothing(
        chains in any_chains(any_hook()),
        event in any_event(),
        answer in any_response(),
        by_run in any::<bool>(),
    ) {
        let mut chains = chains;
        if !by_run {
            chains.iter_mut().flat_map(|links| &mut links.hooks).for_each(|spec| spec.shadow = true);
        }
        let (seam, resolver) = (InMemoryEffects::new(), ScriptedApprover::new(answer));
        let world =
            DispatchFixture { journal: &NullJournal, effects: &seam, approver: &resolver, shadow: by_run, cancel: CancelToken::default() };
        let outcome = world.dispatch(&build_set(&chains, &event.name), &event);
        prop_assert!(outcome.payload.ptr_eq(&event.payload));
        let idle = Outcome {
            shadow: Vec::new(),
            warnings: Vec::new(),
            hooks_called: 0,
            ..outcome.clone()
        };
        prop_assert_eq!(format!("{idle:?}"), format!("{:?}", Outcome::unchanged(event.payload.clone())));
        prop_assert!(resolver.requests().is_empty());
    }

    /// A hook that fails open changes nothing but the record: the decision is what it is without the hook.
    #[test]
    fn rule_07_failing_open_is_recorded_and_refuses_nothing(
        chains in any_chains(any_steady_hook()),
        profile in select(PROFILES.to_vec()),
        event in any_event(),
        answer in any_response(),
    ) {
        let failing = HookCase { closed: false, ..HookCase::always("failing", ScriptedAnswer::Fail) };
        let first = ChainFixture { layer: Layer::Managed, profile, hooks: vec![failing] };
        let base = build_set(&chains, &event.name);
        let without = run_dispatch(&base, &event, &answer);
        let with = run_dispatch(&build_set(&[first], &event.name).with_chains(base.chains().to_vec()), &event, &answer);
        prop_assert_eq!(with.decision, without.decision);
        prop_assert_eq!(hook_ids(&with.reasons), hook_ids(&without.reasons));
        prop_assert!(with.failures.iter().any(|report| report.hook.as_str() == "failing"));
    }

    /// A hook that stands there twice, word for word, is asked once, and nothing is decided otherwise.
    #[test]
    fn rule_56_a_hook_that_is_defined_twice_is_asked_once(
        chains in any_chains(any_hook()),
        twice in any_hook(),
        place in any::<prop::sample::Index>(),
        event in any_event(),
        answer in any_response(),
    ) {
        prop_assume!(!chains.is_empty());
        let spoken = |chains: &[ChainFixture]| {
            let (steps, seam, resolver) = (StepJournal::default(), InMemoryEffects::new(), ScriptedApprover::new(answer.clone()));
            let world =
                DispatchFixture { journal: &steps, effects: &seam, approver: &resolver, shadow: false, cancel: CancelToken::default() };
            let outcome = world.dispatch(&build_set(chains, &event.name), &event);
            let mut steps = steps.0.into_inner().unwrap();
            steps.retain(|step| !matches!(step, JournaledStep::MatcherFailed(..)));
            to_expected(&outcome, steps)
        };
        // Where its own matcher fails, each of the two is passed over, or fails, by itself.
        prop_assume!(!matches!(twice.matcher, MatcherFixture::LimitWhen(_) | MatcherFixture::PanicsWhen(_)));
        prop_assume!(!twice.guard || event.subject().is_some());
        let twice = HookCase { id: String::from("twice"), definition: Some("the same words"), strict: false, ..twice };
        let mut once = chains;
        let at = place.index(once.len());
        once[at].hooks.insert(0, twice.clone());
        let mut again = once.clone();
        let links = &mut again[at];
        links.hooks.insert(place.index(links.hooks.len()) + 1, twice);
        prop_assert_eq!(spoken(&once), spoken(&again));
    }

    /// The same hooks and the same event give the same bytes every time, and the journal has the outcome, also that of
    /// a dispatch that it records as a whole.
    #[test]
    fn rule_08_a_dispatch_is_repeatable(chains in any_chains(any_hook()), event in any_event(), answer in any_response()) {
        let once = || {
            let (journal, seam, resolver) = (LineJournal::new(), InMemoryEffects::new(), ScriptedApprover::new(answer.clone()));
            let world =
                DispatchFixture { journal: &journal, effects: &seam, approver: &resolver, shadow: false, cancel: CancelToken::default() };
            let outcome = world.dispatch(&build_set(&chains, &event.name), &event);
            (format!("outcome {} {outcome:?}", event.name), journal.text())
        };
        let (outcome, journal) = once();
        prop_assert_eq!(journal.lines().last(), Some(&*outcome));
        prop_assert_eq!((outcome, journal), once());
    }
}

/// Lets threads through in a given order, without waiting for any time.
#[derive(Debug, Default)]
struct CompletionGate {
    turn: Mutex<usize>,
    moved: Condvar,
}

impl CompletionGate {
    fn wait_turn(&self, rank: usize) {
        let mut turn = self.turn.lock().unwrap();
        while *turn != rank {
            turn = self.moved.wait(turn).unwrap();
        }
        *turn += 1;
        self.moved.notify_all();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    /// Permuting the completion order of parallel calls changes no byte of the outcome or the journal.
    #[test]
    fn rule_09_completion_order_changes_no_byte(
        said in prop::collection::vec(any_scripted_answer(), 2..6),
        order in any::<prop::sample::Index>(),
        profile in select(vec![Profile::ParallelStrictest, Profile::ParallelMerge, Profile::ParallelUnanimous]),
        quick in any::<bool>(),
        answer in any_response(),
    ) {
        let event = crate::model::tool_event("a", 0);
        let finish = |ranks: Vec<usize>| {
            let gate = Arc::new(CompletionGate::default());
            let mut hooks: Vec<_> = said
                .iter()
                .enumerate()
                .map(|(number, says)| {
                    let spec = HookCase { guard: false, ..HookCase::always(&format!("h{number}"), says.clone()) };
                    let (answering, gate, rank) = (spec.clone(), Arc::clone(&gate), ranks[number]);
                    let handler = ScriptedHandler::from_waiting_fn(move |call| -> Verdict {
                        gate.wait_turn(rank);
                        answering.verdict(call.event.payload.value())
                    });
                    spec.build_with(&event.name, handler)
                })
                .collect();
            if quick {
                hooks.insert(1, HookCase::always("quick", ScriptedAnswer::Allow).build(&event.name).0);
            }
            let set = HookSet::new(vec![pintle_testkit::chain(Layer::Project, profile, hooks)]);
            let (journal, seam, resolver) = (LineJournal::new(), InMemoryEffects::new(), ScriptedApprover::new(answer.clone()));
            let world =
                DispatchFixture { journal: &journal, effects: &seam, approver: &resolver, shadow: false, cancel: CancelToken::default() };
            let outcome = world.dispatch(&set, &event);
            (format!("{outcome:?}"), journal.text())
        };
        let declared: Vec<usize> = (0..said.len()).collect();
        let mut permuted = declared.clone();
        permuted.rotate_left(order.index(said.len()));
        permuted.swap(0, order.index(said.len()));
        let reversed = declared.iter().rev().copied().collect();
        let first = finish(declared);
        prop_assert_eq!(&first, &finish(permuted));
        prop_assert_eq!(&first, &finish(reversed));
    }
}
