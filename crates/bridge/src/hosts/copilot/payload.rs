//! Reads payloads in Copilot's own format.

use serde_json::{Map, Value};

use crate::hosts::fields::{flag, non_empty_text, object, required_json, required_text, text, value};
use crate::hosts::hook_json::hook_payload;
use crate::{HostEventContext, HostEventData, HostPayloadError, HostToolCall};

pub(super) fn event_context(payload: &Value) -> Result<HostEventContext, HostPayloadError> {
    let fields = object(payload)?;
    // Calls of a subagent have their own session and agent ID; the parent's ID marks a subagent.
    let run = non_empty_text(fields, "parentAgentId").map(|_| text(fields, "agentId"));
    Ok(HostEventContext {
        session: text(fields, "sessionId"),
        agent: text(fields, "agentType"),
        run: run.or_else(|| non_empty_text(fields, "agentId")).unwrap_or_default(),
        cwd: text(fields, "cwd"),
        transcript_path: non_empty_text(fields, "transcriptPath"),
        ..HostEventContext::default()
    })
}

pub(super) fn session_start(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let source = text(object(payload)?, "source");
    // Copilot's `new` is `startup` in other agents.
    Ok(HostEventData::SessionStart { source: if source == "new" { String::from("startup") } else { source } })
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
    parse_call(object(payload)?, "toolArgs").map(HostEventData::BeforeTool)
}

pub(super) fn permission(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    parse_call(fields, if fields.contains_key("toolInput") { "toolInput" } else { "toolArgs" })
        .map(HostEventData::BeforeTool)
}

pub(super) fn after_tool(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    let result = value(fields, "toolResult");
    let kind = result.get("resultType").and_then(Value::as_str).unwrap_or("success");
    let is_error = kind != "success";
    // Hooks get the same text as the model.
    let response = result.get("textResultForLlm").cloned().unwrap_or(result);
    Ok(HostEventData::AfterTool { call: parse_call(fields, "toolArgs")?, response, is_error, duration_ms: None })
}

pub(super) fn failed_tool(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    let response = fields.get("error").map(|error| error.get("message").unwrap_or(error).clone());
    let response = response.unwrap_or_else(|| value(fields, "toolResult"));
    Ok(HostEventData::AfterTool { call: parse_call(fields, "toolArgs")?, response, is_error: true, duration_ms: None })
}

/// A tool is about to run, in either format.
pub(super) fn any_before_tool(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    if is_native_payload(payload) { before_tool(payload) } else { hook_payload::before_tool(payload) }
}

/// The host is about to ask the user, in either format.
pub(super) fn any_permission(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    if is_native_payload(payload) { permission(payload) } else { hook_payload::before_tool(payload) }
}

/// A tool returned its result, in either format.
pub(super) fn any_after_tool(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    if is_native_payload(payload) {
        return after_tool(payload);
    }
    match hook_payload::after_tool(payload)? {
        HostEventData::AfterTool { call, response, is_error, duration_ms } => {
            let result = payload.get("tool_result").cloned().unwrap_or(response);
            let field = |names: [&str; 2]| names.into_iter().find_map(|name| result.get(name)).cloned();
            let kind = field(["result_type", "resultType"]);
            let is_error = is_error || kind.is_some_and(|kind| kind != "success");
            // Hooks get the same text as the model.
            let response = field(["text_result_for_llm", "textResultForLlm"]).unwrap_or(result);
            Ok(HostEventData::AfterTool { call, response, is_error, duration_ms })
        }
        moment => Ok(moment),
    }
}

/// A tool failed, in either format.
pub(super) fn any_failed_tool(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    if is_native_payload(payload) { failed_tool(payload) } else { hook_payload::failed_tool(payload) }
}

/// Whether a payload is in Copilot's own format.
fn is_native_payload(payload: &Value) -> bool {
    payload.get("toolName").is_some()
}

pub(super) fn stop(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    Ok(HostEventData::Stop { answer: text(fields, "response"), is_continuation: flag(fields, "stop_hook_active") })
}

pub(super) fn subagent_start(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    Ok(HostEventData::SubagentStart {
        agent: text(fields, "agentName"),
        id: text(fields, "agentId"),
        task: String::new(),
    })
}

pub(super) fn subagent_stop(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    let [agent, id, answer] = ["agentName", "agentId", "response"].map(|name| text(fields, name));
    Ok(HostEventData::SubagentStop { agent, id, answer, is_continuation: flag(fields, "stop_hook_active") })
}

pub(super) fn compact_before(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    Ok(HostEventData::CompactBefore {
        trigger: text(fields, "trigger"),
        instructions: non_empty_text(fields, "customInstructions"),
    })
}

pub(super) fn notification(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    let kind = text(fields, "notification_type");
    Ok(HostEventData::Notification { kind, title: non_empty_text(fields, "title"), message: text(fields, "message") })
}

pub(super) fn agent_error(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    let message = fields.get("error").and_then(|error| error.get("message")).and_then(Value::as_str);
    let kind = text(fields, "errorContext");
    Ok(HostEventData::AgentError {
        kind: match kind.as_str() {
            "model_call" => String::from("model"),
            "tool_execution" => String::from("tool"),
            _ => kind,
        },
        message: message.unwrap_or_default().to_owned(),
        is_retryable: flag(fields, "recoverable"),
    })
}

pub(super) fn other_event(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    object(payload).map(|_| HostEventData::Other)
}

fn parse_call(fields: &Map<String, Value>, input: &str) -> Result<HostToolCall, HostPayloadError> {
    Ok(HostToolCall {
        id: text(fields, "toolCallId"),
        name: required_text(fields, "toolName")?,
        input: required_json(fields, input)?,
    })
}
