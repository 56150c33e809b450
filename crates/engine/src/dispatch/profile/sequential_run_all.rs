//! `sequential/run_all`: in order, each sees the rewrites so far, all run, the severest wins.

use crate::dispatch::run::Run;

pub(super) fn run(run: &mut Run<'_>, end: u32) {
    while let Some(turn) = run.next_below(end) {
        run.turn(turn);
    }
}
