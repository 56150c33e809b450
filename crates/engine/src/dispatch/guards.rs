//! Guards see the final bytes (design, section 4).

use pintle_contract::{HookId, OutcomeReason};

use super::run::Run;
use crate::compose::words;

/// How many times guards are asked again before the engine gives up and denies.
pub const MAX_ROUNDS: u8 = 3;

/// Matches and asks again, in order, the guards that judged an older target or were passed over on one, until the
/// target stays as it is.
///
/// A deny is final and nobody is asked again. The hooks of a chain that runs at once are asked one after the other
/// here: each has to judge what the ones before it made.
pub(super) fn ask_again(run: &mut Run<'_>) {
    for round in 1.. {
        let before = run.changed_at();
        if before.is_none() || run.tally.is_denied() {
            return;
        }
        run.start_round(round);
        while let Some(turn) = run.next_below(u32::MAX) {
            if !turn.hook.guard || !run.is_unsettled(turn.ordinal) || run.voter(turn).shadow {
                continue;
            }
            if round > MAX_ROUNDS {
                // Matching is not asking: a guard that does not want the final target has nothing to say about it.
                if run.admits(turn) {
                    give_up(run, &turn.hook.id);
                }
            } else {
                run.turn(turn);
            }
            if run.tally.is_denied() {
                return;
            }
        }
        if run.changed_at() == before {
            return;
        }
    }
}

fn give_up(run: &mut Run<'_>, guard: &HookId) {
    let changer = run.producer().and_then(|ordinal| run.hook(ordinal)).unwrap_or(guard).clone();
    let text = words::unsettled(guard, &changer, MAX_ROUNDS);
    run.tally.deny([OutcomeReason::new(changer, text)]);
}
