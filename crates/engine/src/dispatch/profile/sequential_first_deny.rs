//! `sequential/first_deny`: in order, each sees the rewrites so far, the first deny ends the chain.

use crate::dispatch::run::Run;

pub(super) fn run(run: &mut Run<'_>, end: u32) {
    while let Some(turn) = run.next_below(end) {
        run.turn(turn);
        if run.tally.is_denied() {
            return;
        }
    }
}
