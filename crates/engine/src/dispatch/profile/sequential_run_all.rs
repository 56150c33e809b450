//! `sequential/run_all`: in order, each sees the rewrites so far, all run, the severest wins.

use crate::dispatch::state::DispatchState;

pub(super) fn run(run: &mut DispatchState<'_>, end: u32) {
    while let Some(turn) = run.next_below(end) {
        run.call_hook(turn);
    }
}
