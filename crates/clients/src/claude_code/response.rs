//! Writes decisions in Claude Code's format.

use serde_json::Value;

use crate::host::{HookJsonResponse, HostDecision, HostResponse, ResponseContext, shape_like};

/// The fields that every event supports.
fn start_response(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HookJsonResponse {
    HookJsonResponse::new(asked).with_run_end(ruling).with_notice(ruling)
}

/// An event that supports only notices.
pub(crate) fn notice(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    start_response(asked, ruling).into_response()
}

/// An event that supports context.
pub(crate) fn context(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    start_response(asked, ruling).with_context(ruling).into_response()
}

/// The start of a session. A denied session starts anyway, with a notice to the user.
pub(super) fn session_start(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    if !ruling.is_denied() {
        return context(asked, ruling);
    }
    start_response(asked, ruling).into_denied_start(ruling)
}

pub(crate) fn prompt(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    let output = start_response(asked, ruling);
    if ruling.is_denied() {
        return output.into_block(&ruling.reason);
    }
    output.with_context(ruling).into_response()
}

pub(crate) fn before_tool(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    let output = start_response(asked, ruling)
        .with_event_field("permissionDecision", ruling.permission_word())
        .with_event_field("permissionDecisionReason", ruling.permission_reason());
    if ruling.is_denied() {
        return output.into_denial(&ruling.reason);
    }
    output.with_event_field("updatedInput", ruling.input.clone()).with_context(ruling).into_response()
}

/// The host is about to ask the user. The exit status has no documented effect at this event.
pub(crate) fn permission(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    start_response(asked, ruling).with_event_field("decision", ruling.permission_answer()).into_response()
}

/// After a tool. A block only adds its reason, so a withheld result is also replaced. Claude Code ignores a replacement
/// that does not have the result's structure.
pub(crate) fn after_tool(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    let original = asked.payload.get("tool_response").unwrap_or(&Value::Null);
    let output = start_response(asked, ruling);
    let (output, replaced) = if ruling.is_denied() {
        let reason = ruling.reason.as_str();
        let output = output.with_top_field("decision", Some("block")).with_top_field("reason", Some(reason));
        (output, Some(shape_like(original, &Value::from(reason))))
    } else {
        (output, ruling.output.as_ref().map(|changed| shape_like(original, changed)))
    };
    output.with_event_field("updatedToolOutput", replaced).with_context(ruling).into_response()
}

/// After a failed tool: the hooks' reason is added to the error.
pub(super) fn failed_tool(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    let denied = ruling.is_denied().then(|| ruling.reason.clone());
    start_response(asked, ruling)
        .with_event_field("additionalContext", denied.or_else(|| ruling.context_text()))
        .into_response()
}

/// The agent, or a subagent, is about to stop.
pub(crate) fn stop(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    let output = start_response(asked, ruling);
    if ruling.is_denied() && ruling.stop.is_none() {
        return output.into_block(&ruling.reason);
    }
    output.into_response()
}

/// Before a compaction: all of standard output, including JSON, becomes instructions for the summary.
pub(super) fn compact(_asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    if ruling.is_denied() {
        return HostResponse::empty().with_stderr(&ruling.reason).with_exit_code(2);
    }
    HostResponse { stdout: ruling.context_text().unwrap_or_default(), ..HostResponse::empty() }
}

/// After a compaction: Claude Code shows standard output to the user as it is.
pub(super) fn compacted(_asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    HostResponse { stdout: ruling.notice_text().unwrap_or_default(), ..HostResponse::empty() }
}
