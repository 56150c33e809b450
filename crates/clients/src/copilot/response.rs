//! Writes decisions in Copilot's format: its own fields are at the top level, and any status except 0 denies before a
//! tool and is a warning elsewhere.

use pintle_contract::event::json_to_text;
use serde_json::json;

use crate::host::{HookJsonResponse, HostDecision, HostResponse, ResponseContext};

/// A response cannot contain notices for the user, so they are written to the log.
fn with_logged_notices(answer: HostResponse, decision: &HostDecision) -> HostResponse {
    match decision.notice_text() {
        Some(text) if answer.exit_code == 0 => answer.with_stderr(&text),
        _ => answer,
    }
}

/// An event whose response is ignored.
pub(super) fn log_only(_context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    with_logged_notices(HostResponse::empty(), decision)
}

/// An event that supports context.
pub(super) fn add_context(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    let text = if decision.is_denied() { Some(decision.reason.clone()) } else { decision.context_text() };
    with_logged_notices(
        HookJsonResponse::new(context).with_top_field("additionalContext", text).into_response(),
        decision,
    )
}

/// The prompt, which cannot be rejected.
pub(super) fn prompt(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    if decision.is_denied() {
        let text = format!("The user's prompt was denied. Do nothing for it. Reason: {}", decision.reason);
        return with_logged_notices(
            HookJsonResponse::new(context).with_top_field("additionalContext", Some(text)).into_response(),
            decision,
        );
    }
    add_context(context, decision)
}

pub(super) fn before_tool(context: &ResponseContext<'_>, host_decision: &HostDecision) -> HostResponse {
    let (decision, reason) = (host_decision.permission_word(), host_decision.permission_reason());
    let output = HookJsonResponse::new(context)
        .with_top_field("permissionDecision", decision)
        .with_top_field("permissionDecisionReason", reason);
    if host_decision.is_denied() {
        return output.into_denial(&host_decision.reason);
    }
    with_logged_notices(
        output.with_top_field("modifiedArgs", host_decision.input.clone()).into_response(),
        host_decision,
    )
}

/// Before a tool, for the event with Claude Code's name.
pub(super) fn nested_before_tool(context: &ResponseContext<'_>, host_decision: &HostDecision) -> HostResponse {
    let (decision, reason) = (host_decision.permission_word(), host_decision.permission_reason());
    // With the status of a denial, Copilot reads only its own fields.
    let output = HookJsonResponse::new(context)
        .with_top_field("permissionDecision", decision.filter(|_| host_decision.is_denied()))
        .with_top_field("permissionDecisionReason", reason.filter(|_| host_decision.is_denied()))
        .with_event_field("permissionDecision", decision)
        .with_event_field("permissionDecisionReason", reason);
    if host_decision.is_denied() {
        return output.into_denial(&host_decision.reason);
    }
    with_logged_notices(
        output.with_event_field("updatedInput", host_decision.input.clone()).into_response(),
        host_decision,
    )
}

/// The host is about to ask the user.
pub(super) fn permission(_context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    let answer = decision.permission_answer().map_or_else(HostResponse::empty, |answer| HostResponse::json(&answer));
    with_logged_notices(answer, decision)
}

pub(super) fn after_tool(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    let changed = decision.result_replacement();
    let changed = changed.map(|value| json!({"resultType": "success", "textResultForLlm": json_to_text(&value)}));
    let output = HookJsonResponse::new(context).with_top_field("modifiedResult", changed);
    with_logged_notices(output.with_top_field("additionalContext", decision.context_text()).into_response(), decision)
}

/// The agent, or a subagent, is about to stop.
pub(super) fn stop(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    let output = HookJsonResponse::new(context);
    let output = if decision.is_denied() && decision.stop.is_none() {
        output.with_top_field("decision", Some("block")).with_top_field("reason", Some(decision.reason.as_str()))
    } else {
        output
    };
    with_logged_notices(output.into_response(), decision)
}
