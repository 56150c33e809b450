//! Payloads in Copilot's own form.

use serde_json::{Map, Value};

use crate::hosts::fields::{decoded, flag, needed, object, said, text, value};
use crate::hosts::hook_json::read;
use crate::{Call, Moment, Unreadable, Whose};

pub(super) fn whose(payload: &Value) -> Result<Whose, Unreadable> {
    let fields = object(payload)?;
    // Calls of a subagent come with a session of its own and its id; its parent's id says that it is one.
    let run = said(fields, "parentAgentId").map(|_| text(fields, "agentId"));
    Ok(Whose {
        session: text(fields, "sessionId"),
        agent: text(fields, "agentType"),
        run: run.or_else(|| said(fields, "agentId")).unwrap_or_default(),
        cwd: text(fields, "cwd"),
        transcript_path: said(fields, "transcriptPath"),
        ..Whose::default()
    })
}

pub(super) fn session_start(payload: &Value) -> Result<Moment, Unreadable> {
    let source = text(object(payload)?, "source");
    // What other agents call `startup` is `new` here.
    Ok(Moment::SessionStart { source: if source == "new" { String::from("startup") } else { source } })
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
    call(object(payload)?, "toolArgs").map(Moment::BeforeTool)
}

pub(super) fn permission(payload: &Value) -> Result<Moment, Unreadable> {
    let fields = object(payload)?;
    call(fields, if fields.contains_key("toolInput") { "toolInput" } else { "toolArgs" }).map(Moment::BeforeTool)
}

pub(super) fn after_tool(payload: &Value) -> Result<Moment, Unreadable> {
    let fields = object(payload)?;
    let result = value(fields, "toolResult");
    let kind = result.get("resultType").and_then(Value::as_str).unwrap_or("success");
    let is_error = kind != "success";
    // Hooks get what the model gets.
    let response = result.get("textResultForLlm").cloned().unwrap_or(result);
    Ok(Moment::AfterTool { call: call(fields, "toolArgs")?, response, is_error, duration_ms: None })
}

pub(super) fn failed_tool(payload: &Value) -> Result<Moment, Unreadable> {
    let fields = object(payload)?;
    let response = fields.get("error").map(|error| error.get("message").unwrap_or(error).clone());
    let response = response.unwrap_or_else(|| value(fields, "toolResult"));
    Ok(Moment::AfterTool { call: call(fields, "toolArgs")?, response, is_error: true, duration_ms: None })
}

/// A tool is about to run, in Claude Code's spelling or in Copilot's own.
pub(super) fn any_before_tool(payload: &Value) -> Result<Moment, Unreadable> {
    if is_own(payload) { before_tool(payload) } else { read::before_tool(payload) }
}

/// A user is about to be asked, in either spelling.
pub(super) fn any_permission(payload: &Value) -> Result<Moment, Unreadable> {
    if is_own(payload) { permission(payload) } else { read::before_tool(payload) }
}

/// A tool gave its result, in either spelling.
pub(super) fn any_after_tool(payload: &Value) -> Result<Moment, Unreadable> {
    if is_own(payload) {
        return after_tool(payload);
    }
    match read::after_tool(payload)? {
        Moment::AfterTool { call, response, is_error, duration_ms } => {
            let result = payload.get("tool_result").cloned().unwrap_or(response);
            let field = |names: [&str; 2]| names.into_iter().find_map(|name| result.get(name)).cloned();
            let kind = field(["result_type", "resultType"]);
            let is_error = is_error || kind.is_some_and(|kind| kind != "success");
            // Hooks get what the model gets.
            let response = field(["text_result_for_llm", "textResultForLlm"]).unwrap_or(result);
            Ok(Moment::AfterTool { call, response, is_error, duration_ms })
        }
        moment => Ok(moment),
    }
}

/// A tool failed, in either spelling.
pub(super) fn any_failed_tool(payload: &Value) -> Result<Moment, Unreadable> {
    if is_own(payload) { failed_tool(payload) } else { read::failed_tool(payload) }
}

/// Whether a payload is in Copilot's own spelling.
fn is_own(payload: &Value) -> bool {
    payload.get("toolName").is_some()
}

pub(super) fn stop(payload: &Value) -> Result<Moment, Unreadable> {
    let fields = object(payload)?;
    Ok(Moment::Stop { answer: text(fields, "response"), continued: flag(fields, "stop_hook_active") })
}

pub(super) fn subagent_start(payload: &Value) -> Result<Moment, Unreadable> {
    let fields = object(payload)?;
    Ok(Moment::SubagentStart { agent: text(fields, "agentName"), id: text(fields, "agentId"), task: String::new() })
}

pub(super) fn subagent_stop(payload: &Value) -> Result<Moment, Unreadable> {
    let fields = object(payload)?;
    let [agent, id, answer] = ["agentName", "agentId", "response"].map(|name| text(fields, name));
    Ok(Moment::SubagentStop { agent, id, answer, continued: flag(fields, "stop_hook_active") })
}

pub(super) fn compact_before(payload: &Value) -> Result<Moment, Unreadable> {
    let fields = object(payload)?;
    Ok(Moment::CompactBefore { trigger: text(fields, "trigger"), instructions: said(fields, "customInstructions") })
}

pub(super) fn notification(payload: &Value) -> Result<Moment, Unreadable> {
    let fields = object(payload)?;
    let kind = text(fields, "notification_type");
    Ok(Moment::Notification { kind, title: said(fields, "title"), message: text(fields, "message") })
}

pub(super) fn failed(payload: &Value) -> Result<Moment, Unreadable> {
    let fields = object(payload)?;
    let message = fields.get("error").and_then(|error| error.get("message")).and_then(Value::as_str);
    Ok(Moment::Failed { kind: text(fields, "errorContext"), message: message.unwrap_or_default().to_owned() })
}

pub(super) fn other(payload: &Value) -> Result<Moment, Unreadable> {
    object(payload).map(|_| Moment::Other)
}

fn call(fields: &Map<String, Value>, input: &str) -> Result<Call, Unreadable> {
    Ok(Call { id: text(fields, "toolCallId"), name: needed(fields, "toolName")?, input: decoded(fields, input)? })
}
