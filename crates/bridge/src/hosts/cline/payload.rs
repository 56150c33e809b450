//! Reads payloads in Cline's format.

use serde_json::{Map, Value};

use crate::hosts::fields::{non_empty_text, object, required_json, required_text, text, value};
use crate::{HostEventContext, HostEventData, HostPayloadError, HostToolCall};

pub(super) fn event_context(payload: &Value) -> Result<HostEventContext, HostPayloadError> {
    let fields = object(payload)?;
    let root = fields.get("workspaceRoots").and_then(Value::as_array).and_then(|roots| roots.first());
    // Every agent has an ID; only a subagent also has its parent's ID.
    let run = non_empty_text(fields, "parent_agent_id").map(|_| text(fields, "agent_id"));
    Ok(HostEventContext {
        session: text(fields, "taskId"),
        run: run.unwrap_or_default(),
        cwd: root.and_then(Value::as_str).unwrap_or_default().to_owned(),
        ..HostEventContext::default()
    })
}

pub(super) fn session_start(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    object(payload).map(|_| HostEventData::SessionStart { source: String::from("startup") })
}

pub(super) fn session_resume(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    object(payload).map(|_| HostEventData::SessionStart { source: String::from("resume") })
}

pub(super) fn session_end(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    object(payload).map(|_| HostEventData::SessionEnd { reason: String::from("exit") })
}

pub(super) fn prompt(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    let inner = fields.get("userPromptSubmit").or_else(|| fields.get("user_prompt_submit"));
    let prompt = inner.unwrap_or(payload).get("prompt").and_then(Value::as_str);
    let text = prompt.ok_or_else(|| HostPayloadError(String::from("`prompt` is missing or is not a string")))?;
    Ok(HostEventData::Prompt { text: text.to_owned(), source: None })
}

pub(super) fn before_tool(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    parse_call(fields, "tool_call", "preToolUse").map(HostEventData::BeforeTool)
}

pub(super) fn after_tool(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    let result = fields.get("tool_result");
    let response = match result.and_then(|result| result.get("output")) {
        Some(output) => output.clone(),
        None => fields.get("postToolUse").and_then(|told| told.get("result")).cloned().unwrap_or(Value::Null),
    };
    let success = fields.get("postToolUse").and_then(|told| told.get("success")).and_then(Value::as_bool);
    let failed = result.and_then(|result| result.get("error")).is_some_and(|error| !error.is_null());
    Ok(HostEventData::AfterTool {
        call: parse_call(fields, "tool_result", "postToolUse")?,
        response,
        is_error: failed || success == Some(false),
        duration_ms: result.and_then(|result| result.get("durationMs")).and_then(Value::as_u64),
    })
}

pub(super) fn complete(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let turn = object(payload)?.get("turn");
    let answer = turn.and_then(|turn| turn.get("outputText")).and_then(Value::as_str).unwrap_or_default();
    Ok(HostEventData::Stop { answer: answer.to_owned(), is_continuation: false })
}

pub(super) fn agent_error(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let error = value(object(payload)?, "error");
    let of = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    Ok(HostEventData::AgentError { kind: of("name"), message: of("message"), is_retryable: false })
}

pub(super) fn other_event(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    object(payload).map(|_| HostEventData::Other)
}

/// The tool call as the model made it; an older part of the payload has all arguments as strings.
fn parse_call(fields: &Map<String, Value>, newer: &str, older: &str) -> Result<HostToolCall, HostPayloadError> {
    if let Some(call) = fields.get(newer).and_then(Value::as_object) {
        return Ok(HostToolCall {
            id: text(call, "id"),
            name: required_text(call, "name")?,
            input: required_json(call, "input")?,
        });
    }
    let told = fields.get(older).and_then(Value::as_object);
    let told = told.ok_or_else(|| HostPayloadError(format!("`{newer}` and `{older}` are missing")))?;
    Ok(HostToolCall {
        id: String::new(),
        name: required_text(told, "toolName")?,
        input: required_json(told, "parameters")?,
    })
}
