//! What Cline supports of a decision, and how the decision is written: only JSON.
//!
//! Cline ignores the status, and everything but the JSON.

use crate::host::ActionSupport::{Approximated, DeniedInstead, Dropped, NotApplicable, Supported};
use crate::host::{ActionSupport, HookJsonResponse, HostDecision, HostResponse, HostSupport, ResponseContext};

/// An event at which the task can be ended.
pub(super) fn cancel_task(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    let reason = decision.is_denied().then_some(&decision.reason).or(decision.stop.as_ref());
    let goes_on = reason.is_none();
    HookJsonResponse::new(context)
        .with_top_field("cancel", reason.map(|_| true))
        .with_top_field("errorMessage", reason.map(String::as_str))
        .with_top_field("overrideInput", decision.input.clone().filter(|_| goes_on))
        .with_top_field("contextModification", decision.context_text().filter(|_| goes_on))
        .into_response()
}

const DROPPED: &str = "Cline does not wait for the hook here";
const UNSAID: &str = "Cline does not show hook messages here";

/// An event whose hook Cline does not wait for.
pub(super) const DETACHED: HostSupport = HostSupport {
    deny: Dropped(DROPPED),
    ask: Dropped(DROPPED),
    context: Dropped(DROPPED),
    stop: Approximated("every tool call is denied until the next prompt, which ends the task"),
    notice: Dropped(DROPPED),
    ..HostSupport::OBSERVE_ONLY
};

pub(super) const SESSION_START: HostSupport =
    HostSupport { deny: ActionSupport::REFUSED, ask: ActionSupport::REFUSED, stop: ActionSupport::REFUSED, ..DETACHED };

/// The end of a task, which is the end of a turn.
pub(super) const TASK_END: HostSupport =
    HostSupport { output: Dropped(DROPPED), stop: ActionSupport::OVER, ..DETACHED };

pub(super) const SESSION_END: HostSupport = HostSupport { stop: ActionSupport::OVER, ..DETACHED };

pub(super) const BEFORE_TOOL: HostSupport = HostSupport {
    deny: Approximated("the whole task ends, and the model does not learn why"),
    ask: DeniedInstead("Cline cannot ask the user on behalf of a hook"),
    approve: Dropped("Cline does not accept approvals from hooks"),
    rewrite: Supported,
    output: NotApplicable,
    context: Supported,
    stop: Supported,
    notice: Dropped(UNSAID),
};

pub(super) const PROMPT: HostSupport = HostSupport {
    deny: Approximated("the task ends"),
    rewrite: DeniedInstead("Cline cannot change a prompt"),
    context: Approximated("only if Cline fires this event, which was not observed without a terminal"),
    ..BEFORE_TOOL
};

pub(super) const AFTER_TOOL: HostSupport = HostSupport {
    deny: Approximated("the whole task ends, so the result is not used"),
    ask: NotApplicable,
    approve: NotApplicable,
    rewrite: NotApplicable,
    output: DeniedInstead("Cline cannot change a result"),
    ..BEFORE_TOOL
};
