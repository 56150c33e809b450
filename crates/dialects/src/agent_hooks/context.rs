//! Events as contexts, and changed targets as rewrites.

use jiff::Timestamp;
use pintle_contract::event::json_to_text;
use pintle_contract::{Event, EventKind, Rewrite};
use serde_json::{Map, Value, json};

use super::point::{InterceptionPoint, SPEC, validate_context};
use super::verdict::{HostError, HostFault};

/// What a context says that the event does not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContextFacts {
    /// The name of the host's program, of lower-case letters, digits, `_` and `-`.
    pub framework: String,
    /// The tools of the agent.
    pub tools: Vec<String>,
}

/// The points and their events. A refused tool call and a failed turn have no result to ask about, and of a sub-agent only
/// the calls are asked about.
const EVENTS: [(EventKind, InterceptionPoint); 8] = [
    (EventKind::SessionStart, InterceptionPoint::AgentStartup),
    (EventKind::PromptSubmit, InterceptionPoint::Input),
    (EventKind::CompletionPre, InterceptionPoint::PreModelCall),
    (EventKind::CompletionPost, InterceptionPoint::PostModelCall),
    (EventKind::ToolPre, InterceptionPoint::PreToolCall),
    (EventKind::ToolPost, InterceptionPoint::PostToolCall),
    (EventKind::TurnEnd, InterceptionPoint::Output),
    (EventKind::SessionEnd, InterceptionPoint::AgentShutdown),
];

/// The events that are points.
pub fn point_events() -> impl Iterator<Item = EventKind> {
    EVENTS.into_iter().map(|(event, _)| event)
}

/// The point of an event; `None` if interceptors are not asked about it.
#[must_use]
pub fn point_of(event: &Event) -> Option<InterceptionPoint> {
    let kind = event.name.kind();
    let (_, point) = EVENTS.into_iter().find(|(known, _)| *known == kind)?;
    let is_met = match point {
        InterceptionPoint::PreModelCall | InterceptionPoint::PostModelCall | InterceptionPoint::PreToolCall => true,
        InterceptionPoint::PostToolCall => event.payload.field("executed") != Some(&Value::Bool(false)),
        InterceptionPoint::Output => event.origin.depth == 0 && event.payload.field("error").is_none(),
        InterceptionPoint::AgentStartup | InterceptionPoint::Input | InterceptionPoint::AgentShutdown => {
            event.origin.depth == 0
        }
    };
    is_met.then_some(point)
}

/// The context of an event.
#[must_use]
pub fn build_context(
    event: &Event,
    point: InterceptionPoint,
    facts: &ContextFacts,
    (sequence, unix_ms): (u64, u64),
) -> Map<String, Value> {
    let field = |name: &str| event.payload.field(name).cloned().unwrap_or_default();
    let mut context = Map::new();
    let mut add = |key: &str, value: Value| context.insert(key.to_owned(), value);
    add("spec", json!(SPEC));
    add("interception_point", json!(point.name()));
    let time = i64::try_from(unix_ms).ok().and_then(|unix_ms| Timestamp::from_millisecond(unix_ms).ok());
    add("timestamp", json!(format!("{:.3}", time.unwrap_or_default())));
    add("sequence", json!(sequence));
    add("agent", json!({"id": event.origin.agent, "framework": facts.framework}));
    add("session", json!({"id": event.origin.session}));
    let tool_call = |id: &str| json!({"id": field(id), "name": field("name"), "args": field("args")});
    match point {
        InterceptionPoint::PreModelCall | InterceptionPoint::PostModelCall => {
            add("model", json!({"id": field("model")}));
        }
        InterceptionPoint::PreToolCall => {
            add("tool_call", tool_call("id"));
        }
        InterceptionPoint::PostToolCall => {
            add("tool_call", tool_call("call_id"));
            add("tool_result", json!({"is_error": field("is_error")}));
        }
        InterceptionPoint::AgentStartup
        | InterceptionPoint::Input
        | InterceptionPoint::Output
        | InterceptionPoint::AgentShutdown => {}
    }
    let target = match point {
        InterceptionPoint::AgentStartup => json!({"tools_registered": facts.tools}),
        _ => target_of_payload(point, event.payload.value()),
    };
    point.set_target(&mut context, target);
    context
}

