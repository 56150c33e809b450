//! `parallel/merge`: hooks see the same payload; the most restrictive verdict wins; rewrites are merged in declared
//! order.

use pintle_contract::Payload;

use super::{call_chain_concurrently, record_parallel_verdict};
use crate::compose::merge::{MergeResult, RewriteProposal};
use crate::compose::overlay::{RequestedRewrite, overlay_rewrites};
use crate::dispatch::state::DispatchState;

pub(super) fn run(run: &mut DispatchState<'_>, end: u32) {
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
    // A deny overrides every rewrite; a denied event is not rewritten.
    if run.tally.is_denied() || wishes.is_empty() {
        return;
    }
    match overlay_rewrites(&run.event().name, run.event().payload.value(), wishes) {
        MergeResult::Unchanged => {}
        // Every hook of the chain was called with the previous payload.
        MergeResult::Changed { value, producers } => {
            run.set_payload(Payload::new(value), end, producers, end.saturating_sub(1))
        }
        MergeResult::Conflict(reasons) => run.tally.add_denials(reasons),
    }
}
