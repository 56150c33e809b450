//! `parallel/unanimous`: all see the same payload, anything but unanimous allow denies.

use super::ask_at_once;
use crate::dispatch::run::Run;

pub(super) fn run(run: &mut Run<'_>, end: u32) {
    for (voter, verdict) in ask_at_once(run, end) {
        if let Some(answered) = run.tally.open(voter, verdict) {
            run.take(voter, answered);
        }
    }
}