/// The target in the payload of an event.
#[must_use]
pub fn target_of_payload(point: InterceptionPoint, payload: &Value) -> Value {
    let field = |name: &str| payload.get(name).cloned().unwrap_or_default();
    match point {
        InterceptionPoint::AgentStartup => json!({"tools_registered": []}),
        InterceptionPoint::Input => json!({"content": field("prompt"), "role": "user"}),
        InterceptionPoint::PreModelCall => field("messages"),
        InterceptionPoint::PostModelCall => to_response(&field("choices")),
        InterceptionPoint::PreToolCall => field("args"),
        InterceptionPoint::PostToolCall => {
            // A text that happens to be a number stays a text.
            let result = field("result");
            if result.is_object() || result.is_array() { result } else { field("content") }
        }
        InterceptionPoint::Output => json!({"content": field("text")}),
        InterceptionPoint::AgentShutdown => json!({"reason": shutdown_reason(&field("reason"))}),
    }
}

/// The payload of the event that a context of another host is about, without what hosts add to it.
///
/// # Errors
/// If the context is not valid, or the event cannot have its target.
pub fn read_context(context: &Map<String, Value>) -> Result<(InterceptionPoint, Value), HostFault> {
    let point = validate_context(context)?;
    if !point.shows_one_target(context) {
        // What is judged would not be what is done.
        return Err(HostFault::new(HostError::ContextInvalid, "`target` is not what the context shows of it"));
    }
    let part =
        |field: &str, part: &str| context.get(field).and_then(|value| value.get(part)).cloned().unwrap_or_default();
    let model = part("model", "id");
    let payload = match point {
        InterceptionPoint::AgentStartup => json!({"source": "startup"}),
        InterceptionPoint::Input => json!({"prompt": json_to_text(&part("input", "content"))}),
        InterceptionPoint::PreModelCall => {
            let tools = context.get("tools").and_then(Value::as_array).into_iter().flatten().map(to_chat_tool);
            json!({"model": model, "messages": context.get("messages"), "tools": tools.collect::<Vec<_>>()})
        }
        InterceptionPoint::PostModelCall => {
            let choice = to_choice(context.get("response").unwrap_or(&Value::Null), json!(0));
            let choice = choice.map_err(|error| HostFault::new(HostError::ContextInvalid, &error))?;
            json!({"model": model, "choices": [choice]})
        }
        InterceptionPoint::PreToolCall => context.get("tool_call").cloned().unwrap_or_default(),
        InterceptionPoint::PostToolCall => {
            let value = part("tool_result", "value");
            json!({
                "call_id": part("tool_call", "id"),
                "name": part("tool_call", "name"),
                "args": part("tool_call", "args"),
                "content": json_to_text(&value),
                "is_error": part("tool_result", "is_error"),
                "result": value,
            })
        }
        InterceptionPoint::Output => json!({"text": json_to_text(&part("output", "content"))}),
        InterceptionPoint::AgentShutdown => json!({"reason": end_reason(&part("summary", "reason"))}),
    };
    Ok((point, payload))
}

/// A tool in the form of chats.
fn to_chat_tool(tool: &Value) -> Value {
    if tool.get("function").is_some() {
        return tool.clone();
    }
    let part = |names: [&str; 2]| names.into_iter().find_map(|name| tool.get(name)).cloned();
    let parameters = part(["parameters", "schema"]).unwrap_or_else(|| json!({}));
    let description = part(["description", "title"]).unwrap_or_else(|| json!(""));
    let function = json!({"name": part(["name", "id"]), "description": description, "parameters": parameters});
    json!({"type": "function", "function": function})
}

fn end_reason(reason: &Value) -> &'static str {
    match reason.as_str() {
        Some("completed") => "done",
        Some("cancelled") => "cancelled",
        _ => "error",
    }
}

fn shutdown_reason(reason: &Value) -> &'static str {
    match reason.as_str() {
        Some("blocked" | "error") => "error",
        Some("cancelled") => "cancelled",
        _ => "completed",
    }
}

