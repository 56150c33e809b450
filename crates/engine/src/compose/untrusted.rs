//! Who is not trusted can only restrict (design, section 4).

use pintle_contract::{Failure, FailurePolicy, Hook, HookId, Said, Standing, Verdict};

use super::words;

/// What counts of the verdict of an untrusted hook: a deny or an ask, with its reason as a quotation. Everything else is no
/// opinion, and one warning names it.
pub(crate) fn restricted(hook: &Hook, verdict: Verdict) -> Verdict {
    let mut dropped: Vec<&str> = Vec::new();
    let mut note = |is_there: bool, what: &'static str| {
        if is_there {
            dropped.push(what);
        }
    };
    note(matches!(verdict.said, Said::Allow { .. }), "its approval");
    note(matches!(verdict.said, Said::Rewrite(_)) || verdict.rewrite.is_some(), "its rewrite");
    note(!verdict.effects.is_empty(), "what it adds for the model and the user");
    let said = match verdict.said {
        Said::Deny { .. } | Said::Ask { .. } if !hook.event.row().deny_restricts => {
            note(true, "its refusal (it would send the agent on)");
            Said::Pass
        }
        Said::Deny { reason } => Said::Deny { reason: words::quoted(hook, &reason) },
        Said::Ask { reason } => Said::Ask { reason: words::quoted(hook, &reason) },
        // `fail` sees to its words and to what follows.
        failed @ Said::Failed(_) => failed,
        Said::Pass | Said::Allow { .. } | Said::Rewrite(_) => Said::Pass,
    };
    let mut restricted = Verdict::new(said);
    if !dropped.is_empty() {
        restricted = restricted.warn(words::untrusted(&dropped));
    }
    restricted
}

/// What follows from a failure: where a deny would send the agent on, that of an untrusted hook goes open.
pub(super) fn failure_policy(hook: &Hook) -> FailurePolicy {
    match hook.standing {
        Standing::Untrusted if !hook.event.row().deny_restricts => FailurePolicy::Open,
        _ => hook.on_failure,
    }
}

/// The name of a hook as it stands before its reason: that of an untrusted one is its author's text as much as the reason is.
pub(super) fn shown_name(hook: &Hook) -> HookId {
    match hook.standing {
        Standing::Trusted => hook.id.clone(),
        Standing::Untrusted => HookId::new(words::quoted_name(&hook.id)),
    }
}

/// A failure, whose message is the author's as much as a reason is.
pub(super) fn quoted_failure(hook: &Hook, failure: Failure) -> Failure {
    match hook.standing {
        Standing::Trusted => failure,
        Standing::Untrusted => Failure { message: words::quoted(hook, &failure.message), ..failure },
    }
}
