//! Calls the hooks of an event and passes their verdicts to [`compose`](crate::compose).

mod call;
mod change;
mod conclude;
mod effect_cache;
mod profile;
mod read_only_effects;
mod recheck_guards;
mod state;

use pintle_contract::{
    Approver, CallMemory, CancelToken, Clock, DispatchId, EffectRunner, Event, EventCause, Journal, JournalEntry,
    Outcome,
};

use crate::HookSet;
use crate::select::EventIndex;
use state::DispatchState;

pub use read_only_effects::ReadOnlyEffects;
pub use recheck_guards::MAX_ROUNDS;

/// What a dispatch needs from its host.
#[derive(Debug, Clone, Copy)]
pub struct DispatchContext<'a> {
    /// Receives every step, in an order that does not depend on which call finishes first.
    pub journal: &'a dyn Journal,
    /// Measures the duration of calls.
    pub clock: &'a dyn Clock,
    /// Performs the effect requests of scripts.
    pub effects: &'a dyn EffectRunner,
    /// Responds to approval requests.
    pub approver: &'a dyn Approver,
    /// Once cancelled, no further hook is called: each remaining hook fails as cancelled, and its failure policy
    /// applies.
    pub cancel: &'a CancelToken,
    /// Whether all hooks are in shadow mode: called and recorded, but not enforced.
    pub shadow: bool,
    /// What causes the event.
    pub cause: EventCause,
    /// What the hooks did in earlier events about the same thing; `None` if the event is independent.
    pub memory: Option<&'a dyn CallMemory>,
}

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
