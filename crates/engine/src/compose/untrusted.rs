//! Who is not trusted can only restrict (design, section 4).

use pintle_contract::{Failure, FailurePolicy, Hook, HookId, SourceTrust, Verdict, VerdictKind};

use super::messages;

/// What counts of the verdict of an untrusted hook: a deny or an ask, with its reason as a quotation. Everything else is no
/// opinion, and one warning names it.
pub(crate) fn restrict_verdict(hook: &Hook, verdict: Verdict) -> Verdict {
    let mut dropped: Vec<&str> = Vec::new();
    let mut note = |is_there: bool, what: &'static str| {
        if is_there {
            dropped.push(what);
        }
    };
    note(matches!(verdict.kind, VerdictKind::Allow { .. }), "its approval");
    note(matches!(verdict.kind, VerdictKind::Rewrite(_)) || verdict.rewrite.is_some(), "its rewrite");
    note(!verdict.effects.is_empty(), "what it adds for the model and the user");
    let said = match verdict.kind {
        VerdictKind::Deny { .. } | VerdictKind::Ask { .. } if !hook.event.def().deny_restricts => {
            note(true, "its refusal (it would send the agent on)");
            VerdictKind::Pass
        }
        VerdictKind::Deny { reason } => VerdictKind::Deny { reason: messages::quote_text(hook, &reason) },
        VerdictKind::Ask { reason } => VerdictKind::Ask { reason: messages::quote_text(hook, &reason) },
        // `fail` sees to its words and to what follows.
        failed @ VerdictKind::Failed(_) => failed,
        VerdictKind::Pass | VerdictKind::Allow { .. } | VerdictKind::Rewrite(_) => VerdictKind::Pass,
    };
    let mut restricted = Verdict::new(said);
    if !dropped.is_empty() {
        restricted = restricted.with_warning(messages::ignored_untrusted_answer(&dropped));
    }
    restricted
}

/// What follows from a failure: where a deny would send the agent on, that of an untrusted hook goes open.
pub(super) fn failure_policy(hook: &Hook) -> FailurePolicy {
    match hook.source_trust {
        SourceTrust::Untrusted if !hook.event.def().deny_restricts => FailurePolicy::Open,
        _ => hook.on_failure,
    }
}

/// The name of a hook as it stands before its reason: that of an untrusted one is its author's text as much as the reason is.
pub(super) fn display_name(hook: &Hook) -> HookId {
    match hook.source_trust {
        SourceTrust::Trusted => hook.id.clone(),
        SourceTrust::Untrusted => HookId::new(messages::quote_name(&hook.id)),
    }
}

/// A failure, whose message is the author's as much as a reason is.
pub(super) fn quote_failure(hook: &Hook, failure: Failure) -> Failure {
    match hook.source_trust {
        SourceTrust::Trusted => failure,
        SourceTrust::Untrusted => Failure { message: messages::quote_text(hook, &failure.message), ..failure },
    }
}
