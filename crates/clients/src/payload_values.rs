//! The values of payload keys: one function for each value, whatever a client calls its key.

use std::borrow::Cow;

use pintle_contract::{Event, ToolKind};
use pintle_tools::{NativeToolCall, caller_of, kind_of};
use serde_json::{Map, Value, json};

use crate::PayloadStyle;

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

    /// The result as the client itself reported it, if it made the call.
    #[must_use]
    pub fn original_response(&self) -> Option<&Value> {
        self.original_field("response").filter(|_| self.is_native())
    }

    /// Whether the client itself fired the event, through the bridge.
    fn is_native(&self) -> bool {
        self.original_field("client").and_then(Value::as_str) == Some(self.style.tools.name)
    }
}

fn non_empty(text: &str) -> Option<Value> {
    (!text.is_empty()).then(|| Value::from(text))
}

/// The session ID.
pub fn session(context: &EncodeContext<'_>) -> Option<Value> {
    Some(Value::from(context.event.origin.session.as_str()))
}

/// The transcript file; an empty file if there is none, so that scripts can read it.
pub fn transcript(context: &EncodeContext<'_>) -> Option<Value> {
    Some(conversation(context).unwrap_or_else(|| Value::from("/dev/null")))
}

/// The transcript file; null if there is none.
pub fn transcript_or_null(context: &EncodeContext<'_>) -> Option<Value> {
    Some(conversation(context).unwrap_or_default())
}

fn conversation(context: &EncodeContext<'_>) -> Option<Value> {
    context.original_field("transcript_path").cloned().or_else(|| non_empty(&context.event.origin.transcript))
}

/// The working directory.
pub fn directory(context: &EncodeContext<'_>) -> Option<Value> {
    Some(Value::from(context.event.origin.cwd.as_str()))
}

/// The workspace directories.
pub fn directories(context: &EncodeContext<'_>) -> Option<Value> {
    Some(json!([context.event.origin.cwd]))
}

