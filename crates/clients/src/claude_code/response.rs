//! What Claude Code supports of a decision, and how the decision is written.

use serde_json::{Value, json};

use crate::host::ActionSupport::{Approximated, DeniedInstead, Dropped, Supported, WithApprovalOnly};
use crate::host::{
    ActionSupport, HookJsonResponse, HostDecision, HostResponse, HostSupport, ResponseContext, shape_like,
};

/// The fields that every event supports.
pub(crate) fn start_response(context: &ResponseContext<'_>, decision: &HostDecision) -> HookJsonResponse {
    HookJsonResponse::new(context).with_run_end(decision).with_notice(decision)
}

/// An event that supports only notices.
pub(crate) fn notice(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    start_response(context, decision).into_response()
}

/// An event that supports context.
pub(crate) fn add_context(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    start_response(context, decision).with_context(decision).into_response()
}

/// The start of a session. A denied session starts anyway, with a notice to the user.
pub(super) fn session_start(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    start_response(context, decision).into_start(decision)
}

/// The user's prompt. Only some of the clients that write it so can change a prompt.
pub(crate) fn prompt(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    let output = start_response(context, decision);
    if decision.is_denied() {
        return output.into_block(&decision.reason);
    }
    let changed = decision.input.as_ref().map(|prompt| json!({ "prompt": prompt }));
    output.with_event_field("updatedInput", changed).with_context(decision).into_response()
}

pub(crate) fn before_tool(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    let output = start_response(context, decision)
        .with_event_field("permissionDecision", decision.permission_word())
        .with_event_field("permissionDecisionReason", decision.permission_reason());
    if decision.is_denied() {
        return output.into_denial(&decision.reason);
    }
    output.with_event_field("updatedInput", decision.input.clone()).with_context(decision).into_response()
}

/// The host is about to ask the user. The exit status has no documented effect at this event.
pub(crate) fn permission(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    start_response(context, decision).with_event_field("decision", decision.permission_answer()).into_response()
}

/// After a tool. A block only adds its reason, so a withheld result is also replaced. Claude Code ignores a replacement
/// that does not have the result's structure.
pub(crate) fn after_tool(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    let original = context.payload.get("tool_response").unwrap_or(&Value::Null);
    let output = start_response(context, decision);
    let (output, replaced) = if decision.is_denied() {
        let reason = decision.reason.as_str();
        let output = output.with_top_field("decision", Some("block")).with_top_field("reason", Some(reason));
        (output, Some(shape_like(original, &Value::from(reason))))
    } else {
        (output, decision.output.as_ref().map(|changed| shape_like(original, changed)))
    };
    output.with_event_field("updatedToolOutput", replaced).with_context(decision).into_response()
}

/// After a failed tool: the hooks' reason is added to the error.
pub(super) fn failed_tool(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    let denied = decision.is_denied().then(|| decision.reason.clone());
    start_response(context, decision)
        .with_event_field("additionalContext", denied.or_else(|| decision.context_text()))
        .into_response()
}

/// The agent, or a subagent, is about to stop.
pub(crate) fn stop(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    let output = start_response(context, decision);
    if decision.is_denied() && decision.stop.is_none() {
        return output.into_block(&decision.reason);
    }
    output.into_response()
}

/// Before a compaction: all of standard output, including JSON, becomes instructions for the summary.
pub(super) fn compact(_context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    if decision.is_denied() {
        return HostResponse::empty().with_stderr(&decision.reason).with_exit_code(2);
    }
    HostResponse { stdout: decision.context_text().unwrap_or_default(), ..HostResponse::empty() }
}

/// After a compaction: Claude Code shows standard output to the user as it is.
pub(super) fn compacted(_context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    HostResponse { stdout: decision.notice_text().unwrap_or_default(), ..HostResponse::empty() }
}

/// An event that can only be observed.
pub(super) const TELLS: HostSupport = HostSupport::OBSERVE_ONLY;

/// The end of a session, when nothing can be shown any more.
pub(super) const SESSION_END: HostSupport =
    HostSupport { stop: ActionSupport::OVER, notice: Dropped("Claude Code does not show hook messages here"), ..TELLS };

pub(super) const COMPACTED: HostSupport = HostSupport { context: ActionSupport::LATER, ..TELLS };

pub(super) const SESSION_START: HostSupport = HostSupport::SESSION_START;

pub(super) const PROMPT: HostSupport =
    HostSupport::prompt("Claude Code cannot ask the user about a prompt", "Claude Code cannot change a prompt");

pub(crate) const BEFORE_TOOL: HostSupport = HostSupport {
    deny: Supported,
    ask: Supported,
    approve: Supported,
    rewrite: Supported,
    context: Supported,
    stop: Approximated("the call is denied and the run ends"),
    ..TELLS
};

pub(super) const SKILL_COMMAND: HostSupport = HostSupport {
    ask: DeniedInstead("Claude Code does not ask the user while it loads a skill"),
    approve: Dropped("Claude Code runs the command if no hook refuses it"),
    rewrite: DeniedInstead("Claude Code does not change a command of a skill"),
    context: ActionSupport::LATER,
    stop: ActionSupport::DENIED_AND_ENDED,
    ..BEFORE_TOOL
};

pub(super) const PERMISSION: HostSupport =
    HostSupport::permission(WithApprovalOnly("Claude Code applies a rewrite here only together with an approval"));

pub(super) const AFTER_TOOL: HostSupport =
    HostSupport { deny: ActionSupport::REPLACED, output: Supported, context: Supported, stop: Supported, ..TELLS };

pub(super) const FAILED_TOOL: HostSupport =
    HostSupport::failed_tool("Claude Code cannot change the text of an error, which the model would read next");

pub(super) const BATCH: HostSupport = HostSupport { context: Supported, stop: Supported, ..TELLS };

pub(super) const SUBAGENT_START: HostSupport = HostSupport { context: ActionSupport::REMINDERS_NOW, ..BATCH };

pub(super) const STOP: HostSupport = HostSupport::stop(
    "Claude Code cannot ask the user whether an agent may stop",
    "Claude Code cannot change an answer that the user has already seen",
);

pub(super) const SUBAGENT_STOP: HostSupport = STOP.of_subagent();

pub(super) const COMPACT: HostSupport = HostSupport {
    deny: Supported,
    ask: DeniedInstead("Claude Code cannot ask the user about a compaction"),
    output: Dropped("Claude Code writes the summary itself"),
    context: Supported,
    notice: Dropped("Claude Code treats hook output here as instructions for the summary"),
    ..TELLS
};
