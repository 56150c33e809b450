//! Restricts untrusted hooks: they can only deny or ask.

use pintle_contract::{Failure, FailureKind, FailurePolicy, Hook, HookId, SourceTrust, Verdict, VerdictKind};

use super::messages;
use super::tally::VerdictSource;

/// The part of an untrusted hook's verdict that is enforced: a deny or an ask, with its reason quoted. Everything else
/// becomes a pass, and one warning lists it.
pub(crate) fn restrict_verdict(source: VerdictSource<'_>, verdict: Verdict) -> Verdict {
    let hook = source.hook;
    let mut dropped: Vec<&str> = Vec::new();
    let mut note = |is_there: bool, what: &'static str| {
        if is_there {
            dropped.push(what);
        }
    };
    note(matches!(verdict.kind, VerdictKind::Allow { .. }), "its `allow`");
    note(matches!(verdict.kind, VerdictKind::Rewrite(_)) || verdict.rewrite.is_some(), "its rewrite");
    note(!verdict.effects.is_empty(), "its context and notices");
    let said = match verdict.kind {
        VerdictKind::Deny { .. } | VerdictKind::Ask { .. } if !source.deny_restricts => {
            note(true, "its denial, which would make the agent continue");
            VerdictKind::Pass
        }
        VerdictKind::Deny { reason } => VerdictKind::Deny { reason: messages::quote_text(hook, &reason) },
        VerdictKind::Ask { reason } => VerdictKind::Ask { reason: messages::quote_text(hook, &reason) },
        // `record_failure` quotes the message and applies the policy.
        failed @ VerdictKind::Failed(_) => failed,
        VerdictKind::Pass | VerdictKind::Allow { .. } | VerdictKind::Rewrite(_) => VerdictKind::Pass,
    };
    let mut restricted = Verdict::new(said);
    if !dropped.is_empty() {
        restricted = restricted.with_warning(messages::ignored_untrusted_answer(&dropped));
    }
    restricted
}

/// The policy for a failure of a hook. If a deny would make the agent continue, an untrusted hook fails open. A guard that
/// could not be started did not choose its policy for that.
pub(super) fn failure_policy(source: VerdictSource<'_>, failure: &Failure) -> FailurePolicy {
    let hook = source.hook;
    match hook.source_trust {
        SourceTrust::Untrusted if !source.deny_restricts => FailurePolicy::Open,
        _ if hook.guard && failure.kind == FailureKind::NotStarted => FailurePolicy::Closed,
        _ => hook.on_failure,
    }
}

/// The name of a hook before its reason. The name of an untrusted hook is quoted, because its author chose it.
pub(super) fn display_name(hook: &Hook) -> HookId {
    match hook.source_trust {
        SourceTrust::Trusted => hook.id.clone(),
        SourceTrust::Untrusted => HookId::new(messages::quote_name(&hook.id)),
    }
}

/// Quotes the message of an untrusted hook's failure, because its author may have written it.
pub(super) fn quote_failure(hook: &Hook, failure: Failure) -> Failure {
    match hook.source_trust {
        SourceTrust::Trusted => failure,
        SourceTrust::Untrusted => Failure { message: messages::quote_text(hook, &failure.message), ..failure },
    }
}
