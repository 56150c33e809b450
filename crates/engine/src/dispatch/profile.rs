//! How the hooks of a chain are called: one function for each profile.

use pintle_contract::{Payload, Profile, Rewrite, Verdict, VerdictKind};

use super::call::{PendingCall, call_concurrently};
use super::state::DispatchState;
use crate::compose::merge::{MergeResult, RequestedRewrite, RewriteProposal, merge, overlay_rewrites};
use crate::compose::{RewriteResult, VerdictSource, decision_counts};
use crate::select::NextHook;

/// Runs the chain of a hook, starting with that hook.
pub(super) fn run<'a>(run: &mut DispatchState<'a>, first: NextHook<'a>) {
    let end = first.chain_end;
    match first.profile {
        Profile::SequentialFirstDeny => run_sequentially(run, end, true),
        Profile::SequentialRunAll => run_sequentially(run, end, false),
        Profile::ParallelStrictest => run_strictest(run, end),
        Profile::ParallelMerge => run_merge(run, end),
        Profile::ParallelUnanimous => run_unanimous(run, end),
    }
}

/// Records a verdict of a hook in a parallel chain: its decision immediately, its rewrite later. Returns the payload of
/// its rewrite, if it is valid.
fn record_parallel_verdict<'a>(
    run: &mut DispatchState<'a>,
    source: VerdictSource<'a>,
    rewrite: Option<Rewrite>,
    verdict_kind: Option<VerdictKind>,
) -> Option<RewriteResult> {
    let Some(rewrite) = rewrite else {
        verdict_kind.into_iter().for_each(|verdict_kind| run.tally.record_decision(source, verdict_kind));
        return None;
    };
    let event = run.event().clone();
    let made = run.with_journaled_warnings(|run| run.tally.apply_rewrite(source, rewrite, &event));
    verdict_kind
        .into_iter()
        .filter(|verdict_kind| decision_counts(verdict_kind, made.as_ref()))
        .for_each(|verdict_kind| run.tally.record_decision(source, verdict_kind));
    made
}

/// Calls every matching hook of a chain in parallel; returns the verdicts in declared order.
fn call_chain_concurrently<'a>(run: &mut DispatchState<'a>, end: u32) -> Vec<(VerdictSource<'a>, Verdict)> {
    let mut voters = Vec::new();
    while let Some(turn) = run.next_below(end) {
        if run.should_call(turn) {
            voters.push(run.verdict_source(turn));
        }
    }
    let group: Vec<PendingCall<'a>> = voters.iter().map(|voter| run.prepare_call(*voter)).collect();
    let verdicts = call_concurrently(&group, run.event(), &run.effect_cache, run.context);
    voters.into_iter().zip(verdicts).collect()
}

/// `sequential/first_deny` and `sequential/run_all`: hooks run in order and see the rewrites so far. The first deny ends
/// the former; in the latter all run, and the most restrictive verdict wins.
fn run_sequentially(run: &mut DispatchState<'_>, end: u32, stops_at_deny: bool) {
    while let Some(turn) = run.next_below(end) {
        run.call_hook(turn);
        if stops_at_deny && run.tally.is_denied() {
            return;
        }
    }
}

/// `parallel/unanimous`: hooks see the same payload; anything but a unanimous allow denies.
fn run_unanimous(run: &mut DispatchState<'_>, end: u32) {
    for (voter, verdict) in call_chain_concurrently(run, end) {
        if let Some(answered) = run.tally.take_extras(voter, verdict) {
            run.record_verdict(voter, answered);
        }
    }
}

/// `parallel/strictest`: hooks see the same payload; the most restrictive verdict wins; conflicting rewrites deny.
fn run_strictest(run: &mut DispatchState<'_>, end: u32) {
    let mut proposals = Vec::new();
    for (voter, verdict) in call_chain_concurrently(run, end) {
        let Some(answered) = run.tally.take_extras(voter, verdict) else { continue };
        let (rewrite, said) = answered.split();
        if let Some(value) = record_parallel_verdict(run, voter, rewrite, said).and_then(|made| made.value) {
            run.record_rewriter(voter);
            proposals.push(RewriteProposal { ordinal: voter.position.ordinal, hook: &voter.hook.id, value });
        }
    }
    // A deny overrides every rewrite; a denied event is not rewritten.
    if !run.tally.is_denied() {
        let merged = merge(&run.event().name, run.event().payload.value(), proposals);
        set_merged(run, end, merged);
    }
}

/// `parallel/merge`: hooks see the same payload; the most restrictive verdict wins; rewrites are merged in declared
/// order.
fn run_merge(run: &mut DispatchState<'_>, end: u32) {
    let mut wishes: Vec<RequestedRewrite<'_>> = Vec::new();
    for (voter, verdict) in call_chain_concurrently(run, end) {
        let Some(answered) = run.tally.take_extras(voter, verdict) else { continue };
        let (rewrite, said) = answered.split();
        let made = record_parallel_verdict(run, voter, rewrite.clone(), said);
        let Some((rewrite, made)) = rewrite.zip(made) else { continue };
        // A hook whose rewrite changes nothing is recorded too, because it takes part in the merge.
        run.record_rewriter(voter);
        let value = made.value.unwrap_or_else(|| run.event().payload.value().clone());
        wishes.push(RequestedRewrite {
            proposal: RewriteProposal { ordinal: voter.position.ordinal, hook: &voter.hook.id, value },
            rewrite,
        });
    }
    if !(run.tally.is_denied() || wishes.is_empty()) {
        let merged = overlay_rewrites(&run.event().name, run.event().payload.value(), wishes);
        set_merged(run, end, merged);
    }
}

/// Applies the merged rewrites of a chain, each of whose hooks was called with the previous payload.
fn set_merged(run: &mut DispatchState<'_>, end: u32, merge_result: MergeResult) {
    match merge_result {
        MergeResult::Unchanged => {}
        MergeResult::Changed { value, producers } => {
            run.set_payload(Payload::new(value), end, producers, end.saturating_sub(1))
        }
        MergeResult::Conflict(reasons) => run.tally.add_denials(reasons),
    }
}
