//! What Copilot supports of a decision, and how the decision is written.
//!
//! Copilot's own fields are at the top level, and any status except 0 denies before a tool and is a warning elsewhere.

use pintle_contract::event::json_to_text;
use serde_json::json;

use crate::host::ActionSupport::{Approximated, DeniedInstead, Dropped, RunEndedInstead, Supported};
use crate::host::{ActionSupport, HookJsonResponse, HostDecision, HostResponse, HostSupport, ResponseContext};

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

const UNSAID: &str = "Copilot does not show hook messages here";
const REFUSED: ActionSupport = Approximated("the session starts, but all its tool calls are denied");

/// An event whose response is ignored.
pub(super) const SILENT: HostSupport = HostSupport {
    deny: Dropped("Copilot continues whatever a hook returns here"),
    ask: Dropped("Copilot continues whatever a hook returns here"),
    context: Dropped(UNSAID),
    notice: Approximated("the message appears in Copilot's log"),
    ..HostSupport::OBSERVE_ONLY
};

pub(super) const SESSION_START: HostSupport =
    HostSupport { deny: REFUSED, ask: REFUSED, context: Supported, stop: REFUSED, ..SILENT };

pub(super) const SESSION_END: HostSupport = HostSupport { stop: ActionSupport::OVER, ..SILENT };

pub(super) const PROMPT: HostSupport = HostSupport {
    deny: Approximated("the model gets the reason, and every tool call is denied until the next prompt"),
    ask: DeniedInstead("Copilot cannot ask the user about a prompt"),
    rewrite: DeniedInstead("Copilot cannot change a prompt"),
    context: Supported,
    ..SILENT
};

pub(super) const BEFORE_TOOL: HostSupport = HostSupport {
    deny: Supported,
    ask: Supported,
    approve: Supported,
    rewrite: Supported,
    stop: ActionSupport::DENIED_AND_ENDED,
    ..SILENT
};

pub(super) const PERMISSION: HostSupport = HostSupport {
    context: SILENT.context,
    notice: SILENT.notice,
    ..HostSupport::permission(DeniedInstead("Copilot cannot change a call that it asks about"))
};

pub(super) const AFTER_TOOL: HostSupport =
    HostSupport { deny: ActionSupport::REPLACED, output: Supported, context: Supported, ..SILENT };

/// The result of a failed tool is in its error.
const ERROR: &str = "Copilot cannot change the text of an error, which the model reads next";

pub(super) const FAILED_TOOL: HostSupport =
    HostSupport { deny: RunEndedInstead(ERROR), output: RunEndedInstead(ERROR), context: Supported, ..SILENT };

pub(super) const STOP: HostSupport = HostSupport {
    deny: Supported,
    ask: DeniedInstead("Copilot cannot ask the user whether an agent may stop"),
    output: Dropped("Copilot cannot change an answer that the user has already seen"),
    ..SILENT
};

pub(super) const SUBAGENT_STOP: HostSupport = STOP.of_subagent();
