//! `parallel/merge`: all see the same payload, the severest wins, rewrites are laid over each other in declared order.

use pintle_contract::Payload;

use super::{ask_at_once, hear};
use crate::compose::lay::{Wish, lay};
use crate::compose::merge::{Merged, Proposal};
use crate::dispatch::run::Run;

pub(super) fn run(run: &mut Run<'_>, end: u32) {
    let mut wishes: Vec<Wish<'_>> = Vec::new();
    for (voter, verdict) in ask_at_once(run, end) {
        let Some(answered) = run.tally.open(voter, verdict) else { continue };
        let (rewrite, said) = answered.split();
        let made = hear(run, voter, rewrite.clone(), said);
        let Some((rewrite, made)) = rewrite.zip(made) else { continue };
        // What it leaves as it was counts too: it stands among what the others name.
        run.rewrote(voter);
        let value = made.value.unwrap_or_else(|| run.event().payload.value().clone());
        wishes.push(Wish {
            proposal: Proposal { ordinal: voter.position.ordinal, hook: &voter.hook.id, value },
            rewrite,
        });
    }
    // A deny wins over every rewrite, and what is denied is not rewritten.
    if run.tally.is_denied() || wishes.is_empty() {
        return;
    }
    match lay(&run.event().name, run.event().payload.value(), wishes) {
        Merged::Unchanged => {}
        // Every hook of the chain had its turn on the payload before.
        Merged::Changed { value, producers } => run.change(Payload::new(value), end, producers, end.saturating_sub(1)),
        Merged::Conflict(reasons) => run.tally.deny(reasons),
    }
}
