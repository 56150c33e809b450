//! Writes decisions in Cline's format: only JSON. Cline ignores the status, and everything but the JSON.

use crate::host::{HookJsonResponse, HostDecision, HostResponse, ResponseContext};

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
