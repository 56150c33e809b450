//! The values of payload keys that take more than a line, whatever a client calls its key.

use std::borrow::Cow;

use pintle_contract::{Event, EventKind, ToolKind};
use pintle_tools::{NativeToolCall, caller_of, kind_of};
use serde_json::{Value, json};

use crate::PayloadStyle;
use crate::host::shape_like;

/// An event and the style in which it is encoded.
#[derive(Debug, Clone, Copy)]
pub struct EncodeContext<'a> {
    /// The event to encode.
    pub event: &'a Event,
    /// The client's name of the event.
    pub event_alias: &'a str,
    /// The shape of the client's payloads.
    pub style: &'static PayloadStyle,
}

impl EncodeContext<'_> {
    /// The name of the tool; the hook hears the call in its client's words.
    #[must_use]
    pub fn tool_name(&self) -> &str {
        self.text("name")
    }

    /// What the tool is for.
    #[must_use]
    pub fn tool_kind(&self) -> ToolKind {
        kind_of(&self.event.payload)
    }

    /// The arguments of the tool.
    #[must_use]
    pub fn tool_input(&self) -> &Value {
        self.event.payload.field("args").unwrap_or(&Value::Null)
    }

    /// A field of the payload.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Value> {
        self.event.payload.field(name).filter(|value| !value.is_null())
    }

    /// A string field of the payload; empty if it is absent.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        self.field(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// A field of the client's original payload, if the event came through the bridge.
    #[must_use]
    pub fn original_field(&self, name: &str) -> Option<&Value> {
        self.field("host").and_then(|host| host.get(name)).filter(|value| !value.is_null())
    }

    /// The result as the client itself reported it, if it made the call. What a hook made of it since has the same
    /// structure.
    #[must_use]
    pub fn original_response(&self) -> Option<Cow<'_, Value>> {
        let original = self.original_field("response").filter(|_| self.is_native())?;
        Some(match self.field("result") {
            Some(changed) if changed != original => Cow::Owned(shape_like(original, changed)),
            _ => Cow::Borrowed(original),
        })
    }

    /// Whether the client itself fired the event, through the bridge.
    fn is_native(&self) -> bool {
        self.original_field("client").and_then(Value::as_str) == Some(self.style.tools.name)
    }
}

/// A text that is not empty.
pub fn non_empty(text: &str) -> Option<Value> {
    (!text.is_empty()).then(|| Value::from(text))
}

/// The file with the conversation.
pub fn transcript(context: &EncodeContext<'_>) -> Option<Value> {
    context.original_field("transcript_path").cloned().or_else(|| non_empty(&context.event.origin.transcript))
}

/// The permission mode, by Claude Code's names.
pub fn mode(context: &EncodeContext<'_>) -> Option<Value> {
    if let Some(said) = context.original_field("permission_mode") {
        return Some(said.clone());
    }
    Some(Value::from(match context.text("permission_mode") {
        "autonomous" => "bypassPermissions",
        "" | "balanced" | "strict" | "restricted" => "default",
        other => other,
    }))
}

/// The turn ID.
pub fn turn(context: &EncodeContext<'_>) -> Option<Value> {
    if let Some(said) = context.original_field("turn_id") {
        return Some(said.clone());
    }
    let origin = &context.event.origin;
    (origin.turn > 0).then(|| Value::from(format!("{}:{}", origin.session, origin.turn)))
}

/// The type of a subagent.
pub fn agent_kind(context: &EncodeContext<'_>) -> Option<Value> {
    let origin = &context.event.origin;
    non_empty(&origin.agent).filter(|_| !origin.run.is_empty())
}

