//! The rules that hold for any hooks at all.

use std::sync::{Arc, Condvar, Mutex};

use pintle_contract::{
    ApprovalResponse, CallId, CancelToken, Decision, Event, Journal, JournalEntry, Layer, NullJournal, Outcome,
    OutcomeReason, Profile, Verdict,
};
use pintle_engine::{HookSet, Runs, explain};
use pintle_testkit::{LineJournal, MapSeam, Scripted, ScriptedResolver};
use proptest::prelude::*;
use proptest::sample::select;

use crate::anything::{any_answer, any_chains, any_event, any_says, any_spec, any_steady, any_twin};
use crate::model::{Links, PROFILES, Says, Spec, Wanted, World, run, set};
use crate::naive::{Expected, Step, fold};

/// Keeps the steps of a dispatch.
#[derive(Debug, Default)]
pub(crate) struct Steps(pub(crate) Mutex<Vec<Step>>);

impl Journal for Steps {
    fn record(&self, entry: &JournalEntry<'_>) {
        let step = match entry {
            JournalEntry::Call { hook, round, event, .. } => {
                Step::Call(hook.id.to_string(), *round, event.payload.value().clone())
            }
            JournalEntry::MatcherFailed { hook, round, failure } => {
                Step::Unmatched(hook.id.to_string(), *round, failure.kind)
            }
            JournalEntry::NotCalled { hook, round, failure } => {
                Step::Unasked(hook.id.to_string(), *round, failure.kind)
            }
            JournalEntry::ApprovalAnswered { digest, reasons, .. } => {
                Step::Resolved((*digest).to_owned(), ids(reasons))
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

fn ids(reasons: &[OutcomeReason]) -> Vec<String> {
    let ends = |reason: &OutcomeReason| if reason.stops_run { "!" } else { "" };
    reasons.iter().map(|reason| format!("{}{}", reason.hook, ends(reason))).collect()
}

/// An outcome in the form that the naive fold speaks.
fn seen(outcome: &Outcome, steps: Vec<Step>) -> Expected {
    let mut failures = Vec::new();
    for report in &outcome.failures {
        let failure = (report.hook.to_string(), report.failure.kind, report.policy);
        if !failures.contains(&failure) {
            failures.push(failure);
        }
    }
    Expected {
        decision: outcome.decision,
        approved: outcome.approved,
        payload: outcome.payload.value().clone(),
        rewritten: outcome.rewritten,
        reasons: ids(&outcome.reasons),
        effects: outcome.effects.iter().map(|(hook, _)| hook.to_string()).collect(),
        failures,
        shadow: outcome.shadow.iter().map(|verdict| verdict.hook.to_string()).collect(),
        lifted: outcome.approval.is_some(),
        steps,
    }
}

/// The hooks that made the final target: what one of them would make of the target it saw last.
fn makers(set: &HookSet, chains: &[Links], event: &Event, answer: &ApprovalResponse, fin: &Event) -> Vec<String> {
    let (steps, seam, resolver) = (Steps::default(), MapSeam::new(), ScriptedResolver::new(answer.clone()));
    World { journal: &steps, seam: &seam, resolver: &resolver, shadow: false, cancel: CancelToken::default() }
        .dispatch(set, event);
    let steps = steps.0.into_inner().unwrap();
    let rewriters = chains.iter().flat_map(|links| &links.hooks).filter(|spec| {
        let last = steps.iter().rev().find_map(|step| match step {
            Step::Call(hook, _, payload) if *hook == spec.id => Some(payload),
            _ => None,
        });
        last.is_some_and(|seen| seen != fin.payload.value() && spec.answer(seen).may_rewrite())
    });
    rewriters.map(|spec| spec.id.clone()).collect()
}

fn refuses(decision: Decision) -> bool {
    decision == Decision::Deny
}

/// Chains whose hooks say the same of every payload, so that what one hook does cannot change what another says.
fn steady_chains() -> impl Strategy<Value = Vec<Links>> {
    any_chains(any_steady())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, max_global_rejects: 100_000, ..ProptestConfig::default() })]

    /// The engine agrees with a second implementation of the whole rule.
    #[test]
    fn rule_01_the_engine_agrees_with_the_naive_fold(
        chains in any_chains(any_twin()),
        event in any_event(),
        answer in any_answer(),
    ) {
        let (steps, seam, resolver) = (Steps::default(), MapSeam::new(), ScriptedResolver::new(answer.clone()));
        let world =
            World { journal: &steps, seam: &seam, resolver: &resolver, shadow: false, cancel: CancelToken::default() };
        let outcome = world.dispatch(&set(&chains, &event.name), &event);
        let steps = steps.0.into_inner().unwrap();
        prop_assert_eq!(seen(&outcome, steps), fold(&chains, &event, &answer));
    }

    /// Adding a hook never turns a deny into an allow.
    #[test]
    fn rule_02_adding_a_hook_never_lifts_a_deny(
        chains in steady_chains(),
        added in any_spec(),
        place in any::<prop::sample::Index>(),
        event in any_event(),
        answer in any_answer(),
    ) {
        prop_assume!(!chains.is_empty());
        let before = run(&set(&chains, &event.name), &event, &answer);
        prop_assume!(refuses(before.decision));
        let mut more = chains;
        let at = place.index(more.len());
        let links = &mut more[at];
        let position = place.index(links.hooks.len() + 1);
        links.hooks.insert(position, Spec { id: String::from("added"), ..added });
        let after = run(&set(&more, &event.name), &event, &answer);
        prop_assert!(refuses(after.decision), "{:?}", after);
    }

    /// Adding a layer never turns a deny into an allow, wherever it stands.
    #[test]
    fn rule_03_adding_a_layer_never_lifts_a_deny(
        chains in steady_chains(),
        added in any_chains(any_spec()),
        event in any_event(),
        answer in any_answer(),
    ) {
        let base = set(&chains, &event.name);
        prop_assume!(refuses(run(&base, &event, &answer).decision));
        let after = run(&base.with(set(&added, &event.name).chains().to_vec()), &event, &answer);
        prop_assert!(refuses(after.decision), "{:?}", after);
    }

    /// A lower layer can narrow, never widen: what upper layers ask or deny, nothing below lifts.
    #[test]
    fn rule_04_a_lower_layer_never_widens(
        upper in any_chains(any_steady()),
        lower in any_chains(any_spec()),
        event in any_event(),
    ) {
        let at = |mut chains: Vec<Links>, layer| {
            chains.iter_mut().for_each(|links| links.layer = layer);
            set(&chains, &event.name)
        };
        let alone = at(upper, Layer::Managed);
        // An ask of a hook that is no guard, or of one that is, stays an ask where nobody answers it.
        let narrow = run(&alone, &event, &ApprovalResponse::Deferred).decision;
        let both = alone.with(at(lower, Layer::Project).chains().to_vec());
        let after = run(&both, &event, &ApprovalResponse::Deferred).decision;
        prop_assert!(after >= narrow, "{narrow} became {after}");
    }

    /// Guards see the final bytes: nothing is allowed that an enforced guard would refuse or ask about.
    #[test]
    fn rule_05_no_guard_would_refuse_what_is_allowed(
        chains in any_chains(any_spec()),
        event in any_event(),
        answer in any_answer(),
    ) {
        let set = set(&chains, &event.name);
        let outcome = run(&set, &event, &answer);
        prop_assume!(outcome.is_allowed());
        let fin = event.with_payload(outcome.payload.clone());
        let explained = explain(&set, &fin);
        let those = |is: fn(&Runs) -> bool| -> Vec<String> {
            explained.iter().filter(|one| is(&one.runs)).map(|one| one.hook.to_string()).collect()
        };
        let (wanted, failing) = (those(Runs::is_yes), those(|runs| matches!(runs, Runs::HookFailed { .. })));
        let made = makers(&set, &chains, &event, &answer, &fin);
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
                Says::Deny => prop_assert!(false, "{} would deny {:?}", spec.id, fin.payload),
                Says::Fail | Says::Panic => prop_assert!(!spec.closed, "{} would fail closed", spec.id),
                Says::Ask | Says::AskOf(_) => prop_assert!(outcome.approval.as_ref().is_some_and(|yes| yes.covers(&fin.payload))),
                _ => {}
            }
        }
    }

    /// Shadow mode: whatever the hooks are, nothing follows from them.
    #[test]
    fn rule_06_shadow_enforces_nothing(
        chains in any_chains(any_spec()),
        event in any_event(),
        answer in any_answer(),
        by_run in any::<bool>(),
    ) {
        let mut chains = chains;
        if !by_run {
            chains.iter_mut().flat_map(|links| &mut links.hooks).for_each(|spec| spec.shadow = true);
        }
        let (seam, resolver) = (MapSeam::new(), ScriptedResolver::new(answer));
        let world =
            World { journal: &NullJournal, seam: &seam, resolver: &resolver, shadow: by_run, cancel: CancelToken::default() };
        let outcome = world.dispatch(&set(&chains, &event.name), &event);
        prop_assert!(outcome.payload.ptr_eq(&event.payload));
        let idle = Outcome {
            shadow: Vec::new(),
            warnings: Vec::new(),
            hooks_called: 0,
            ..outcome.clone()
        };
        prop_assert_eq!(format!("{idle:?}"), format!("{:?}", Outcome::unchanged(event.payload.clone())));
        prop_assert!(resolver.asked().is_empty());
    }

    /// A hook that fails open changes nothing but the record: the decision is what it is without the hook.
    #[test]
    fn rule_07_failing_open_is_recorded_and_refuses_nothing(
        chains in any_chains(any_steady()),
        profile in select(PROFILES.to_vec()),
        event in any_event(),
        answer in any_answer(),
    ) {
        let failing = Spec { closed: false, ..Spec::says("failing", Says::Fail) };
        let first = Links { layer: Layer::Managed, profile, hooks: vec![failing] };
        let base = set(&chains, &event.name);
        let without = run(&base, &event, &answer);
        let with = run(&set(&[first], &event.name).with(base.chains().to_vec()), &event, &answer);
        prop_assert_eq!(with.decision, without.decision);
        prop_assert_eq!(ids(&with.reasons), ids(&without.reasons));
        prop_assert!(with.failures.iter().any(|report| report.hook.as_str() == "failing"));
    }

    /// A hook that stands there twice, word for word, is asked once, and nothing is decided otherwise.
    #[test]
    fn rule_56_a_hook_that_is_defined_twice_is_asked_once(
        chains in any_chains(any_spec()),
        twice in any_spec(),
        place in any::<prop::sample::Index>(),
        event in any_event(),
        answer in any_answer(),
    ) {
        prop_assume!(!chains.is_empty());
        let spoken = |chains: &[Links]| {
            let (steps, seam, resolver) = (Steps::default(), MapSeam::new(), ScriptedResolver::new(answer.clone()));
            let world =
                World { journal: &steps, seam: &seam, resolver: &resolver, shadow: false, cancel: CancelToken::default() };
            let outcome = world.dispatch(&set(chains, &event.name), &event);
            let mut steps = steps.0.into_inner().unwrap();
            steps.retain(|step| !matches!(step, Step::Unmatched(..)));
            seen(&outcome, steps)
        };
        // Where its own matcher fails, each of the two is passed over, or fails, by itself.
        prop_assume!(!matches!(twice.wanted, Wanted::CutShortWhen(_) | Wanted::PanicsWhen(_)));
        let twice = Spec { id: String::from("twice"), definition: Some("the same words"), strict: false, ..twice };
        let mut once = chains;
        let at = place.index(once.len());
        once[at].hooks.insert(0, twice.clone());
        let mut again = once.clone();
        let links = &mut again[at];
        links.hooks.insert(place.index(links.hooks.len()) + 1, twice);
        prop_assert_eq!(spoken(&once), spoken(&again));
    }

    /// The same hooks and the same event give the same bytes every time.
    #[test]
    fn rule_08_a_dispatch_is_repeatable(chains in any_chains(any_spec()), event in any_event(), answer in any_answer()) {
        let once = || {
            let (journal, seam, resolver) = (LineJournal::new(), MapSeam::new(), ScriptedResolver::new(answer.clone()));
            let world =
                World { journal: &journal, seam: &seam, resolver: &resolver, shadow: false, cancel: CancelToken::default() };
            let outcome = world.dispatch(&set(&chains, &event.name), &event);
            (format!("{outcome:?}"), journal.text())
        };
        prop_assert_eq!(once(), once());
    }
}

