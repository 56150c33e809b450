//! `sequential/run_all`: hooks run in order and see the rewrites so far; all run, and the most restrictive verdict
//! wins.

use crate::dispatch::state::DispatchState;

pub(super) fn run(run: &mut DispatchState<'_>, end: u32) {
    while let Some(turn) = run.next_below(end) {
        run.call_hook(turn);
    }
}
