//! Asks the hooks of an event and hands what they said to [`compose`](crate::compose).

mod call;
mod change;
mod conclude;
mod effect_cache;
mod profile;
mod read_only_effects;
mod recheck_guards;
mod state;

use pintle_contract::{Approver, CallId, CancelToken, Clock, EffectRunner, Event, Journal, JournalEntry, Outcome};

use crate::HookSet;
use crate::select::EventIndex;
use state::DispatchState;

pub use read_only_effects::ReadOnlyEffects;
pub use recheck_guards::MAX_ROUNDS;

/// What a dispatch may use of the world; all of it comes from the host.
#[derive(Debug, Clone, Copy)]
pub struct DispatchContext<'a> {
    /// Told of every step, in an order that does not depend on which call finished first.
    pub journal: &'a dyn Journal,
    /// Measures the calls.
    pub clock: &'a dyn Clock,
    /// Where the effects of scripts go.
    pub effects: &'a dyn EffectRunner,
    /// Answers asks.
    pub approver: &'a dyn Approver,
    /// Once raised, no further hook is called: each has failed as cancelled, by its policy.
    pub cancel: &'a CancelToken,
    /// Whether all hooks are in shadow mode: asked and recorded, with nothing enforced.
    pub shadow: bool,
    /// The call of a hook that causes the event, when one does.
    pub cause: Option<CallId>,
}

/// Runs an event through the hooks of a set.
///
/// There is always an outcome: a hook that fails, panics or answers nonsense is in it, and its failure policy says what
/// follows. Which of two calls that run at once finishes first changes no byte of the outcome or the journal.
pub fn dispatch(set: &HookSet, event: &Event, around: &DispatchContext<'_>) -> Outcome {
    around.journal.record(&JournalEntry::Event { event, cause: around.cause });
    let mut outcome = Outcome::unchanged(event.payload.clone());
    if let Some(index) = set.event_index(&event.name) {
        run_chains(index, event, around, &mut outcome);
    }
    around.journal.record(&JournalEntry::Outcome { event, outcome: &outcome });
    outcome
}

/// Makes of the outcome without hooks the one with them. It is filled in where it stands: it is too large to be handed on.
fn run_chains(index: &EventIndex, event: &Event, around: &DispatchContext<'_>, outcome: &mut Outcome) {
    let mut run = DispatchState::new(index, event, around);
    while let Some(turn) = run.next_chain() {
        profile::run(&mut run, turn);
        // A plain deny ends the deciders.
        if run.tally.is_denied() {
            break;
        }
    }
    recheck_guards::recheck_guards(&mut run);
    conclude::conclude(&mut run, outcome);
}
