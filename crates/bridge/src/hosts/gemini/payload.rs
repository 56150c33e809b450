//! Payloads that Gemini CLI spells in its own way.

use serde_json::Value;

use crate::hosts::fields::{object, text};
use crate::hosts::hook_json::read;
use crate::{Call, Moment, Unreadable, Whose};

/// Whose life it is about. The model is told where one is called.
pub(super) fn whose(payload: &Value) -> Result<Whose, Unreadable> {
    let model = payload.pointer("/llm_request/model").and_then(Value::as_str).map(str::to_owned);
    let whose = read::whose(payload)?;
    Ok(Whose { model: whose.model.or(model), ..whose })
}

/// A tool is about to run. The tool of an MCP server is named by the server and the tool, where both are told.
pub(super) fn before_tool(payload: &Value) -> Result<Moment, Unreadable> {
    match read::before_tool(payload)? {
        Moment::BeforeTool(call) => Ok(Moment::BeforeTool(served(payload, call))),
        moment => Ok(moment),
    }
}

/// A tool gave its result: what the model is shown of it, or the error.
pub(super) fn after_tool(payload: &Value) -> Result<Moment, Unreadable> {
    let told = |response: &Value, name: &str| response.get(name).filter(|value| !value.is_null()).cloned();
    match read::after_tool(payload)? {
        Moment::AfterTool { call, response, duration_ms, .. } => {
            let error = told(&response, "error");
            let is_error = error.is_some();
            let response = told(&response, "llmContent").or(error).unwrap_or(response);
            Ok(Moment::AfterTool { call: served(payload, call), response, is_error, duration_ms })
        }
        moment => Ok(moment),
    }
}

/// The agent is about to give its answer.
pub(super) fn stop(payload: &Value) -> Result<Moment, Unreadable> {
    match read::stop(payload)? {
        Moment::Stop { continued, .. } => {
            Ok(Moment::Stop { answer: text(object(payload)?, "prompt_response"), continued })
        }
        moment => Ok(moment),
    }
}

/// A model is about to be called.
pub(super) fn before_model(payload: &Value) -> Result<Moment, Unreadable> {
    let request = object(payload)?.get("llm_request").cloned().unwrap_or_default();
    Ok(Moment::Model { request, response: Value::Null })
}

/// A piece of a model's answer came.
pub(super) fn after_model(payload: &Value) -> Result<Moment, Unreadable> {
    let fields = object(payload)?;
    let [request, response] = ["llm_request", "llm_response"].map(|name| fields.get(name).cloned().unwrap_or_default());
    Ok(Moment::Model { request, response })
}

/// A call under its canonical name when it is one of an MCP server: the name alone does not say where that of the server
/// ends.
fn served(payload: &Value, call: Call) -> Call {
    let told = |name: &str| payload.get("mcp_context").and_then(|context| context.get(name)).and_then(Value::as_str);
    match (told("server_name"), told("tool_name")) {
        (Some(server), Some(tool)) if !server.is_empty() && !tool.is_empty() => {
            Call { name: format!("mcp__{server}__{tool}"), ..call }
        }
        _ => call,
    }
}
