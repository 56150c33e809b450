//! Writes decisions in the format of Pintle's own plugin: one JSON object and status 0.

use pintle_contract::event::json_to_text;

use crate::host::{HookJsonResponse, HostDecision, HostResponse, ResponseContext};

/// An event that waits for permission: the answer always has a decision.
pub(super) fn decide(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    let denied = decision.is_denied();
    start_response(context, decision)
        .with_top_field("decision", Some(if denied { "deny" } else { "allow" }))
        .with_top_field("reason", denied.then_some(decision.reason.as_str()))
        .with_top_field("args", decision.input.clone())
        .with_top_field("output", decision.output.as_ref().map(json_to_text))
        .into_response()
}

/// Another event.
pub(super) fn tell(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    start_response(context, decision).into_response()
}

/// The texts for the model and for the user. A denied session starts anyway, with its reason as a notice.
fn start_response(context: &ResponseContext<'_>, decision: &HostDecision) -> HookJsonResponse {
    HookJsonResponse::new(context)
        .with_top_field("context", decision.context_text())
        .with_top_field("notice", decision.notice_text())
}
