//! How the hooks of a chain are called: one file for each profile.

mod parallel_merge;
mod parallel_strictest;
mod parallel_unanimous;
mod sequential_first_deny;
mod sequential_run_all;

use pintle_contract::{Profile, Rewrite, Verdict, VerdictKind};

use super::call::{PendingCall, call_concurrently};
use super::state::DispatchState;
use crate::compose::{RewriteResult, VerdictSource, decision_counts};
use crate::select::NextHook;

/// Runs the chain of a hook, starting with that hook.
pub(super) fn run<'a>(run: &mut DispatchState<'a>, first: NextHook<'a>) {
    let end = first.chain_end;
    match first.profile {
        Profile::SequentialFirstDeny => sequential_first_deny::run(run, end),
        Profile::SequentialRunAll => sequential_run_all::run(run, end),
        Profile::ParallelStrictest => parallel_strictest::run(run, end),
        Profile::ParallelMerge => parallel_merge::run(run, end),
        Profile::ParallelUnanimous => parallel_unanimous::run(run, end),
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
