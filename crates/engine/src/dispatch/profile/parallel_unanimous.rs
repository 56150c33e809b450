//! `parallel/unanimous`: hooks see the same payload; anything but a unanimous allow denies.

use super::call_chain_concurrently;
use crate::dispatch::state::DispatchState;

pub(super) fn run(run: &mut DispatchState<'_>, end: u32) {
    for (voter, verdict) in call_chain_concurrently(run, end) {
        if let Some(answered) = run.tally.take_extras(voter, verdict) {
            run.record_verdict(voter, answered);
        }
    }
}
