//! `parallel/strictest`: all see the same payload, the severest wins, conflicting rewrites deny.

use pintle_contract::Payload;

use super::{ask_at_once, hear};
use crate::compose::merge::{Merged, Proposal, merge};
use crate::dispatch::run::Run;

pub(super) fn run(run: &mut Run<'_>, end: u32) {
    let mut proposals = Vec::new();
    for (voter, verdict) in ask_at_once(run, end) {
        let Some(answered) = run.tally.open(voter, verdict) else { continue };
        let (rewrite, said) = answered.split();
        if let Some(value) = hear(run, voter, rewrite, said).and_then(|made| made.value) {
            run.rewrote(voter);
            proposals.push(Proposal { ordinal: voter.position.ordinal, hook: &voter.hook.id, value });
        }
    }
    // A deny wins over every rewrite, and what is denied is not rewritten.
    if run.tally.is_denied() {
        return;
    }
    match merge(&run.event().name, run.event().payload.value(), proposals) {
        Merged::Unchanged => {}
        // Every hook of the chain had its turn on the payload before.
        Merged::Changed { value, producers } => run.change(Payload::new(value), end, producers, end.saturating_sub(1)),
        Merged::Conflict(reasons) => run.tally.deny(reasons),
    }
}
