//! Reads the tally.

use std::mem::take;

use pintle_contract::{Approval, ApprovalResponse, Decision, Outcome, OutcomeReason};

use super::messages;
use super::tally::{CallPosition, VerdictTally};

/// What the hooks came to, before a person was asked.
#[derive(Debug)]
pub(crate) enum ComposedDecision {
    /// Somebody refused, or had to be heard and could not be.
    Deny(Vec<OutcomeReason>),
    /// Nobody refused and somebody wants a person to look. Whether somebody else said allow is kept.
    Ask(Vec<OutcomeReason>, bool),
    /// Nobody objected. The reasons are of the hooks that said allow in so many words.
    Allow(Vec<OutcomeReason>),
}

/// The decision, from the severest down.
///
/// `stale` tells of a vote's position whether it was given for a target that is not the final one. A stale
/// allow is void whoever gave it. A stale ask of a guard is void too: the guard has been matched and asked again, and
/// what it said about the final target stands in the tally. A stale ask of any other hook stands, because that hook
/// is not asked again.
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

/// What an answer makes of an ask.
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

/// Puts what a tally holds, whose decision is known, into an outcome that holds nothing yet.
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
        // A guard asked for the first time in a later round comes late, and still stands in declared order.
        aside.effects.sort_by_key(|(ordinal, _, _)| *ordinal);
        outcome.effects = aside.effects.into_iter().map(|(_, hook, effect)| (hook, effect)).collect();
        outcome.failures = aside.failures;
        outcome.warnings = aside.warnings;
        outcome.shadow = aside.shadow;
    }
}
