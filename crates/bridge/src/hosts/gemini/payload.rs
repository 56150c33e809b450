//! Reads payloads that are specific to Gemini CLI.

use serde_json::Value;

use crate::hosts::fields::{object, text};
use crate::hosts::hook_json::hook_payload;
use crate::{HostEventContext, HostEventData, HostPayloadError, HostToolCall};

/// The session, turn and agent of a payload. Only model events contain the model.
pub(super) fn event_context(payload: &Value) -> Result<HostEventContext, HostPayloadError> {
    let model = payload.pointer("/llm_request/model").and_then(Value::as_str).map(str::to_owned);
    let whose = hook_payload::event_context(payload)?;
    Ok(HostEventContext { model: whose.model.or(model), ..whose })
}

/// A tool is about to run. A tool of an MCP server is named by server and tool if both are known.
pub(super) fn before_tool(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    match hook_payload::before_tool(payload)? {
        HostEventData::BeforeTool(call) => Ok(HostEventData::BeforeTool(canonical_mcp_call(payload, call))),
        moment => Ok(moment),
    }
}

/// A tool returned its result: the text for the model, or the error.
pub(super) fn after_tool(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let told = |response: &Value, name: &str| response.get(name).filter(|value| !value.is_null()).cloned();
    match hook_payload::after_tool(payload)? {
        HostEventData::AfterTool { call, response, duration_ms, .. } => {
            let error = told(&response, "error");
            let is_error = error.is_some();
            let response = told(&response, "llmContent").or(error).unwrap_or(response);
            Ok(HostEventData::AfterTool { call: canonical_mcp_call(payload, call), response, is_error, duration_ms })
        }
        moment => Ok(moment),
    }
}

/// The agent is about to return its answer.
pub(super) fn stop(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    match hook_payload::stop(payload)? {
        HostEventData::Stop { is_continuation: continued, .. } => {
            Ok(HostEventData::Stop { answer: text(object(payload)?, "prompt_response"), is_continuation: continued })
        }
        moment => Ok(moment),
    }
}

pub(super) fn before_model(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let request = object(payload)?.get("llm_request").cloned().unwrap_or_default();
    Ok(HostEventData::Model { request, response: Value::Null })
}

/// A part of the model's response arrived.
pub(super) fn after_model(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    let [request, response] = ["llm_request", "llm_response"].map(|name| fields.get(name).cloned().unwrap_or_default());
    Ok(HostEventData::Model { request, response })
}

/// A call under its canonical name if it is one of an MCP server: the name alone does not show where the server's name
/// ends.
fn canonical_mcp_call(payload: &Value, call: HostToolCall) -> HostToolCall {
    let told = |name: &str| payload.get("mcp_context").and_then(|context| context.get(name)).and_then(Value::as_str);
    match (told("server_name"), told("tool_name")) {
        (Some(server), Some(tool)) if !server.is_empty() && !tool.is_empty() => {
            HostToolCall { name: format!("mcp__{server}__{tool}"), ..call }
        }
        _ => call,
    }
}
