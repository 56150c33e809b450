//! Writes decisions in Cursor's format: flat fields and status 0. A hook that must fail closed always has to return a
//! decision.

use pintle_contract::Decision;
use pintle_contract::event::json_to_text;
use serde_json::Value;

use crate::host::{HookJsonResponse, HostDecision, HostResponse, ResponseContext};

/// An event that supports notices.
pub(super) fn notice(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    HookJsonResponse::new(context).with_top_field("user_message", decision.notice_text()).into_response()
}

/// An event that supports context.
pub(super) fn add_context(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    let text = if decision.is_denied() { Some(decision.reason.clone()) } else { decision.context_text() };
    HookJsonResponse::new(context).with_top_field("additional_context", text).into_response()
}

pub(super) fn prompt(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    let denied = decision.is_denied();
    let said = if denied { Some(decision.reason.clone()) } else { decision.notice_text() };
    HookJsonResponse::new(context)
        .with_top_field("continue", Some(!denied))
        .with_top_field("user_message", said)
        .into_response()
}

/// Before an action. In tests the model got the message for the user, and never its own.
pub(super) fn permission(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    let word = match decision.decision {
        Decision::Deny => "deny",
        Decision::Ask => "ask",
        Decision::Allow => "allow",
    };
    let reason = Some(decision.reason.clone()).filter(|_| decision.decision != Decision::Allow);
    HookJsonResponse::new(context)
        .with_top_field("permission", Some(word))
        .with_top_field("user_message", reason.clone().or_else(|| decision.notice_text()))
        .with_top_field("agent_message", reason)
        .with_top_field("updated_input", decision.input.clone())
        .into_response()
}

/// After a tool. Only the results of MCP tools can be changed.
pub(super) fn after_tool(response_context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    let output = HookJsonResponse::new(response_context);
    let changed = decision.result_replacement();
    let tool = response_context.payload.get("tool_name").and_then(Value::as_str).unwrap_or_default();
    let context = decision.context_text();
    match changed {
        Some(changed) if tool.starts_with("MCP:") => output
            .with_top_field("updated_mcp_tool_output", Some(changed))
            .with_top_field("additional_context", context)
            .into_response(),
        Some(changed) => {
            let instead = json_to_text(&changed);
            let text = format!("A hook withholds this result, do not use it. Use this instead: {instead}");
            let text = context.map_or(text.clone(), |context| format!("{text}\n\n{context}"));
            output.with_top_field("additional_context", Some(text)).into_response()
        }
        None => output.with_top_field("additional_context", context).into_response(),
    }
}

/// The agent, or a subagent, is about to stop.
pub(super) fn stop(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    let goes_on = decision.is_denied() && decision.stop.is_none();
    HookJsonResponse::new(context)
        .with_top_field("followup_message", goes_on.then(|| decision.reason.clone()))
        .into_response()
}