/// Lets threads through in a given order, without waiting for any time.
#[derive(Debug, Default)]
struct Gate {
    turn: Mutex<usize>,
    moved: Condvar,
}

impl Gate {
    fn pass(&self, rank: usize) {
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
        said in prop::collection::vec(any_says(), 2..6),
        order in any::<prop::sample::Index>(),
        profile in select(vec![Profile::ParallelStrictest, Profile::ParallelMerge, Profile::ParallelUnanimous]),
        quick in any::<bool>(),
        answer in any_answer(),
    ) {
        let event = crate::model::tool("a", 0);
        let finish = |ranks: Vec<usize>| {
            let gate = Arc::new(Gate::default());
            let mut hooks: Vec<_> = said
                .iter()
                .enumerate()
                .map(|(number, says)| {
                    let spec = Spec { guard: false, ..Spec::says(&format!("h{number}"), says.clone()) };
                    let (answering, gate, rank) = (spec.clone(), Arc::clone(&gate), ranks[number]);
                    let handler = Scripted::waiting(move |call| -> Verdict {
                        gate.pass(rank);
                        answering.verdict(call.event.payload.value())
                    });
                    spec.build_with(&event.name, handler)
                })
                .collect();
            if quick {
                hooks.insert(1, Spec::says("quick", Says::Allow).build(&event.name).0);
            }
            let set = HookSet::new(vec![pintle_testkit::chain(Layer::Project, profile, hooks)]);
            let (journal, seam, resolver) = (LineJournal::new(), MapSeam::new(), ScriptedResolver::new(answer.clone()));
            let world =
                World { journal: &journal, seam: &seam, resolver: &resolver, shadow: false, cancel: CancelToken::default() };
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
