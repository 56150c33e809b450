//! Reads the tally.

use std::mem::take;

use pintle_contract::{Approval, ApprovalResponse, Decision, Outcome, OutcomeReason};

use super::tally::{Position, Tally};
use super::words;

/// What the hooks came to, before a person was asked.
#[derive(Debug)]
pub(crate) enum Ruling {
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
pub(crate) fn ruling(tally: &mut Tally, stale: impl Fn(Position) -> bool) -> Ruling {
    if tally.is_denied() {
        return Ruling::Deny(take(&mut tally.denials));
    }
    if tally.votes.is_empty() {
        return Ruling::Allow(Vec::new());
    }
    let mut votes = take(&mut tally.votes);
    votes.retain(|vote| !((vote.guard || !vote.asks) && stale(vote.position)));
    votes.sort_by_key(|vote| vote.position.ordinal);
    if votes.iter().any(|vote| vote.asks) {
        let allowed = votes.iter().any(|vote| !vote.asks);
        return Ruling::Ask(votes.into_iter().filter(|vote| vote.asks).map(|vote| vote.reason).collect(), allowed);
    }
    Ruling::Allow(votes.into_iter().map(|vote| vote.reason).collect())
}

/// What an answer makes of an ask.
pub(crate) fn answered(
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
            say(&mut reasons, &|why| words::refused(why, &by));
            (Decision::Deny, reasons, None)
        }
        ApprovalResponse::Unavailable => {
            say(&mut reasons, &words::nobody);
            (Decision::Deny, reasons, None)
        }
    }
}

/// Puts what a tally holds, whose decision is known, into an outcome that holds nothing yet.
#[inline]
pub(crate) fn fill(
    outcome: &mut Outcome,
    tally: &mut Tally,
    (decision, reasons, approval): (Decision, Vec<OutcomeReason>, Option<Approval>),
) {
    outcome.decision = decision;
    outcome.hooks_called = tally.asked;
    if !reasons.is_empty() {
        outcome.reasons = reasons;
    }
    if approval.is_some() {
        outcome.approval = approval;
    }
    if let Some(mut aside) = tally.take_aside() {
        // A guard asked for the first time in a later round comes late, and still stands in declared order.
        aside.effects.sort_by_key(|(ordinal, _, _)| *ordinal);
        outcome.effects = aside.effects.into_iter().map(|(_, hook, effect)| (hook, effect)).collect();
        outcome.failures = aside.failures;
        outcome.warnings = aside.warnings;
        outcome.shadow = aside.shadow;
    }
}
