//! Writes decisions in Copilot's format: its own fields are at the top level, and any status except 0 denies before a
//! tool and is a warning elsewhere.

use pintle_contract::event::json_to_text;
use serde_json::json;

use crate::host::{HookJsonResponse, HostDecision, HostResponse, ResponseContext};

/// A response cannot contain notices for the user, so they are written to the log.
fn with_logged_notices(answer: HostResponse, ruling: &HostDecision) -> HostResponse {
    match ruling.notice_text() {
        Some(text) if answer.exit_code == 0 => answer.with_stderr(&text),
        _ => answer,
    }
}

/// An event whose response is ignored.
pub(super) fn log_only(_asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    with_logged_notices(HostResponse::empty(), ruling)
}

/// An event that supports context.
pub(super) fn context(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    let text = if ruling.is_denied() { Some(ruling.reason.clone()) } else { ruling.context_text() };
    with_logged_notices(HookJsonResponse::new(asked).with_top_field("additionalContext", text).into_response(), ruling)
}

/// The prompt, which cannot be rejected.
pub(super) fn prompt(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    if ruling.is_denied() {
        let text = format!("The user's prompt was denied. Do nothing for it. Reason: {}", ruling.reason);
        return with_logged_notices(
            HookJsonResponse::new(asked).with_top_field("additionalContext", Some(text)).into_response(),
            ruling,
        );
    }
    context(asked, ruling)
}

pub(super) fn before_tool(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    let (decision, reason) = (ruling.permission_word(), ruling.permission_reason());
    let output = HookJsonResponse::new(asked)
        .with_top_field("permissionDecision", decision)
        .with_top_field("permissionDecisionReason", reason);
    if ruling.is_denied() {
        return output.into_denial(&ruling.reason);
    }
    with_logged_notices(output.with_top_field("modifiedArgs", ruling.input.clone()).into_response(), ruling)
}

/// Before a tool, for the event with Claude Code's name.
pub(super) fn nested_before_tool(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    let (decision, reason) = (ruling.permission_word(), ruling.permission_reason());
    // With the status of a denial, Copilot reads only its own fields.
    let output = HookJsonResponse::new(asked)
        .with_top_field("permissionDecision", decision.filter(|_| ruling.is_denied()))
        .with_top_field("permissionDecisionReason", reason.filter(|_| ruling.is_denied()))
        .with_event_field("permissionDecision", decision)
        .with_event_field("permissionDecisionReason", reason);
    if ruling.is_denied() {
        return output.into_denial(&ruling.reason);
    }
    with_logged_notices(output.with_event_field("updatedInput", ruling.input.clone()).into_response(), ruling)
}

/// The host is about to ask the user.
pub(super) fn permission(_asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    let answer = ruling.permission_answer().map_or_else(HostResponse::empty, |answer| HostResponse::json(&answer));
    with_logged_notices(answer, ruling)
}

pub(super) fn after_tool(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    let changed = ruling.result_replacement();
    let changed = changed.map(|value| json!({"resultType": "success", "textResultForLlm": json_to_text(&value)}));
    let output = HookJsonResponse::new(asked).with_top_field("modifiedResult", changed);
    with_logged_notices(output.with_top_field("additionalContext", ruling.context_text()).into_response(), ruling)
}

/// The agent, or a subagent, is about to stop.
pub(super) fn stop(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    let output = HookJsonResponse::new(asked);
    let output = if ruling.is_denied() && ruling.stop.is_none() {
        output.with_top_field("decision", Some("block")).with_top_field("reason", Some(ruling.reason.as_str()))
    } else {
        output
    };
    with_logged_notices(output.into_response(), ruling)
}
