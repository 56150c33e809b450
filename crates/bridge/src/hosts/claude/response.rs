//! Rulings in Claude Code's terms.

use pintle::Decision;
use serde_json::{Map, Value, json};

use crate::hosts::hook_json::{HookJsonResponse, shape_like};
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

/// An event that only tells.
pub(in crate::hosts) fn notice(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    start_response(asked, ruling).into_response()
}

/// An event that the model can be told something at.
pub(in crate::hosts) fn context(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
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
pub(in crate::hosts) fn prompt(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    let output = start_response(asked, ruling);
    if ruling.is_denied() {
        return output
            .with_top_field("decision", Some("block"))
            .with_top_field("reason", Some(ruling.reason.as_str()))
            .into_denial(&ruling.reason);
    }
    output.with_event_field("additionalContext", ruling.context_text()).into_response()
}

/// Before a tool.
pub(in crate::hosts) fn before_tool(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    let decision = match ruling.decision {
        Decision::Deny => Some("deny"),
        Decision::Ask => Some("ask"),
        Decision::Allow => ruling.is_approved.then_some("allow"),
    };
    let reason = Some(ruling.reason.as_str()).filter(|reason| decision.is_some() && !reason.is_empty());
    let output = start_response(asked, ruling)
        .with_event_field("permissionDecision", decision)
        .with_event_field("permissionDecisionReason", reason);
    if ruling.is_denied() {
        return output.into_denial(&ruling.reason);
    }
    output
        .with_event_field("updatedInput", ruling.input.clone())
        .with_event_field("additionalContext", ruling.context_text())
        .into_response()
}

/// A person is about to be asked.
pub(in crate::hosts) fn permission(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    let output = start_response(asked, ruling);
    if ruling.is_denied() {
        let mut decision = json!({"behavior": "deny", "message": ruling.reason});
        if ruling.stop.is_some()
            && let Some(fields) = decision.as_object_mut()
        {
            fields.insert(String::from("interrupt"), Value::Bool(true));
        }
        // The exit status says nothing at this event, and what it may do besides is not documented.
        return output.with_event_field("decision", Some(decision)).into_response();
    }
    let approval = (ruling.is_approved && ruling.decision == Decision::Allow).then(|| {
        let mut decision = Map::new();
        decision.insert(String::from("behavior"), Value::from("allow"));
        if let Some(input) = &ruling.input {
            decision.insert(String::from("updatedInput"), input.clone());
        }
        Value::Object(decision)
    });
    output.with_event_field("decision", approval).into_response()
}

/// After a tool. A block only adds its reason, so what is withheld is replaced besides; and what replaces a result has to
/// have its form, or the result stands.
pub(in crate::hosts) fn after_tool(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    let original = asked.payload.get("tool_response").unwrap_or(&Value::Null);
    let output = start_response(asked, ruling);
    let (output, replaced) = if ruling.is_denied() {
        let reason = ruling.reason.as_str();
        let output = output.with_top_field("decision", Some("block")).with_top_field("reason", Some(reason));
        (output, Some(shape_like(original, &Value::from(reason))))
    } else {
        (output, ruling.output.as_ref().map(|changed| shape_like(original, changed)))
    };
    output
        .with_event_field("updatedToolOutput", replaced)
        .with_event_field("additionalContext", ruling.context_text())
        .into_response()
}

/// After a tool that failed: what hooks have against it stands beside the error.
pub(super) fn failed_tool(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    let denied = ruling.is_denied().then(|| ruling.reason.clone());
    start_response(asked, ruling)
        .with_event_field("additionalContext", denied.or_else(|| ruling.context_text()))
        .into_response()
}

/// The agent, or a subagent, is about to stop.
pub(in crate::hosts) fn stop(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    let output = start_response(asked, ruling);
    if ruling.is_denied() && ruling.stop.is_none() {
        return output
            .with_top_field("decision", Some("block"))
            .with_top_field("reason", Some(ruling.reason.as_str()))
            .into_denial(&ruling.reason);
    }
    output.into_response()
}

/// Before a compaction: whatever stands on standard output, JSON too, is further instructions for the summary.
pub(super) fn compact(_asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    if ruling.is_denied() {
        return HostResponse::empty().with_stderr(&ruling.reason).with_exit_code(2);
    }
    HostResponse { stdout: ruling.context_text().unwrap_or_default(), ..HostResponse::empty() }
}

/// After a compaction: the person is shown what stands on standard output, as it is.
pub(super) fn compacted(_asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    HostResponse { stdout: ruling.notice_text().unwrap_or_default(), ..HostResponse::empty() }
}

/// An event whose answer is not read.
pub(super) fn empty_response(_asked: &ResponseContext<'_>, _ruling: &HostDecision) -> HostResponse {
    HostResponse::empty()
}
