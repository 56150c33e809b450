//! Guards see the final bytes (design, section 4).

use pintle_contract::{HookId, OutcomeReason};

use super::state::DispatchState;
use crate::compose::messages;

/// How many times guards are asked again before the engine gives up and denies.
pub const MAX_ROUNDS: u8 = 3;

/// Matches and asks again, in order, the guards that judged an older target or were passed over on one, until the
/// target stays as it is.
///
/// A deny is final and nobody is asked again. The hooks of a chain that runs at once are asked one after the other
/// here: each has to judge what the ones before it made.
pub(super) fn recheck_guards(run: &mut DispatchState<'_>) {
    for round in 1.. {
        let before = run.last_change();
        if before.is_none() || run.tally.is_denied() {
            return;
        }
        run.start_round(round);
        while let Some(turn) = run.next_below(u32::MAX) {
            if !turn.hook.guard || !run.should_recheck(turn.ordinal) || run.verdict_source(turn).shadow {
                continue;
            }
            if round > MAX_ROUNDS {
                // Matching is not asking: a guard that does not want the final target has nothing to say about it.
                if run.should_call(turn) {
                    deny_unsettled(run, &turn.hook.id);
                }
            } else {
                run.call_hook(turn);
            }
            if run.tally.is_denied() {
                return;
            }
        }
        if run.last_change() == before {
            return;
        }
    }
}

fn deny_unsettled(run: &mut DispatchState<'_>, guard: &HookId) {
    let changer = run.producer().and_then(|ordinal| run.hook_id(ordinal)).unwrap_or(guard).clone();
    let text = messages::guards_never_settled(guard, &changer, MAX_ROUNDS);
    run.tally
        .add_denials([OutcomeReason { unsettled_guard: Some(guard.clone()), ..OutcomeReason::new(changer, text) }]);
}
