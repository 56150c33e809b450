//! Derives the decision from the tally.

use std::mem::take;

use pintle_contract::{Approval, ApprovalResponse, Decision, Outcome, OutcomeReason};

use super::messages;
use super::tally::{CallPosition, VerdictTally};

/// The decision of the hooks, before an approval is requested.
#[derive(Debug)]
pub(crate) enum ComposedDecision {
    /// A hook denied, or failed with the failure policy `closed`.
    Deny(Vec<OutcomeReason>),
    /// No hook denied and at least one asks for approval. The flag is whether another hook explicitly allowed.
    Ask(Vec<OutcomeReason>, bool),
    /// No hook objected. The reasons are those of hooks that explicitly allowed.
    Allow(Vec<OutcomeReason>),
}

/// Derives the decision: the most restrictive verdict wins.
///
/// `stale` returns whether a verdict was given for a payload that is not the final one. A stale allow is ignored. A
/// stale ask of a guard is ignored too: the guard was rechecked, and its verdict on the final payload is in the tally.
/// A stale ask of any other hook applies, because that hook is not called again.
#[inline]
pub(crate) fn decide(tally: &mut VerdictTally, stale: impl Fn(CallPosition) -> bool) -> ComposedDecision {
    if tally.is_denied() {
        return ComposedDecision::Deny(take(&mut tally.denials));
    }
    if tally.votes.is_empty() {
        return ComposedDecision::Allow(Vec::new());
    }
    let mut votes = take(&mut tally.votes);
    votes.retain(|vote| !((vote.guard || !vote.is_ask) && stale(vote.position)));
    votes.sort_by_key(|vote| vote.position.ordinal);
    if votes.iter().any(|vote| vote.is_ask) {
        let allowed = votes.iter().any(|vote| !vote.is_ask);
        return ComposedDecision::Ask(
            votes.into_iter().filter(|vote| vote.is_ask).map(|vote| vote.reason).collect(),
            allowed,
        );
    }
    ComposedDecision::Allow(votes.into_iter().map(|vote| vote.reason).collect())
}

/// Applies the response to an approval request.
pub(crate) fn apply_approval(
    mut reasons: Vec<OutcomeReason>,
    resolution: ApprovalResponse,
    digest: String,
) -> (Decision, Vec<OutcomeReason>, Option<Approval>) {
    let say = |reasons: &mut Vec<OutcomeReason>, text: &dyn Fn(&str) -> String| {
        for reason in reasons {
            reason.text = text(&reason.text);
        }
    };
    match resolution {
        ApprovalResponse::Approved { answered_by: by } | ApprovalResponse::Granted { answered_by: by, .. } => {
            (Decision::Allow, reasons, Some(Approval { digest, approved_by: by }))
        }
        ApprovalResponse::Deferred => (Decision::Ask, reasons, None),
        ApprovalResponse::Refused { answered_by: by } => {
            say(&mut reasons, &|why| messages::approval_denied(why, &by));
            (Decision::Deny, reasons, None)
        }
        ApprovalResponse::Unavailable => {
            say(&mut reasons, &messages::no_approver);
            (Decision::Deny, reasons, None)
        }
    }
}

/// Fills an empty outcome from a tally whose decision is known.
#[inline]
pub(crate) fn fill_outcome(
    outcome: &mut Outcome,
    tally: &mut VerdictTally,
    (decision, reasons, approval): (Decision, Vec<OutcomeReason>, Option<Approval>),
) {
    outcome.decision = decision;
    outcome.hooks_called = tally.ask_count;
    if !reasons.is_empty() {
        outcome.reasons = reasons;
    }
    if approval.is_some() {
        outcome.approval = approval;
    }
    if let Some(mut aside) = tally.remove_extras() {
        // A guard that is first called in a recheck round adds its effects late; they still belong in declared order.
        aside.effects.sort_by_key(|(ordinal, _, _)| *ordinal);
        outcome.effects = aside.effects.into_iter().map(|(_, hook, effect)| (hook, effect)).collect();
        outcome.failures = aside.failures;
        outcome.warnings = aside.warnings;
        outcome.shadow = aside.shadow;
    }
}
