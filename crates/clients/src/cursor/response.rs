//! What Cursor supports of a decision, and how the decision is written: flat fields and status 0.
//!
//! A hook that must fail closed always has to return a decision.

use pintle_contract::Decision;
use pintle_contract::event::json_to_text;
use serde_json::Value;

use crate::host::ActionSupport::{
    Approximated, DeniedInstead, Dropped, NotApplicable, NotifiesUser, RunEndedInstead, Supported,
};
use crate::host::{ActionSupport, HookJsonResponse, HostDecision, HostResponse, HostSupport, ResponseContext};

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

const NO_TEXT: ActionSupport = NotifiesUser("Cursor does not accept context here");
const UNSAID: &str = "Cursor does not show hook messages here";

/// An event whose response is ignored.
pub(super) const SILENT: HostSupport =
    HostSupport { context: Dropped(UNSAID), notice: Dropped(UNSAID), ..HostSupport::OBSERVE_ONLY };

pub(super) const SESSION_START: HostSupport = HostSupport { notice: Dropped(UNSAID), ..HostSupport::SESSION_START };

pub(super) const SESSION_END: HostSupport = HostSupport { stop: ActionSupport::OVER, ..SILENT };

const UNREAD: &str = "Cursor ignores hook output here, and the model reads the error next";

/// After a failed tool.
pub(super) const FAILED_TOOL: HostSupport =
    HostSupport { deny: RunEndedInstead(UNREAD), output: RunEndedInstead(UNREAD), ..SILENT };

pub(super) const PROMPT: HostSupport = HostSupport {
    deny: Supported,
    ask: DeniedInstead("Cursor cannot ask the user about a prompt"),
    rewrite: DeniedInstead("Cursor cannot change a prompt"),
    context: NO_TEXT,
    notice: Supported,
    ..SILENT
};

pub(super) const BEFORE_TOOL: HostSupport = HostSupport {
    deny: Supported,
    ask: DeniedInstead("Cursor treats `ask` before a tool as an approval"),
    approve: Dropped("Cursor asks the user according to its own settings"),
    rewrite: Supported,
    context: NO_TEXT,
    stop: ActionSupport::DENIED_AND_ENDED,
    notice: Supported,
    ..SILENT
};

pub(super) const BEFORE_EXECUTION: HostSupport =
    HostSupport { ask: Supported, rewrite: DeniedInstead("Cursor changes a call only at preToolUse"), ..BEFORE_TOOL };

pub(super) const BEFORE_READ: HostSupport = HostSupport {
    ask: DeniedInstead("Cursor cannot ask the user here"),
    rewrite: DeniedInstead("Cursor cannot change this"),
    ..BEFORE_TOOL
};

pub(super) const SUBAGENT_START: HostSupport = HostSupport { rewrite: NotApplicable, ..BEFORE_READ };

pub(super) const AFTER_TOOL: HostSupport = HostSupport {
    deny: Approximated(
        "for an MCP tool the reason replaces the result; for other tools the model is told not to use the result",
    ),
    output: Approximated(
        "the result of an MCP tool is changed; for other tools the model is told not to use the result",
    ),
    context: Supported,
    ..SILENT
};

pub(super) const STOP: HostSupport = HostSupport {
    deny: Supported,
    ask: DeniedInstead("Cursor cannot ask the user whether an agent may stop"),
    output: Dropped("Cursor cannot change an answer that the user has already seen"),
    ..SILENT
};

pub(super) const SUBAGENT_STOP: HostSupport = STOP.of_subagent();

pub(super) const COMPACT: HostSupport = HostSupport {
    deny: NotifiesUser("Cursor compacts whatever a hook returns"),
    ask: NotifiesUser("Cursor compacts whatever a hook returns"),
    context: NO_TEXT,
    notice: Supported,
    ..SILENT
};
