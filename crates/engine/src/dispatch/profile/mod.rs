//! How the calls of one chain follow each other: one file a profile, all of one shape.

mod parallel_merge;
mod parallel_strictest;
mod parallel_unanimous;
mod sequential_first_deny;
mod sequential_run_all;

use pintle_contract::{Profile, Rewrite, Verdict, VerdictKind};

use super::calling::{Asking, call_group};
use super::run::Run;
use crate::compose::{Made, Voter, stands};
use crate::select::Turn;

/// Runs the chain that a turn opens.
pub(super) fn run<'a>(run: &mut Run<'a>, first: Turn<'a>) {
    let end = first.chain_end;
    match first.profile {
        Profile::SequentialFirstDeny => sequential_first_deny::run(run, end),
        Profile::SequentialRunAll => sequential_run_all::run(run, end),
        Profile::ParallelStrictest => parallel_strictest::run(run, end),
        Profile::ParallelMerge => parallel_merge::run(run, end),
        Profile::ParallelUnanimous => parallel_unanimous::run(run, end),
    }
}

/// Takes an answer of a hook that saw the same payload as others: its decision at once, its rewrite not yet. Gives what
/// the rewrite makes of the payload, when there is one that makes sense.
fn hear<'a>(run: &mut Run<'a>, voter: Voter<'a>, rewrite: Option<Rewrite>, said: Option<VerdictKind>) -> Option<Made> {
    let Some(rewrite) = rewrite else {
        said.into_iter().for_each(|said| run.tally.say(voter, said));
        return None;
    };
    let event = run.event().clone();
    let made = run.noting(|run| run.tally.make(voter, rewrite, &event));
    said.into_iter().filter(|said| stands(said, made.as_ref())).for_each(|said| run.tally.say(voter, said));
    made
}

/// Asks at once every hook of a chain that wants the event as it stands; verdicts come in declared order.
fn ask_at_once<'a>(run: &mut Run<'a>, end: u32) -> Vec<(Voter<'a>, Verdict)> {
    let mut voters = Vec::new();
    while let Some(turn) = run.next_below(end) {
        if run.admits(turn) {
            voters.push(run.voter(turn));
        }
    }
    let group: Vec<Asking<'a>> = voters.iter().map(|voter| run.asking(*voter)).collect();
    let verdicts = call_group(&group, run.event(), &run.echoes, run.around);
    voters.into_iter().zip(verdicts).collect()
}
