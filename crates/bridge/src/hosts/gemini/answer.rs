//! Rulings in Gemini CLI's terms.

use serde_json::Value;

use crate::hosts::hook_json::HookJsonResponse;
use crate::{HostDecision, HostResponse, ResponseContext};

/// What every event can say.
fn start_response(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HookJsonResponse {
    let output = HookJsonResponse::new(asked);
    let ended = ruling.stop.as_deref();
    output
        .with_top_field("continue", ended.map(|_| false))
        .with_top_field("stopReason", ended)
        .with_top_field("systemMessage", ruling.notice_text())
}

/// No, for a reason.
fn deny_with_reason(asked: &ResponseContext<'_>, ruling: &HostDecision, reason: &str) -> HostResponse {
    start_response(asked, ruling)
        .with_top_field("decision", Some("deny"))
        .with_top_field("reason", Some(reason))
        .into_denial(reason)
}

/// An event that only tells.
pub(super) fn notice(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    start_response(asked, ruling).into_response()
}

/// An event that the model can be told something at.
pub(super) fn context(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    start_response(asked, ruling).with_event_field("additionalContext", ruling.context_text()).into_response()
}

/// An event that can be refused, and nothing else.
pub(super) fn deny_only(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    if ruling.is_denied() { deny_with_reason(asked, ruling, &ruling.reason) } else { notice(asked, ruling) }
}

/// The prompt.
pub(super) fn prompt(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    if ruling.is_denied() { deny_with_reason(asked, ruling, &ruling.reason) } else { context(asked, ruling) }
}

/// Before a tool. The changed input is laid over the agent's own, so an argument that a hook took away would stay.
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

/// An argument that is no longer there.
fn removed_argument<'a>(payload: &'a Value, input: &Value) -> Option<&'a str> {
    let before = payload.get("tool_input").and_then(Value::as_object)?;
    before.keys().find(|key| input.get(key.as_str()).is_none()).map(String::as_str)
}

/// After a tool: the reason of a deny takes the place of the result. The status is 0, since the tool did run.
pub(super) fn after_tool(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    let replaced = ruling.result_replacement_text();
    start_response(asked, ruling)
        .with_top_field("decision", replaced.as_ref().map(|_| "deny"))
        .with_top_field("reason", replaced)
        .with_event_field("additionalContext", ruling.context_text())
        .into_response()
}

/// The agent is about to stop: a deny sends it on.
pub(super) fn stop(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    if ruling.is_denied() && ruling.stop.is_none() {
        deny_with_reason(asked, ruling, &ruling.reason)
    } else {
        notice(asked, ruling)
    }
}
