//! Writes decisions in Codex's format. Its schemas are strict: a single unknown key makes Codex ignore the whole
//! response, so each function writes only the fields of its event.

use serde_json::json;

use crate::host::{HookJsonResponse, HostDecision, HostResponse, ResponseContext};

/// The fields that most events support.
fn start_response(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HookJsonResponse {
    HookJsonResponse::new(asked).with_notice(ruling)
}

/// An event that supports only notices.
pub(super) fn notice(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    start_response(asked, ruling).into_response()
}

/// An event that supports context.
pub(super) fn context(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    start_response(asked, ruling).with_context(ruling).into_response()
}

/// The start of a session. A denied session starts anyway, with a notice to the user.
pub(super) fn session_start(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    if !ruling.is_denied() {
        return context(asked, ruling);
    }
    start_response(asked, ruling).into_denied_start(ruling)
}

/// A blocked prompt: the user sees the whole reason.
pub(super) fn prompt(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    let output = start_response(asked, ruling).with_run_end(ruling);
    if ruling.is_denied() {
        return output.into_block(&ruling.reason);
    }
    output.with_context(ruling).into_response()
}

/// Before a tool. An approval is possible only with a rewrite, and `ask` is not supported.
pub(super) fn before_tool(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    let output = start_response(asked, ruling);
    if ruling.is_denied() {
        return output
            .with_event_field("permissionDecision", Some("deny"))
            .with_event_field("permissionDecisionReason", Some(ruling.reason.as_str()))
            .into_denial(&ruling.reason);
    }
    output
        .with_event_field("permissionDecision", ruling.input.as_ref().map(|_| "allow"))
        .with_event_field("updatedInput", ruling.input.clone())
        .with_context(ruling)
        .into_response()
}

/// The host is about to ask the user.
pub(super) fn permission(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    let output = start_response(asked, ruling);
    if ruling.is_denied() {
        return output
            .with_event_field("decision", Some(json!({"behavior": "deny", "message": ruling.reason})))
            .into_response();
    }
    let approval = (ruling.is_approved && ruling.decision == pintle_contract::Decision::Allow)
        .then(|| json!({"behavior": "allow"}));
    output.with_event_field("decision", approval).into_response()
}

/// After a tool: the reason of a block replaces the result.
pub(super) fn after_tool(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    let output = start_response(asked, ruling).with_run_end(ruling);
    let replaced = ruling.result_replacement_text();
    output
        .with_top_field("decision", replaced.as_ref().map(|_| "block"))
        .with_top_field("reason", replaced)
        .with_context(ruling)
        .into_response()
}

/// The agent, or a subagent, is about to stop.
pub(super) fn stop(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    let output = start_response(asked, ruling).with_run_end(ruling);
    if ruling.is_denied() && ruling.stop.is_none() {
        return output.into_block(&ruling.reason);
    }
    output.into_response()
}

pub(super) fn compact(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    let output = start_response(asked, ruling);
    if ruling.is_denied() {
        return output
            .with_top_field("continue", Some(false))
            .with_top_field("stopReason", Some(ruling.reason.as_str()))
            .into_response();
    }
    output.into_response()
}
