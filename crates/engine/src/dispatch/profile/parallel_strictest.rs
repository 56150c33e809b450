//! `parallel/strictest`: all see the same payload, the severest wins, conflicting rewrites deny.

use pintle_contract::{Payload, Said};

use super::ask_at_once;
use crate::compose::merge::{Merged, Proposal, merge};
use crate::dispatch::run::Run;

pub(super) fn run(run: &mut Run<'_>, end: u32) {
    let mut proposals = Vec::new();
    for (voter, verdict) in ask_at_once(run, end) {
        match run.tally.open(voter, verdict) {
            None => {}
            Some(Said::Rewrite(rewrite)) => {
                let event = run.event().clone();
                let proposed = run.noting(|run| run.tally.rewritten(voter, rewrite, &event));
                if let Ok(Some(value)) = proposed {
                    proposals.push(Proposal { ordinal: voter.position.ordinal, hook: &voter.hook.id, value });
                }
            }
            Some(said) => run.take(voter, said),
        }
    }
    // A deny wins over every rewrite, and what is denied is not rewritten.
    if run.tally.is_denied() {
        return;
    }
    match merge(&run.event().name, run.event().payload.value(), proposals) {
        Merged::Unchanged => {}
        // Every hook of the chain had its turn on the payload before.
        Merged::Changed { value, producers } => run.change(Payload::new(value), end, producers),
        Merged::Conflict(reasons) => run.tally.deny(reasons),
    }
}
