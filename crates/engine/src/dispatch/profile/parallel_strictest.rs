//! `parallel/strictest`: hooks see the same payload; the most restrictive verdict wins; conflicting rewrites deny.

use pintle_contract::Payload;

use super::{call_chain_concurrently, record_parallel_verdict};
use crate::compose::merge::{MergeResult, RewriteProposal, merge};
use crate::dispatch::state::DispatchState;

pub(super) fn run(run: &mut DispatchState<'_>, end: u32) {
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
    if run.tally.is_denied() {
        return;
    }
    match merge(&run.event().name, run.event().payload.value(), proposals) {
        MergeResult::Unchanged => {}
        // Every hook of the chain was called with the previous payload.
        MergeResult::Changed { value, producers } => {
            run.set_payload(Payload::new(value), end, producers, end.saturating_sub(1))
        }
        MergeResult::Conflict(reasons) => run.tally.add_denials(reasons),
    }
}
