//! Rechecks guards, so that they decide on the final payload.

use pintle_contract::{HookId, OutcomeReason};

use super::state::DispatchState;
use crate::compose::messages;

/// The maximum number of recheck rounds; after them the engine denies.
pub const MAX_ROUNDS: u8 = 3;

/// Matches and calls, in order, the guards that were matched with an older payload, until the payload no longer
/// changes.
///
/// A deny is final and ends the recheck. The hooks of a parallel chain are called one after the other here: each must
/// decide on what the ones before it produced.
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
                // A guard that does not match the final payload does not need to be called.
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
