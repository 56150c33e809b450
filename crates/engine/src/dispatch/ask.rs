//! The end of a dispatch: asks are answered, the outcome is made.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pintle_contract::{ApprovalRequest, ApprovalResponse, Decision, JournalEntry, Outcome};

use super::run::Run;
use crate::compose::ruling::{Ruling, answered, fill, ruling};

/// Fills in the outcome. An ask is put to the resolver here, on the final target and only when nobody refused, so that an
/// approval is bound to the bytes that will be used.
pub(super) fn conclude(run: &mut Run<'_>, outcome: &mut Outcome) {
    let fired = run.fired();
    // Rewrites that cancelled each other out are no rewrite.
    let rewritten = run.changed_at().is_some() && run.event().payload != fired.payload;
    let (decided, allowed) = match ruling(&mut run.tally, |position| run.change.is_stale(position)) {
        Ruling::Deny(reasons) => ((Decision::Deny, reasons, None), false),
        Ruling::Allow(reasons) => {
            let allowed = !reasons.is_empty();
            ((Decision::Allow, reasons, None), allowed)
        }
        Ruling::Ask(reasons, allowed) => {
            let event = if rewritten { run.event() } else { fired };
            let digest = event.payload.digest();
            let metadata = run.tally.metadata();
            let question =
                ApprovalRequest { event, reasons: &reasons, digest: &digest, metadata: &metadata, allows_grant: false };
            // A resolver that panics has answered nothing.
            let resolution = catch_unwind(AssertUnwindSafe(|| run.around.resolver.request_approval(&question)))
                .unwrap_or(ApprovalResponse::Unavailable);
            let resolved = JournalEntry::ApprovalAnswered { digest: &digest, reasons: &reasons, response: &resolution };
            run.around.journal.record(&resolved);
            (answered(reasons, resolution, digest), allowed)
        }
    };
    let approved = allowed && decided.0 == Decision::Allow;
    if rewritten {
        outcome.payload = run.event().payload.clone();
        outcome.rewritten = true;
    }
    outcome.approved = approved;
    fill(outcome, &mut run.tally, decided);
}