/// The tool's name, for matchers.
pub fn tool_subject(context: &EncodeContext<'_>) -> Option<Cow<'static, str>> {
    Some(Cow::Owned(context.tool_name().to_owned()))
}

/// The ID of the call.
pub fn call_id(context: &EncodeContext<'_>) -> Option<Value> {
    [context.text("id"), context.text("call_id")].into_iter().find_map(non_empty)
}

/// A field of the call's input.
pub fn input_field(context: &EncodeContext<'_>, name: &str) -> Option<Value> {
    context.tool_input().get(name).cloned()
}

/// The result as the model receives it.
pub fn result_text(context: &EncodeContext<'_>) -> Option<Value> {
    Some(context.field("content").cloned().unwrap_or_else(|| Value::from("")))
}

/// Why the session starts, for matchers.
pub fn start_reason_subject(context: &EncodeContext<'_>) -> Option<Cow<'static, str>> {
    Some(match (context.event.name.kind(), context.text("source")) {
        (EventKind::CompactPost, _) => Cow::Borrowed("compact"),
        (EventKind::SessionResume, "") => Cow::Borrowed("resume"),
        (_, "") => Cow::Borrowed("startup"),
        (_, source) => Cow::Owned(source.to_owned()),
    })
}

/// Why the session ends, for matchers.
pub fn end_reason_subject(context: &EncodeContext<'_>) -> Option<Cow<'static, str>> {
    Some(match context.text("reason") {
        "exit" if !context.is_native() => Cow::Borrowed("prompt_input_exit"),
        "" | "done" => Cow::Borrowed("other"),
        reason => Cow::Owned(reason.to_owned()),
    })
}

/// What triggered a compaction, for matchers.
pub fn trigger_subject(context: &EncodeContext<'_>) -> Option<Cow<'static, str>> {
    let is_manual = context.text("source") == "manual" || context.text("reason") == "manual";
    Some(Cow::Borrowed(if is_manual { "manual" } else { "auto" }))
}

/// The final answer of the turn.
pub fn answer(context: &EncodeContext<'_>) -> Option<Value> {
    ["response", "result", "text"].into_iter().find_map(|name| context.field(name)).cloned()
}

/// Whether a hook already made the agent continue.
pub fn stop_hook_active(context: &EncodeContext<'_>) -> Option<Value> {
    let times = context.field("continuations").and_then(Value::as_u64).unwrap_or(0);
    Some(Value::Bool(times > 0))
}

/// The agent that a task is delegated to, for matchers.
pub fn delegate_subject(context: &EncodeContext<'_>) -> Option<Cow<'static, str>> {
    Some(Cow::Owned(context.text("agent").to_owned()))
}

/// The kind of a notification or of an error, for matchers.
pub fn kind_subject(context: &EncodeContext<'_>) -> Option<Cow<'static, str>> {
    Some(Cow::Owned(context.text("kind").to_owned()))
}

/// The calls of a batch, each with its result.
pub fn calls(context: &EncodeContext<'_>) -> Option<Value> {
    let list = |name: &str| context.field(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let results = list("tool_results");
    let caller = caller_of(&context.event.payload);
    let one = |call: &Value| {
        let name = call.get("name").and_then(Value::as_str).unwrap_or_default();
        let input = call.get("args").unwrap_or(&Value::Null);
        let mut parts = caller.to_canonical(name, input);
        let native = match parts.pop().filter(|_| parts.is_empty() && caller.name != context.style.tools.name) {
            Some(only) => context.style.tools.to_native(&only.name, &only.args),
            None => NativeToolCall { name: name.to_owned(), input: input.clone() },
        };
        let result = results.iter().find(|result| result.get("call_id") == call.get("id"));
        json!({
            "tool_name": native.name,
            "tool_input": native.input,
            "tool_use_id": call.get("id"),
            "tool_response": result.and_then(|result| result.get("content")),
        })
    };
    Some(Value::Array(list("tool_calls").iter().map(one).collect()))
}

/// Whether the event was fired by Pintle's own loop, not by the bridge.
#[must_use]
pub fn is_native_event(event: &Event) -> bool {
    event.payload.field("host").is_none()
}
