//! Writes decisions in the format of Pintle's own plugin: one JSON object and status 0.

use pintle_contract::event::json_to_text;

use crate::host::{HookJsonResponse, HostDecision, HostResponse, ResponseContext};

/// An event that waits for permission: the answer always has a decision.
pub(super) fn decide(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    let denied = ruling.is_denied();
    start_response(asked, ruling)
        .with_top_field("decision", Some(if denied { "deny" } else { "allow" }))
        .with_top_field("reason", denied.then_some(ruling.reason.as_str()))
        .with_top_field("args", ruling.input.clone())
        .with_top_field("output", ruling.output.as_ref().map(json_to_text))
        .into_response()
}

/// Another event.
pub(super) fn tell(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    start_response(asked, ruling).into_response()
}

/// The texts for the model and for the user. A denied session starts anyway, with its reason as a notice.
fn start_response(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HookJsonResponse {
    HookJsonResponse::new(asked)
        .with_top_field("context", ruling.context_text())
        .with_top_field("notice", ruling.notice_text())
}
