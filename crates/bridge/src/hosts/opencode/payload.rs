//! Reads payloads as the plugin sends them: the two objects that OpenCode gives to its hook, and the session.

use serde_json::{Map, Value};

use crate::hosts::fields::{non_empty_text, object, required_json, required_text, text, value};
use crate::{HostEventContext, HostEventData, HostPayloadError, HostToolCall};

pub(super) fn event_context(payload: &Value) -> Result<HostEventContext, HostPayloadError> {
    let fields = object(payload)?;
    let input = inner(fields, "input");
    let session = non_empty_text(fields, "sessionID").unwrap_or_else(|| text(&input, "sessionID"));
    let root = non_empty_text(fields, "rootID").unwrap_or_else(|| session.clone());
    let model = ["modelID", "id"].into_iter().find_map(|name| non_empty_text(&inner(&input, "model"), name));
    Ok(HostEventContext {
        run: if root == session { String::new() } else { session },
        session: root,
        cwd: text(fields, "directory"),
        model,
        ..HostEventContext::default()
    })
}

pub(super) fn session_created(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    // A subagent's session is part of its parent's.
    let is_subagent = !event_context(payload)?.run.is_empty();
    let started = HostEventData::SessionStart { source: String::from("startup") };
    Ok(if is_subagent { HostEventData::Other } else { started })
}

pub(super) fn session_deleted(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let is_subagent = !event_context(payload)?.run.is_empty();
    let ended = HostEventData::SessionEnd { reason: String::from("clear") };
    Ok(if is_subagent { HostEventData::Other } else { ended })
}

/// The texts of a prompt. A subagent's prompt is its task, which the event of its tool has already reported.
pub(super) fn prompt(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    if !event_context(payload)?.run.is_empty() {
        return Ok(HostEventData::Other);
    }
    let parts = required_json(&inner(object(payload)?, "output"), "parts")?;
    let parts = parts.as_array().ok_or_else(|| HostPayloadError(String::from("`parts` is not a list")))?;
    let texts: Vec<&str> = parts.iter().filter_map(|part| part.get("text")?.as_str()).collect();
    Ok(HostEventData::Prompt { text: texts.join("\n"), source: None })
}

pub(super) fn before_tool(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    parse_call(&inner(fields, "input"), &inner(fields, "output")).map(HostEventData::BeforeTool)
}

pub(super) fn after_tool(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    let (input, output) = (inner(fields, "input"), inner(fields, "output"));
    let response = ["output", "content"].into_iter().map(|name| value(&output, name)).find(|found| !found.is_null());
    Ok(HostEventData::AfterTool {
        call: parse_call(&input, &input)?,
        response: response.unwrap_or_default(),
        is_error: false,
        duration_ms: None,
    })
}

/// OpenCode is about to ask the user. It sends the patterns that it asks about, and what the tool adds to them.
pub(super) fn permission(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let asked = inner(object(payload)?, "input");
    let name = non_empty_text(&asked, "permission").map_or_else(|| required_text(&asked, "type"), Ok)?;
    let mut input = inner(&asked, "metadata");
    let patterns = ["patterns", "pattern"].into_iter().find_map(|name| asked.get(name)).cloned().unwrap_or_default();
    let shown = match &patterns {
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n"),
        one => one.as_str().unwrap_or_default().to_owned(),
    };
    let field = match name.as_str() {
        "bash" => "command",
        "webfetch" => "url",
        _ => "filePath",
    };
    input.entry(field).or_insert(Value::from(shown));
    let id = non_empty_text(&asked, "callID").unwrap_or_else(|| text(&inner(&asked, "tool"), "callID"));
    Ok(HostEventData::BeforeTool(HostToolCall { id, name, input: Value::Object(input) }))
}

pub(super) fn compacting(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    object(payload).map(|_| HostEventData::CompactBefore { trigger: String::from("auto"), instructions: None })
}

pub(super) fn compacted(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    object(payload).map(|_| HostEventData::CompactAfter { trigger: String::from("auto"), summary: String::new() })
}

/// A session finished its turn, or a subagent its task.
pub(super) fn idle(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let answer = text(&inner(object(payload)?, "output"), "text");
    let id = event_context(payload)?.run;
    Ok(match id.is_empty() {
        true => HostEventData::Stop { answer, is_continuation: false },
        false => HostEventData::SubagentStop { agent: String::new(), id, answer, is_continuation: false },
    })
}

pub(super) fn session_error(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let error = inner(&inner(object(payload)?, "input"), "error");
    let message = text(&inner(&error, "data"), "message");
    Ok(HostEventData::AgentError { kind: text(&error, "name"), message, is_retryable: false })
}

pub(super) fn permission_asked(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let message = text(&inner(object(payload)?, "input"), "title");
    Ok(HostEventData::Notification { kind: String::from("permission"), title: None, message })
}

pub(super) fn before_model(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let request = Value::Object(inner(object(payload)?, "output"));
    Ok(HostEventData::Model { request, response: Value::Null })
}

pub(super) fn other_event(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    object(payload).map(|_| HostEventData::Other)
}

/// An object in another one; empty if it is missing.
fn inner(fields: &Map<String, Value>, name: &str) -> Map<String, Value> {
    fields.get(name).and_then(Value::as_object).cloned().unwrap_or_default()
}

fn parse_call(input: &Map<String, Value>, holder: &Map<String, Value>) -> Result<HostToolCall, HostPayloadError> {
    let (id, name) = (text(input, "callID"), required_text(input, "tool")?);
    Ok(HostToolCall { id, name, input: required_json(holder, "args")? })
}
