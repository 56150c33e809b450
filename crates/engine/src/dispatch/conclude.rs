//! The end of a dispatch: requests an approval if needed, and fills in the outcome.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pintle_contract::{ApprovalRequest, ApprovalResponse, Decision, JournalEntry, Outcome};

use super::state::DispatchState;
use crate::compose::decide::{ComposedDecision, apply_approval, decide, fill_outcome};

/// Fills in the outcome. An approval is requested here, for the final payload and only if no hook denied, so that it is
/// bound to the payload that is used.
pub(super) fn conclude(run: &mut DispatchState<'_>, outcome: &mut Outcome) {
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