/// The event's name.
pub fn name(context: &EncodeContext<'_>) -> Option<Value> {
    Some(Value::from(context.event_alias))
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

/// The model's name.
pub fn model(context: &EncodeContext<'_>) -> Option<Value> {
    context.original_field("model").or_else(|| context.field("model")).cloned()
}

/// The run ID of a subagent.
pub fn run(context: &EncodeContext<'_>) -> Option<Value> {
    non_empty(&context.event.origin.run)
}

/// The type of a subagent.
pub fn agent_kind(context: &EncodeContext<'_>) -> Option<Value> {
    let origin = &context.event.origin;
    non_empty(&origin.agent).filter(|_| !origin.run.is_empty())
}

/// The tool's name.
pub fn tool(context: &EncodeContext<'_>) -> Option<Value> {
    Some(Value::from(context.tool_name()))
}

/// The tool's name, for matchers.
pub fn tool_subject(context: &EncodeContext<'_>) -> Option<Cow<'static, str>> {
    Some(Cow::Owned(context.tool_name().to_owned()))
}

/// The tool's input.
pub fn input(context: &EncodeContext<'_>) -> Option<Value> {
    Some(context.tool_input().clone())
}

/// The tool's input as JSON text.
pub fn input_text(context: &EncodeContext<'_>) -> Option<Value> {
    Some(Value::from(context.tool_input().to_string()))
}

/// The ID of the call.
pub fn call_id(context: &EncodeContext<'_>) -> Option<Value> {
    [context.text("id"), context.text("call_id")].into_iter().find_map(non_empty)
}

/// A field of the call's input.
pub fn input_field(context: &EncodeContext<'_>, name: &str) -> Option<Value> {
    context.tool_input().get(name).cloned()
}

/// The result of the tool, as the client encodes it.
pub fn response(context: &EncodeContext<'_>) -> Option<Value> {
    Some((context.style.response)(context))
}

/// The result as the model receives it.
pub fn result_text(context: &EncodeContext<'_>) -> Option<Value> {
    Some(context.field("content").cloned().unwrap_or_else(|| Value::from("")))
}

/// The error message.
pub fn error(context: &EncodeContext<'_>) -> Option<Value> {
    context.field("error").or_else(|| context.field("content")).cloned()
}

/// The duration of the call, in milliseconds.
pub fn duration(context: &EncodeContext<'_>) -> Option<Value> {
    context.field("duration_ms").cloned()
}

/// Always false.
pub fn always_false(_: &EncodeContext<'_>) -> Option<Value> {
    Some(Value::Bool(false))
}

/// An empty list.
pub fn empty_list(_: &EncodeContext<'_>) -> Option<Value> {
    Some(json!([]))
}

/// The user's prompt.
pub fn prompt(context: &EncodeContext<'_>) -> Option<Value> {
    Some(Value::from(context.text("prompt")))
}

/// The source of the prompt.
pub fn source(context: &EncodeContext<'_>) -> Option<Value> {
    context.field("source").cloned()
}

/// Why the session starts.
pub fn start_reason(context: &EncodeContext<'_>) -> Option<Value> {
    start_reason_subject(context).map(Value::from)
}

/// Why the session starts, for matchers.
pub fn start_reason_subject(context: &EncodeContext<'_>) -> Option<Cow<'static, str>> {
    Some(match (context.event.name.as_str(), context.text("source")) {
        ("compact.post", _) => Cow::Borrowed("compact"),
        ("session.resume", "") => Cow::Borrowed("resume"),
        (_, "") => Cow::Borrowed("startup"),
        (_, source) => Cow::Owned(source.to_owned()),
    })
}

/// Why the session ends, by Claude Code's names.
pub fn end_reason(context: &EncodeContext<'_>) -> Option<Value> {
    end_reason_subject(context).map(Value::from)
}

/// Why the session ends, for matchers.
pub fn end_reason_subject(context: &EncodeContext<'_>) -> Option<Cow<'static, str>> {
    Some(match context.text("reason") {
        "exit" if !context.is_native() => Cow::Borrowed("prompt_input_exit"),
        "" | "done" => Cow::Borrowed("other"),
        reason => Cow::Owned(reason.to_owned()),
    })
}

/// What triggered a compaction: `manual` or `auto`.
pub fn trigger(context: &EncodeContext<'_>) -> Option<Value> {
    trigger_subject(context).map(Value::from)
}

/// What triggered a compaction, for matchers.
pub fn trigger_subject(context: &EncodeContext<'_>) -> Option<Cow<'static, str>> {
    let is_manual = context.text("source") == "manual" || context.text("reason") == "manual";
    Some(Cow::Borrowed(if is_manual { "manual" } else { "auto" }))
}

/// The user's instructions for the summary.
pub fn instructions(context: &EncodeContext<'_>) -> Option<Value> {
    Some(context.field("instructions").cloned().unwrap_or_else(|| Value::from("")))
}

/// The summary of a compaction.
pub fn summary(context: &EncodeContext<'_>) -> Option<Value> {
    context.field("summary").cloned()
}

/// The final answer of the turn.
pub fn answer(context: &EncodeContext<'_>) -> Option<Value> {
    ["response", "result", "text"].into_iter().find_map(|name| context.field(name)).cloned()
}

/// The user's last prompt.
pub fn last_prompt(context: &EncodeContext<'_>) -> Option<Value> {
    Some(context.field("last_user_message").cloned().unwrap_or_else(|| Value::from("")))
}

/// Whether a hook already made the agent continue.
pub fn stop_hook_active(context: &EncodeContext<'_>) -> Option<Value> {
    let times = context.field("continuations").and_then(Value::as_u64).unwrap_or(0);
    Some(Value::Bool(times > 0))
}

/// How often a hook already made the agent continue.
pub fn continuation_count(context: &EncodeContext<'_>) -> Option<Value> {
    Some(context.field("continuations").cloned().unwrap_or_else(|| json!(0)))
}

/// The ID of a delegated task.
pub fn delegation(context: &EncodeContext<'_>) -> Option<Value> {
    non_empty(context.text("id"))
}

/// The agent that a task is delegated to.
pub fn delegate(context: &EncodeContext<'_>) -> Option<Value> {
    Some(Value::from(context.text("agent")))
}

/// The agent that a task is delegated to, for matchers.
pub fn delegate_subject(context: &EncodeContext<'_>) -> Option<Cow<'static, str>> {
    Some(Cow::Owned(context.text("agent").to_owned()))
}

/// The text of a delegated task.
pub fn task(context: &EncodeContext<'_>) -> Option<Value> {
    context.field("prompt").or_else(|| context.field("task")).cloned()
}

/// The text of a notification or of an error.
pub fn message(context: &EncodeContext<'_>) -> Option<Value> {
    context.field("message").cloned()
}

/// The title of a notification.
pub fn title(context: &EncodeContext<'_>) -> Option<Value> {
    context.field("title").cloned()
}

/// The kind of a notification or of an error.
pub fn kind(context: &EncodeContext<'_>) -> Option<Value> {
    context.field("kind").cloned()
}

/// The kind of a notification or of an error, for matchers.
pub fn kind_subject(context: &EncodeContext<'_>) -> Option<Cow<'static, str>> {
    Some(Cow::Owned(context.text("kind").to_owned()))
}

/// Why a call was denied.
pub fn reason(context: &EncodeContext<'_>) -> Option<Value> {
    Some(Value::from(context.text("reason")))
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
        let mut fields = Map::new();
        fields.insert(String::from("tool_name"), Value::from(native.name));
        fields.insert(String::from("tool_input"), native.input);
        fields.insert(String::from("tool_use_id"), call.get("id").cloned().unwrap_or_default());
        fields.insert(
            String::from("tool_response"),
            result.and_then(|result| result.get("content")).cloned().unwrap_or_default(),
        );
        Value::Object(fields)
    };
    Some(Value::Array(list("tool_calls").iter().map(one).collect()))
}

/// Whether the event was fired by Pintle's own loop, not by the bridge.
#[must_use]
pub fn is_native_event(event: &Event) -> bool {
    event.payload.field("host").is_none()
}
