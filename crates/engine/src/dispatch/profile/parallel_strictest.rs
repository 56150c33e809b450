//! `parallel/strictest`: all see the same payload, the severest wins, conflicting rewrites deny.

use pintle_contract::{Payload, Said};

use super::{ask_at_once, split};
use crate::compose::Answered;
use crate::compose::merge::{Merged, Proposal, merge};
use crate::dispatch::run::Run;

pub(super) fn run(run: &mut Run<'_>, end: u32) {
    let mut proposals = Vec::new();
    for (voter, verdict) in ask_at_once(run, end) {
        let Some(opened) = run.tally.open(voter, verdict) else { continue };
        let (rewrite, said) = split(opened);
        if let Some(rewrite) = rewrite {
            let event = run.event().clone();
            match run.noting(|run| run.tally.rewritten(voter, rewrite, &event)) {
                Ok(Some(value)) => {
                    proposals.push(Proposal { ordinal: voter.position.ordinal, hook: &voter.hook.id, value });
                }
                Ok(None) => {}
                // An allow of a target that cannot be made allows nothing.
                Err(_) if matches!(said, Some(Said::Allow { .. })) => continue,
                Err(_) => {}
            }
        }
        if let Some(said) = said {
            run.take(voter, Answered { said, rewrite: None });
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
