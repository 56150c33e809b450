//! The `meta.call_tool` function: a script calls a tool, with all events of a tool call.

use pintle_host::contract::EffectCaller;
use pintle_host::event::MetaPayload;
use serde_json::{Value, json};

use super::{fire_meta_event, require_enabled};
use crate::tools::{RequestedToolCall, dispatch};
use crate::turn_context::TurnContext;

/// Calls a tool for a script. A denial is the result, as it is for a model.
///
/// # Errors
/// When the script may not call the tool, or calls are nested too deeply.
pub(crate) fn call_tool(
    turn: &TurnContext,
    caller: EffectCaller<'_>,
    name: &str,
    arguments: Value,
    call_depth: u32,
) -> Result<Value, String> {
    let error = |reason: String| format!("meta.call_tool: {reason}");
    check_call_allowed(turn, caller, name).map_err(error)?;
    let shared = &turn.agent.shared;
    if call_depth >= shared.meta.max_call_depth {
        return Err(error(format!("calls are nested more than {} deep", shared.meta.max_call_depth)));
    }
    let text = arguments.to_string();
    let payload = MetaPayload {
        name: name.to_owned(),
        arguments: Some(text.clone()),
        args: Some(arguments),
        ..MetaPayload::default()
    };
    if let Err(refusal) = fire_meta_event(turn, "meta.call_tool", &payload) {
        return Ok(json!({"content": refusal, "is_error": true, "result": refusal}));
    }
    let id = shared.unique_name(&format!("meta-call-{name}"));
    let called = dispatch(turn, &RequestedToolCall { id: &id, name, arguments: &text });
    let result = called.result;
    Ok(json!({"content": result.content, "is_error": result.is_error, "result": result.result}))
}

/// A hook may call the tools that it declares. If `meta.enabled` is set, every script may call any tool.
fn check_call_allowed(turn: &TurnContext, caller: EffectCaller<'_>, name: &str) -> Result<(), String> {
    if caller.tools.iter().any(|tool| tool == name) {
        return Ok(());
    }
    require_enabled(turn)
        .map_err(|reason| if caller.is_hook() { undeclared_tool_message(name, caller.tools) } else { reason })
}

fn undeclared_tool_message(name: &str, tools: &[String]) -> String {
    let line = pintle_host::script::tool_header_line(tools, name);
    format!("`{name}` is not one of the tools that this hook may call; add `{line}` to the hook")
}
