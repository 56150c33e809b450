//! Writes decisions in Gemini CLI's format.

use serde_json::Value;

use crate::host::{HookJsonResponse, HostDecision, HostResponse, ResponseContext};

/// The fields that every event supports.
fn start_response(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HookJsonResponse {
    HookJsonResponse::new(asked).with_run_end(ruling).with_notice(ruling)
}

fn deny_with_reason(asked: &ResponseContext<'_>, ruling: &HostDecision, reason: &str) -> HostResponse {
    start_response(asked, ruling)
        .with_top_field("decision", Some("deny"))
        .with_top_field("reason", Some(reason))
        .into_denial(reason)
}

/// An event that supports only notices.
pub(super) fn notice(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    start_response(asked, ruling).into_response()
}

/// An event that supports context.
pub(super) fn context(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    start_response(asked, ruling).with_context(ruling).into_response()
}

/// An event that supports only denials.
pub(super) fn deny_only(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    if ruling.is_denied() { deny_with_reason(asked, ruling, &ruling.reason) } else { notice(asked, ruling) }
}

pub(super) fn prompt(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    if ruling.is_denied() { deny_with_reason(asked, ruling, &ruling.reason) } else { context(asked, ruling) }
}

/// Before a tool. Gemini CLI merges the changed input into its own, so an argument that a hook removed would stay.
pub(super) fn before_tool(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    if ruling.is_denied() {
        return deny_with_reason(asked, ruling, &ruling.reason);
    }
    if let Some(argument) = ruling.input.as_ref().and_then(|input| removed_argument(asked.payload, input)) {
        let reason = format!("a hook removed the argument `{argument}`, which Gemini CLI does not support");
        return deny_with_reason(asked, ruling, &reason);
    }
    start_response(asked, ruling).with_event_field("tool_input", ruling.input.clone()).into_response()
}

/// An argument that the changed input no longer has.
fn removed_argument<'a>(payload: &'a Value, input: &Value) -> Option<&'a str> {
    let before = payload.get("tool_input").and_then(Value::as_object)?;
    before.keys().find(|key| input.get(key.as_str()).is_none()).map(String::as_str)
}

/// After a tool: the reason of a denial replaces the result. The status is 0, since the tool did run.
pub(super) fn after_tool(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    let replaced = ruling.result_replacement_text();
    start_response(asked, ruling)
        .with_top_field("decision", replaced.as_ref().map(|_| "deny"))
        .with_top_field("reason", replaced)
        .with_context(ruling)
        .into_response()
}

/// The agent is about to stop: a denial makes it continue.
pub(super) fn stop(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    if ruling.is_denied() && ruling.stop.is_none() {
        deny_with_reason(asked, ruling, &ruling.reason)
    } else {
        notice(asked, ruling)
    }
}
