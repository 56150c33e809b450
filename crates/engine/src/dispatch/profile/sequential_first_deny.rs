//! `sequential/first_deny`: hooks run in order and see the rewrites so far; the first deny ends the chain.

use crate::dispatch::state::DispatchState;

pub(super) fn run(run: &mut DispatchState<'_>, end: u32) {
    while let Some(turn) = run.next_below(end) {
        run.call_hook(turn);
        if run.tally.is_denied() {
            return;
        }
    }
}
