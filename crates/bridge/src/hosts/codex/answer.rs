//! Rulings in Codex's terms. Its schemas are strict: one key that an event does not know, and the answer counts for
//! nothing, so each function says only what its event takes.

use serde_json::json;

use crate::hosts::hook_json::HookJsonResponse;
use crate::{HostDecision, HostResponse, ResponseContext};

/// What most events can say.
fn start_response(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HookJsonResponse {
    HookJsonResponse::new(asked).with_top_field("systemMessage", ruling.notice_text())
}

/// The end of the run, where an event takes it.
fn with_run_end(output: HookJsonResponse, ruling: &HostDecision) -> HookJsonResponse {
    let ended = ruling.stop.as_deref();
    output.with_top_field("continue", ended.map(|_| false)).with_top_field("stopReason", ended)
}

/// An event whose answer is not read.
pub(super) fn empty_response(_asked: &ResponseContext<'_>, _ruling: &HostDecision) -> HostResponse {
    HostResponse::empty()
}

/// An event that only tells.
pub(super) fn notice(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    start_response(asked, ruling).into_response()
}

/// An event that the model can be told something at.
pub(super) fn context(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    start_response(asked, ruling).with_event_field("additionalContext", ruling.context_text()).into_response()
}

/// A session begins. One that a hook refuses begins all the same, and the person is told.
pub(super) fn session_start(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    if !ruling.is_denied() {
        return context(asked, ruling);
    }
    let notices = ruling.notice_text().map(|text| format!("\n{text}")).unwrap_or_default();
    start_response(asked, ruling)
        .with_top_field("systemMessage", Some(format!("{}{notices}", ruling.reason)))
        .into_response()
}

/// The prompt.
pub(super) fn prompt(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    let output = with_run_end(start_response(asked, ruling), ruling);
    if ruling.is_denied() {
        return output
            .with_top_field("decision", Some("block"))
            .with_top_field("reason", Some(ruling.reason.as_str()))
            .into_denial(&ruling.reason);
    }
    output.with_event_field("additionalContext", ruling.context_text()).into_response()
}

/// Before a tool. A yes goes only with a rewrite, and there is no asking.
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
        .with_event_field("additionalContext", ruling.context_text())
        .into_response()
}

/// A person is about to be asked.
pub(super) fn permission(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    let output = start_response(asked, ruling);
    if ruling.is_denied() {
        return output
            .with_event_field("decision", Some(json!({"behavior": "deny", "message": ruling.reason})))
            .into_response();
    }
    let approval =
        (ruling.is_approved && ruling.decision == pintle::Decision::Allow).then(|| json!({"behavior": "allow"}));
    output.with_event_field("decision", approval).into_response()
}

/// After a tool: what a block says takes the place of the result.
pub(super) fn after_tool(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    let output = with_run_end(start_response(asked, ruling), ruling);
    let replaced = ruling.result_replacement_text();
    output
        .with_top_field("decision", replaced.as_ref().map(|_| "block"))
        .with_top_field("reason", replaced)
        .with_event_field("additionalContext", ruling.context_text())
        .into_response()
}

/// The agent, or a subagent, is about to stop.
pub(super) fn stop(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    let output = with_run_end(start_response(asked, ruling), ruling);
    if ruling.is_denied() && ruling.stop.is_none() {
        return output
            .with_top_field("decision", Some("block"))
            .with_top_field("reason", Some(ruling.reason.as_str()))
            .into_denial(&ruling.reason);
    }
    output.into_response()
}

/// Before a compaction.
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
