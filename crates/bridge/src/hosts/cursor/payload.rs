//! Reads payloads in Cursor's format.

use serde_json::{Map, Value, json};

use crate::hosts::fields::{non_empty_text, object, required_json, required_text, text};
use crate::{HostEventContext, HostEventData, HostPayloadError, HostToolCall};

pub(super) fn event_context(payload: &Value) -> Result<HostEventContext, HostPayloadError> {
    let fields = object(payload)?;
    let root = fields.get("workspace_roots").and_then(Value::as_array).and_then(|roots| roots.first());
    let root = || root.and_then(Value::as_str).unwrap_or_default().to_owned();
    Ok(HostEventContext {
        session: non_empty_text(fields, "conversation_id").unwrap_or_else(|| text(fields, "session_id")),
        cwd: non_empty_text(fields, "cwd").unwrap_or_else(root),
        transcript_path: non_empty_text(fields, "transcript_path"),
        turn_id: non_empty_text(fields, "generation_id"),
        model: non_empty_text(fields, "model"),
        ..HostEventContext::default()
    })
}

pub(super) fn session_start(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    object(payload).map(|_| HostEventData::SessionStart { source: String::from("startup") })
}

pub(super) fn session_end(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    Ok(HostEventData::SessionEnd { reason: text(object(payload)?, "reason") })
}

pub(super) fn prompt(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let prompt = object(payload)?.get("prompt").and_then(Value::as_str);
    let text = prompt.ok_or_else(|| HostPayloadError(String::from("`prompt` is missing or is not a string")))?;
    Ok(HostEventData::Prompt { text: text.to_owned(), source: None })
}

pub(super) fn before_tool(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    parse_call(object(payload)?).map(HostEventData::BeforeTool)
}

pub(super) fn before_shell(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    parse_shell_call(object(payload)?).map(HostEventData::BeforeTool)
}

pub(super) fn before_mcp_tool(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    parse_mcp_call(object(payload)?).map(HostEventData::BeforeTool)
}

pub(super) fn after_shell(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    Ok(after_call(fields, parse_shell_call(fields)?, Value::from(text(fields, "output"))))
}

pub(super) fn after_mcp_tool(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    Ok(after_call(fields, parse_mcp_call(fields)?, required_json(fields, "result_json").unwrap_or_default()))
}

fn after_call(fields: &Map<String, Value>, call: HostToolCall, response: Value) -> HostEventData {
    let duration_ms = fields.get("duration").and_then(Value::as_u64);
    HostEventData::AfterTool { call, response, is_error: false, duration_ms }
}

pub(super) fn file_edited(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    Ok(HostEventData::FileEdited { path: required_text(object(payload)?, "file_path")? })
}

pub(super) fn before_read(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    let input = json!({"file_path": required_text(fields, "file_path")?});
    Ok(HostEventData::BeforeTool(HostToolCall { id: String::new(), name: String::from("Read"), input }))
}

pub(super) fn after_tool(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    let duration = fields.get("duration").or_else(|| fields.get("duration_ms"));
    Ok(HostEventData::AfterTool {
        call: parse_call(fields)?,
        response: required_json(fields, "tool_output").unwrap_or(Value::Null),
        is_error: false,
        duration_ms: duration.and_then(Value::as_u64),
    })
}

pub(super) fn failed_tool(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    let response = Value::from(text(fields, "error_message"));
    let duration_ms = fields.get("duration").and_then(Value::as_u64);
    Ok(HostEventData::AfterTool { call: parse_call(fields)?, response, is_error: true, duration_ms })
}

pub(super) fn subagent_start(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    let [agent, id, task] = ["subagent_type", "subagent_id", "task"].map(|name| text(fields, name));
    Ok(HostEventData::SubagentStart { agent, id, task })
}

pub(super) fn subagent_stop(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    let [agent, id, answer] = ["subagent_type", "subagent_id", "summary"].map(|name| text(fields, name));
    Ok(HostEventData::SubagentStop { agent, id, answer, is_continuation: is_continuation(fields) })
}

pub(super) fn stop(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    Ok(HostEventData::Stop { answer: String::new(), is_continuation: is_continuation(fields) })
}

pub(super) fn compact_before(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    Ok(HostEventData::CompactBefore { trigger: text(object(payload)?, "trigger"), instructions: None })
}

pub(super) fn other_event(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    object(payload).map(|_| HostEventData::Other)
}

/// Whether a hook already made the agent continue in this turn.
fn is_continuation(fields: &Map<String, Value>) -> bool {
    fields.get("loop_count").and_then(Value::as_u64).is_some_and(|count| count > 0)
}

/// A shell command, without a tool name.
fn parse_shell_call(fields: &Map<String, Value>) -> Result<HostToolCall, HostPayloadError> {
    let input = json!({"command": required_text(fields, "command")?, "cwd": text(fields, "cwd")});
    Ok(HostToolCall { id: text(fields, "tool_use_id"), name: String::from("Shell"), input })
}

/// A tool of an MCP server, without the mark of its name, and whose input is a string.
fn parse_mcp_call(fields: &Map<String, Value>) -> Result<HostToolCall, HostPayloadError> {
    let name = required_text(fields, "tool_name")?;
    let name = if name.starts_with("MCP:") { name } else { format!("MCP:{name}") };
    Ok(HostToolCall { id: text(fields, "tool_use_id"), name, input: required_json(fields, "tool_input")? })
}

fn parse_call(fields: &Map<String, Value>) -> Result<HostToolCall, HostPayloadError> {
    let (id, name) = (text(fields, "tool_use_id"), required_text(fields, "tool_name")?);
    Ok(HostToolCall { id, name, input: required_json(fields, "tool_input")? })
}