/// The first choice of a model's answer.
fn to_response(choices: &Value) -> Value {
    let choice = choices.get(0).cloned().unwrap_or_default();
    let message = choice.get("message").cloned().unwrap_or_default();
    let calls = message.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
    let calls: Vec<Value> = calls
        .map(|call| {
            let function = call.get("function").cloned().unwrap_or_default();
            let written = function.get("arguments").and_then(Value::as_str).unwrap_or_default();
            // Arguments that are not JSON never reach a tool.
            let args = serde_json::from_str(written).unwrap_or_else(|_| json!({"invalid": written}));
            json!({"id": call.get("id"), "name": function.get("name"), "args": args})
        })
        .collect();
    json!({
        "content": message.get("content"),
        "tool_calls": calls,
        "finish_reason": choice.get("finish_reason").and_then(Value::as_str).unwrap_or("stop"),
    })
}

/// The rewrite that makes a changed target the target of an event.
///
/// # Errors
/// If the event cannot have this target.
pub fn rewrite_target(event: &Event, point: InterceptionPoint, target: &Value) -> Result<Rewrite, String> {
    let part = |name: &str| target.get(name).cloned().unwrap_or_default();
    // What a host cannot carry out, it must not do in part.
    let only = |names: &[&str]| {
        let fields = target.as_object().filter(|fields| fields.keys().all(|name| names.contains(&name.as_str())));
        fields
            .map(|_| ())
            .ok_or_else(|| format!("a target of `{}` has {}, and nothing else", point.name(), names.join(", ")))
    };
    let text = |name: &str| match part(name) {
        Value::String(text) => Ok(Value::String(text)),
        _ => Err(format!("`{name}` of a target of `{}` must be a text", point.name())),
    };
    let fields = match point {
        InterceptionPoint::Input => {
            only(&["content", "role"])?;
            if part("role") != json!("user") {
                return Err(String::from("the role of an input cannot be changed"));
            }
            json!({"prompt": text("content")?})
        }
        InterceptionPoint::PreModelCall => json!({"messages": target}),
        InterceptionPoint::PostModelCall => {
            only(&["content", "tool_calls", "finish_reason"])?;
            let index = event.payload.field("choices").and_then(|choices| choices.get(0)?.get("index").cloned());
            json!({"choices": [to_choice(target, index.unwrap_or(json!(0)))?]})
        }
        InterceptionPoint::PreToolCall if target.is_object() => json!({"args": target}),
        InterceptionPoint::PreToolCall => return Err(String::from("the arguments of a tool must be an object")),
        InterceptionPoint::PostToolCall => json!({"result": target, "content": json_to_text(target)}),
        InterceptionPoint::Output => {
            only(&["content"])?;
            json!({"text": text("content")?})
        }
        InterceptionPoint::AgentStartup | InterceptionPoint::AgentShutdown => {
            return Err(format!("`{}` has no target that may change", point.name()));
        }
    };
    Ok(match fields {
        Value::Object(fields) => Rewrite::Fields(fields),
        other => Rewrite::Whole(other),
    })
}

/// The choice of a model's answer that a response is.
fn to_choice(response: &Value, index: Value) -> Result<Value, String> {
    let part = |name: &str| response.get(name).cloned().unwrap_or_default();
    let listed = part("tool_calls");
    let calls = listed.as_array().ok_or("`tool_calls` of a response must be a list")?;
    let calls: Vec<Value> = calls
        .iter()
        .map(|call| {
            let (id, name) = (call.get("id").and_then(Value::as_str), call.get("name").and_then(Value::as_str));
            let args = call.get("args").filter(|args| args.is_object());
            let (id, name, args) = id
                .zip(name)
                .zip(args)
                .map(|((id, name), args)| (id, name, args))
                .ok_or("a tool call of a response must have the texts `id` and `name`, and the object `args`")?;
            Ok(json!({"id": id, "type": "function", "function": {"name": name, "arguments": args.to_string()}}))
        })
        .collect::<Result<_, &str>>()?;
    let mut message = json!({"role": "assistant", "content": part("content")});
    if let Some(fields) = message.as_object_mut().filter(|_| !calls.is_empty()) {
        fields.insert(String::from("tool_calls"), Value::Array(calls));
    }
    Ok(json!({"index": index, "message": message, "finish_reason": part("finish_reason")}))
}
