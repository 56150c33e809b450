//! Calls the hooks of an event and passes their verdicts to [`compose`](crate::compose).

mod call;
mod effect_cache;
mod profile;
mod read_only_effects;
mod state;

use std::panic::{AssertUnwindSafe, catch_unwind};

use pintle_contract::{
    ApprovalRequest, ApprovalResponse, Approver, CallMemory, CancelToken, Clock, Decision, DispatchId, EffectRunner,
    Event, EventCause, HookId, Journal, JournalEntry, Outcome, OutcomeReason,
};

use self::state::DispatchState;
use crate::HookSet;
use crate::compose::decide::{ComposedDecision, apply_approval, decide, fill_outcome};
use crate::compose::messages;
use crate::select::EventIndex;

pub use read_only_effects::ReadOnlyEffects;

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
    recheck_guards(&mut run);
    conclude(&mut run, outcome);
    run.begun()
}

/// Fills in the outcome. An approval is requested here, for the final payload and only if no hook denied, so that it is
/// bound to the payload that is used.
fn conclude(run: &mut DispatchState<'_>, outcome: &mut Outcome) {
    let fired = run.fired();
    // Rewrites that cancel each other out do not count as a rewrite.
    let rewritten = run.last_change().is_some() && run.event().payload != fired.payload;
    let (decided, allowed) = match decide(&mut run.tally, |position| run.change.is_stale(position)) {
        ComposedDecision::Deny(reasons) => ((Decision::Deny, reasons, None), false),
        ComposedDecision::Allow(reasons) => {
            let allowed = !reasons.is_empty();
            ((Decision::Allow, reasons, None), allowed)
        }
        ComposedDecision::Ask(reasons, allowed) => {
            let event = if rewritten { run.event() } else { fired };
            let digest = event.payload.digest();
            let metadata = run.tally.metadata();
            let question =
                ApprovalRequest { event, reasons: &reasons, digest: &digest, metadata: &metadata, allows_grant: false };
            // An approver that panics has given no response.
            let resolution = catch_unwind(AssertUnwindSafe(|| run.context.approver.request_approval(&question)))
                .unwrap_or(ApprovalResponse::Unavailable);
            let resolved = JournalEntry::ApprovalAnswered { digest: &digest, reasons: &reasons, response: &resolution };
            run.record(&resolved);
            (apply_approval(reasons, resolution, digest), allowed)
        }
    };
    let approved = allowed && decided.0 == Decision::Allow;
    if rewritten {
        outcome.payload = run.event().payload.clone();
        outcome.rewritten = true;
    }
    outcome.approved = approved;
    fill_outcome(outcome, &mut run.tally, decided);
}

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

/// The maximum number of recheck rounds; after them the engine denies.
pub const MAX_ROUNDS: u8 = 3;

/// Matches and calls, in order, the guards that were matched with an older payload, until the payload no longer
/// changes.
///
/// A deny is final and ends the recheck. The hooks of a parallel chain are called one after the other here: each must
/// decide on what the ones before it produced.
fn recheck_guards(run: &mut DispatchState<'_>) {
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
