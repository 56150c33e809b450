//! `parallel/merge`: all see the same payload, the severest wins, rewrites are laid over each other in declared order.

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
        // What it leaves as it was counts too: it stands among what the others name.
        run.record_rewriter(voter);
        let value = made.value.unwrap_or_else(|| run.event().payload.value().clone());
        wishes.push(RequestedRewrite {
            proposal: RewriteProposal { ordinal: voter.position.ordinal, hook: &voter.hook.id, value },
            rewrite,
        });
    }
    // A deny wins over every rewrite, and what is denied is not rewritten.
    if run.tally.is_denied() || wishes.is_empty() {
        return;
    }
    match overlay_rewrites(&run.event().name, run.event().payload.value(), wishes) {
        MergeResult::Unchanged => {}
        // Every hook of the chain had its turn on the payload before.
        MergeResult::Changed { value, producers } => {
            run.set_payload(Payload::new(value), end, producers, end.saturating_sub(1))
        }
        MergeResult::Conflict(reasons) => run.tally.add_denials(reasons),
    }
}
