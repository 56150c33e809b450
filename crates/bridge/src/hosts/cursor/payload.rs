//! Payloads in Cursor's form.

use serde_json::{Map, Value, json};

use crate::hosts::fields::{decoded, needed, object, said, text};
use crate::{Call, Moment, Unreadable, Whose};

pub(super) fn whose(payload: &Value) -> Result<Whose, Unreadable> {
    let fields = object(payload)?;
    let root = fields.get("workspace_roots").and_then(Value::as_array).and_then(|roots| roots.first());
    let root = || root.and_then(Value::as_str).unwrap_or_default().to_owned();
    Ok(Whose {
        session: said(fields, "conversation_id").unwrap_or_else(|| text(fields, "session_id")),
        cwd: said(fields, "cwd").unwrap_or_else(root),
        transcript_path: said(fields, "transcript_path"),
        turn_id: said(fields, "generation_id"),
        model: said(fields, "model"),
        ..Whose::default()
    })
}

pub(super) fn session_start(payload: &Value) -> Result<Moment, Unreadable> {
    object(payload).map(|_| Moment::SessionStart { source: String::from("startup") })
}

pub(super) fn session_end(payload: &Value) -> Result<Moment, Unreadable> {
    Ok(Moment::SessionEnd { reason: text(object(payload)?, "reason") })
}

pub(super) fn prompt(payload: &Value) -> Result<Moment, Unreadable> {
    let prompt = object(payload)?.get("prompt").and_then(Value::as_str);
    let text = prompt.ok_or_else(|| Unreadable(String::from("`prompt` is missing, or is no text")))?;
    Ok(Moment::Prompt { text: text.to_owned(), source: None })
}

pub(super) fn before_tool(payload: &Value) -> Result<Moment, Unreadable> {
    call(object(payload)?).map(Moment::BeforeTool)
}

/// A shell command, which comes without the tool's name.
pub(super) fn before_shell(payload: &Value) -> Result<Moment, Unreadable> {
    let fields = object(payload)?;
    let input = json!({"command": needed(fields, "command")?, "cwd": text(fields, "cwd")});
    Ok(Moment::BeforeTool(Call { id: text(fields, "tool_use_id"), name: String::from("Shell"), input }))
}

/// A tool of an MCP server, whose input is a text.
pub(super) fn before_server(payload: &Value) -> Result<Moment, Unreadable> {
    let fields = object(payload)?;
    let name = needed(fields, "tool_name")?;
    let name = if name.starts_with("MCP:") { name } else { format!("MCP:{name}") };
    Ok(Moment::BeforeTool(Call { id: text(fields, "tool_use_id"), name, input: decoded(fields, "tool_input")? }))
}

pub(super) fn before_read(payload: &Value) -> Result<Moment, Unreadable> {
    let fields = object(payload)?;
    let input = json!({"file_path": needed(fields, "file_path")?});
    Ok(Moment::BeforeTool(Call { id: String::new(), name: String::from("Read"), input }))
}

pub(super) fn after_tool(payload: &Value) -> Result<Moment, Unreadable> {
    let fields = object(payload)?;
    let duration = fields.get("duration").or_else(|| fields.get("duration_ms"));
    Ok(Moment::AfterTool {
        call: call(fields)?,
        response: decoded(fields, "tool_output").unwrap_or(Value::Null),
        is_error: false,
        duration_ms: duration.and_then(Value::as_u64),
    })
}

pub(super) fn failed_tool(payload: &Value) -> Result<Moment, Unreadable> {
    let fields = object(payload)?;
    let response = Value::from(text(fields, "error_message"));
    let duration_ms = fields.get("duration").and_then(Value::as_u64);
    Ok(Moment::AfterTool { call: call(fields)?, response, is_error: true, duration_ms })
}

pub(super) fn subagent_start(payload: &Value) -> Result<Moment, Unreadable> {
    let fields = object(payload)?;
    let [agent, id, task] = ["subagent_type", "subagent_id", "task"].map(|name| text(fields, name));
    Ok(Moment::SubagentStart { agent, id, task })
}

pub(super) fn subagent_stop(payload: &Value) -> Result<Moment, Unreadable> {
    let fields = object(payload)?;
    let [agent, id, answer] = ["subagent_type", "subagent_id", "summary"].map(|name| text(fields, name));
    Ok(Moment::SubagentStop { agent, id, answer, continued: is_continued(fields) })
}

pub(super) fn stop(payload: &Value) -> Result<Moment, Unreadable> {
    let fields = object(payload)?;
    Ok(Moment::Stop { answer: String::new(), continued: is_continued(fields) })
}

pub(super) fn compact_before(payload: &Value) -> Result<Moment, Unreadable> {
    Ok(Moment::CompactBefore { trigger: text(object(payload)?, "trigger"), instructions: None })
}

pub(super) fn other(payload: &Value) -> Result<Moment, Unreadable> {
    object(payload).map(|_| Moment::Other)
}

/// Whether a hook already sent the agent on in this turn.
fn is_continued(fields: &Map<String, Value>) -> bool {
    fields.get("loop_count").and_then(Value::as_u64).is_some_and(|count| count > 0)
}

fn call(fields: &Map<String, Value>) -> Result<Call, Unreadable> {
    let (id, name) = (text(fields, "tool_use_id"), needed(fields, "tool_name")?);
    Ok(Call { id, name, input: decoded(fields, "tool_input")? })
}
