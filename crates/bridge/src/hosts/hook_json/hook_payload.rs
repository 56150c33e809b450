//! Reads payloads in Claude Code's format. Each function reads the payload of one kind of event.

use serde_json::{Map, Value};

use crate::hosts::fields::{flag, required_text};
use crate::{HostEventContext, HostEventData, HostPayloadError, HostToolCall};

pub use crate::hosts::fields::{has, object, text};

/// The event name in the payload.
#[must_use]
pub fn event_name(payload: &Value) -> Option<&str> {
    payload.get("hook_event_name").and_then(Value::as_str)
}

/// The event of a payload that has a session, too.
#[must_use]
pub fn event_of_session(payload: &Value) -> Option<&str> {
    event_name(payload).filter(|_| has(payload, "session_id"))
}

/// Whether the transcript is one of Codex, which has the start time in its name; `None` without a transcript.
#[must_use]
pub fn is_codex_transcript(payload: &Value) -> Option<bool> {
    let path = payload.get("transcript_path").and_then(Value::as_str).filter(|path| !path.is_empty())?;
    Some(path.rsplit(['/', '\\']).next().is_some_and(|name| name.starts_with("rollout-")))
}

/// The session, turn and agent of a payload.
///
/// # Errors
/// When the payload is not an object.
pub fn event_context(payload: &Value) -> Result<HostEventContext, HostPayloadError> {
    let fields = object(payload)?;
    let optional = |name: &str| Some(text(fields, name)).filter(|text| !text.is_empty());
    Ok(HostEventContext {
        session: text(fields, "session_id"),
        // `agent_type` alone is the type of the session's own agent and does not mark a subagent.
        agent: text(fields, "agent_type"),
        run: text(fields, "agent_id"),
        cwd: text(fields, "cwd"),
        transcript_path: optional("transcript_path"),
        permission_mode: optional("permission_mode"),
        turn_id: optional("turn_id").or_else(|| optional("prompt_id")),
        model: optional("model"),
    })
}

/// A session starts.
///
/// # Errors
/// When the payload is not an object.
pub fn session_start(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    Ok(HostEventData::SessionStart { source: text(object(payload)?, "source") })
}

/// A session ended.
///
/// # Errors
/// When the payload is not an object.
pub fn session_end(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    Ok(HostEventData::SessionEnd { reason: text(object(payload)?, "reason") })
}

/// The user sent a prompt.
///
/// # Errors
/// When the prompt is missing or is not a string.
pub fn prompt(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    let prompt = fields.get("prompt").and_then(Value::as_str);
    let text =
        prompt.ok_or_else(|| HostPayloadError(String::from("`prompt` is missing or is not a string")))?.to_owned();
    Ok(HostEventData::Prompt { text, source: fields.get("source").and_then(Value::as_str).map(str::to_owned) })
}

/// A tool is about to run, or the user is about to be asked about it.
///
/// # Errors
/// When the tool has no name, or its arguments are missing.
pub fn before_tool(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    parse_call(object(payload)?).map(HostEventData::BeforeTool)
}

/// The host denied a tool call by itself.
///
/// # Errors
/// When the tool has no name, or its arguments are missing.
pub fn permission_denied(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    Ok(HostEventData::PermissionDenied { call: parse_call(fields)?, reason: text(fields, "reason") })
}

/// A tool returned its result.
///
/// # Errors
/// When the tool has no name, or its arguments are missing.
pub fn after_tool(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    Ok(HostEventData::AfterTool {
        call: parse_call(fields)?,
        response: fields.get("tool_response").cloned().unwrap_or(Value::Null),
        is_error: false,
        duration_ms: fields.get("duration_ms").and_then(Value::as_u64),
    })
}

/// A tool failed.
///
/// # Errors
/// When the tool has no name, or its arguments are missing.
pub fn failed_tool(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    Ok(HostEventData::AfterTool {
        call: parse_call(fields)?,
        response: fields.get("error").or_else(|| fields.get("tool_response")).cloned().unwrap_or(Value::Null),
        is_error: true,
        duration_ms: fields.get("duration_ms").and_then(Value::as_u64),
    })
}

/// All tool calls of one model response finished.
///
/// # Errors
/// When a call has no name.
pub fn batch(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let calls = object(payload)?.get("tool_calls").and_then(Value::as_array);
    let one = |entry: &Value| {
        let fields = object(entry)?;
        Ok((parse_call(fields)?, fields.get("tool_response").cloned().unwrap_or(Value::Null)))
    };
    calls.into_iter().flatten().map(one).collect::<Result<_, _>>().map(HostEventData::Batch)
}

/// A subagent is about to start.
///
/// # Errors
/// When the payload is not an object.
pub fn subagent_start(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    let [agent, id, task] = ["agent_type", "agent_id", "prompt"].map(|name| text(fields, name));
    Ok(HostEventData::SubagentStart { agent, id, task })
}

/// A subagent is about to return its answer.
///
/// # Errors
/// When the payload is not an object.
pub fn subagent_stop(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    let [agent, id, answer] = ["agent_type", "agent_id", "last_assistant_message"].map(|name| text(fields, name));
    Ok(HostEventData::SubagentStop { agent, id, answer, is_continuation: flag(fields, "stop_hook_active") })
}

/// The agent is about to return its answer.
///
/// # Errors
/// When the payload is not an object.
pub fn stop(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    Ok(HostEventData::Stop {
        answer: text(fields, "last_assistant_message"),
        is_continuation: flag(fields, "stop_hook_active"),
    })
}

/// The agent encountered an error.
///
/// # Errors
/// When the payload is not an object.
pub fn agent_error(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    let kind = text(fields, "error");
    let details = text(fields, "error_details");
    let message = if details.is_empty() { kind.clone() } else { details };
    Ok(HostEventData::AgentError { message, kind, is_retryable: false })
}

/// The conversation is about to be compacted.
///
/// # Errors
/// When the payload is not an object.
pub fn compact_before(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    let instructions = Some(text(fields, "custom_instructions")).filter(|text| !text.is_empty());
    Ok(HostEventData::CompactBefore { trigger: text(fields, "trigger"), instructions })
}

/// The conversation was compacted.
///
/// # Errors
/// When the payload is not an object.
pub fn compact_after(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    Ok(HostEventData::CompactAfter { trigger: text(fields, "trigger"), summary: text(fields, "compact_summary") })
}

/// The host notifies the user.
///
/// # Errors
/// When the payload is not an object.
pub fn notification(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    Ok(HostEventData::Notification {
        kind: text(fields, "notification_type"),
        title: fields.get("title").and_then(Value::as_str).map(str::to_owned),
        message: text(fields, "message"),
    })
}

/// An event without a canonical counterpart.
///
/// # Errors
/// When the payload is not an object.
pub fn other_event(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    object(payload).map(|_| HostEventData::Other)
}

fn parse_call(fields: &Map<String, Value>) -> Result<HostToolCall, HostPayloadError> {
    let name = required_text(fields, "tool_name")?;
    if name.is_empty() {
        return Err(HostPayloadError(String::from("`tool_name` is empty")));
    }
    let input = fields.get("tool_input").cloned();
    let input = input.ok_or_else(|| HostPayloadError(String::from("`tool_input` is missing")))?;
    Ok(HostToolCall { id: text(fields, "tool_use_id"), name, input })
}
