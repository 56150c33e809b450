//! Calls the hooks of an event and passes their verdicts to [`compose`](crate::compose).

mod call;
mod change;
mod conclude;
mod context;
mod effect_cache;
mod profile;
mod read_only_effects;
mod recheck_guards;
mod state;

use pintle_contract::{DispatchId, Event, JournalEntry, Outcome};

use crate::HookSet;
use crate::select::EventIndex;
use state::DispatchState;

pub use context::DispatchContext;
pub use read_only_effects::ReadOnlyEffects;
pub use recheck_guards::MAX_ROUNDS;

/// Runs an event through the hooks of a set.
///
/// There is always an outcome: if a hook fails, panics or returns invalid output, its failure policy applies. Which of
/// two parallel calls finishes first does not change the outcome or the journal.
pub fn dispatch(set: &HookSet, event: &Event, context: &DispatchContext<'_>) -> Outcome {
    let mut outcome = Outcome::unchanged(event.payload.clone());
    let begun = set.event_index(&event.name).and_then(|index| run_chains(index, event, context, &mut outcome));
    // If no hook was called or skipped, there is nothing between the first and the last step.
    outcome.dispatch = begun.unwrap_or_else(|| context.journal.record_without_hooks(event, context.cause));
    if let Some(dispatch) = begun {
        context.journal.record(dispatch, &JournalEntry::Outcome { event, outcome: &outcome });
    }
    outcome
}

/// Runs the chains and fills in the outcome in place, because it is too large to move. Returns the dispatch if the
/// journal has any of its steps. If it has none, the outcome is unchanged.
fn run_chains(
    index: &EventIndex,
    event: &Event,
    context: &DispatchContext<'_>,
    outcome: &mut Outcome,
) -> Option<DispatchId> {
    let mut run = DispatchState::new(index, event, context);
    while let Some(turn) = run.next_chain() {
        profile::run(&mut run, turn);
        // After a deny no further chain is called.
        if run.tally.is_denied() {
            break;
        }
    }
    recheck_guards::recheck_guards(&mut run);
    conclude::conclude(&mut run, outcome);
    run.begun()
}
