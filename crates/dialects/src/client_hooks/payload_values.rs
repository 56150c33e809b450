//! The values of payload keys: one function for each value, whatever a client calls its key.

use std::borrow::Cow;
use std::sync::Arc;

use pintle_contract::Event;
use serde_json::{Map, Value, json};

use super::event_def::PayloadStyle;
use crate::tools::{NativeToolCall, ToolVocabulary};

/// An event and the style in which it is encoded.
#[derive(Debug, Clone, Copy)]
pub struct EncodeContext<'a> {
    /// The event to encode.
    pub event: &'a Event,
    /// The client's name of the event.
    pub event_alias: &'a str,
    /// The shape of the client's payloads.
    pub voice: &'static PayloadStyle,
}

/// A native tool call, encoded once for each payload.
#[derive(Debug)]
pub struct EncodedToolCall(pub NativeToolCall);

impl EncodeContext<'_> {
    /// The native call: the original if the client itself made it, otherwise one in the client's vocabulary.
    #[must_use]
    pub fn call(&self) -> Arc<EncodedToolCall> {
        encode_call(self.event, self.voice.tools)
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

    fn is_native(&self) -> bool {
        is_native_call(self.event.payload.value(), self.voice.tools)
    }
}

impl std::ops::Deref for EncodedToolCall {
    type Target = NativeToolCall;

    fn deref(&self) -> &NativeToolCall {
        &self.0
    }
}

fn is_native_call(payload: &Value, tools: &ToolVocabulary) -> bool {
    payload.get("host").and_then(|host| host.get("client")).and_then(Value::as_str) == Some(tools.name)
}

fn encode_call(event: &Event, tools: &'static ToolVocabulary) -> Arc<EncodedToolCall> {
    event.payload.cached_view(tools.name, |payload| {
        let host = payload.get("host").filter(|_| is_native_call(payload, tools));
        let said = host.and_then(|host| Some((host.get("tool")?.as_str()?, host.get("input")?)));
        EncodedToolCall(match said {
            Some((name, input)) => NativeToolCall { name: name.to_owned(), input: input.clone() },
            None => {
                let name = payload.get("name").and_then(Value::as_str).unwrap_or_default();
                tools.to_native(name, payload.get("args").unwrap_or(&Value::Null))
            }
        })
    })
}

fn non_empty(text: &str) -> Option<Value> {
    (!text.is_empty()).then(|| Value::from(text))
}

/// The session ID.
pub fn session(given: &EncodeContext<'_>) -> Option<Value> {
    Some(Value::from(given.event.origin.session.as_str()))
}

/// The transcript file; an empty file if there is none, so that scripts can read it.
pub fn transcript(given: &EncodeContext<'_>) -> Option<Value> {
    Some(conversation(given).unwrap_or_else(|| Value::from("/dev/null")))
}

/// The transcript file; null if there is none.
pub fn transcript_or_null(given: &EncodeContext<'_>) -> Option<Value> {
    Some(conversation(given).unwrap_or_default())
}

fn conversation(given: &EncodeContext<'_>) -> Option<Value> {
    given.original_field("transcript_path").cloned().or_else(|| non_empty(&given.event.origin.transcript))
}

/// The working directory.
pub fn directory(given: &EncodeContext<'_>) -> Option<Value> {
    Some(Value::from(given.event.origin.cwd.as_str()))
}

/// The workspace directories.
pub fn directories(given: &EncodeContext<'_>) -> Option<Value> {
    Some(json!([given.event.origin.cwd]))
}

/// The event's name.
pub fn name(given: &EncodeContext<'_>) -> Option<Value> {
    Some(Value::from(given.event_alias))
}

/// The permission mode, by Claude Code's names.
pub fn mode(given: &EncodeContext<'_>) -> Option<Value> {
    if let Some(said) = given.original_field("permission_mode") {
        return Some(said.clone());
    }
    Some(Value::from(match given.text("permission_mode") {
        "autonomous" => "bypassPermissions",
        "" | "balanced" | "strict" | "restricted" => "default",
        other => other,
    }))
}

/// The turn ID.
pub fn turn(given: &EncodeContext<'_>) -> Option<Value> {
    if let Some(said) = given.original_field("turn_id") {
        return Some(said.clone());
    }
    let origin = &given.event.origin;
    (origin.turn > 0).then(|| Value::from(format!("{}:{}", origin.session, origin.turn)))
}

/// The model's name.
pub fn model(given: &EncodeContext<'_>) -> Option<Value> {
    given.original_field("model").or_else(|| given.field("model")).cloned()
}

/// The run ID of a subagent.
pub fn run(given: &EncodeContext<'_>) -> Option<Value> {
    non_empty(&given.event.origin.run)
}

/// The type of a subagent.
pub fn agent_kind(given: &EncodeContext<'_>) -> Option<Value> {
    let origin = &given.event.origin;
    non_empty(&origin.agent).filter(|_| !origin.run.is_empty())
}

/// The tool's name.
pub fn tool(given: &EncodeContext<'_>) -> Option<Value> {
    Some(Value::from(given.call().name.as_str()))
}

/// The tool's name, for matchers.
pub fn tool_subject(given: &EncodeContext<'_>) -> Option<Cow<'static, str>> {
    Some(Cow::Owned(given.call().name.clone()))
}

/// The tool's input.
pub fn input(given: &EncodeContext<'_>) -> Option<Value> {
    Some(given.call().input.clone())
}

/// The tool's input as JSON text.
pub fn input_text(given: &EncodeContext<'_>) -> Option<Value> {
    Some(Value::from(given.call().input.to_string()))
}

/// The ID of the call.
pub fn call_id(given: &EncodeContext<'_>) -> Option<Value> {
    [given.text("id"), given.text("call_id")].into_iter().find_map(non_empty)
}

/// A field of the call's input.
pub fn input_field(given: &EncodeContext<'_>, name: &str) -> Option<Value> {
    given.call().input.get(name).cloned()
}

/// The result of the tool, as the client encodes it.
pub fn response(given: &EncodeContext<'_>) -> Option<Value> {
    Some(match given.original_field("response").filter(|_| given.is_native()) {
        Some(said) => said.clone(),
        None => (given.voice.response)(given),
    })
}

/// The result as the model receives it.
pub fn result_text(given: &EncodeContext<'_>) -> Option<Value> {
    Some(given.field("content").cloned().unwrap_or_else(|| Value::from("")))
}

/// The error message.
pub fn error(given: &EncodeContext<'_>) -> Option<Value> {
    given.field("error").or_else(|| given.field("content")).cloned()
}

/// The duration of the call, in milliseconds.
pub fn duration(given: &EncodeContext<'_>) -> Option<Value> {
    given.field("duration_ms").cloned()
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
pub fn prompt(given: &EncodeContext<'_>) -> Option<Value> {
    Some(Value::from(given.text("prompt")))
}

/// The source of the prompt.
pub fn source(given: &EncodeContext<'_>) -> Option<Value> {
    given.field("source").cloned()
}

/// Why the session starts.
pub fn start_reason(given: &EncodeContext<'_>) -> Option<Value> {
    start_reason_subject(given).map(Value::from)
}

/// Why the session starts, for matchers.
pub fn start_reason_subject(given: &EncodeContext<'_>) -> Option<Cow<'static, str>> {
    Some(match (given.event.name.as_str(), given.text("source")) {
        ("compact.post", _) => Cow::Borrowed("compact"),
        ("session.resume", "") => Cow::Borrowed("resume"),
        (_, "") => Cow::Borrowed("startup"),
        (_, source) => Cow::Owned(source.to_owned()),
    })
}

/// Why the session ends, by Claude Code's names.
pub fn end_reason(given: &EncodeContext<'_>) -> Option<Value> {
    end_reason_subject(given).map(Value::from)
}

/// Why the session ends, for matchers.
pub fn end_reason_subject(given: &EncodeContext<'_>) -> Option<Cow<'static, str>> {
    Some(match given.text("reason") {
        "exit" if !given.is_native() => Cow::Borrowed("prompt_input_exit"),
        "" | "done" => Cow::Borrowed("other"),
        reason => Cow::Owned(reason.to_owned()),
    })
}

/// What triggered a compaction: `manual` or `auto`.
pub fn trigger(given: &EncodeContext<'_>) -> Option<Value> {
    trigger_subject(given).map(Value::from)
}

/// What triggered a compaction, for matchers.
pub fn trigger_subject(given: &EncodeContext<'_>) -> Option<Cow<'static, str>> {
    let is_manual = given.text("source") == "manual" || given.text("reason") == "manual";
    Some(Cow::Borrowed(if is_manual { "manual" } else { "auto" }))
}

/// The user's instructions for the summary.
pub fn instructions(given: &EncodeContext<'_>) -> Option<Value> {
    Some(given.field("instructions").cloned().unwrap_or_else(|| Value::from("")))
}

/// The summary of a compaction.
pub fn summary(given: &EncodeContext<'_>) -> Option<Value> {
    given.field("summary").cloned()
}

/// The final answer of the turn.
pub fn answer(given: &EncodeContext<'_>) -> Option<Value> {
    given.field("response").or_else(|| given.field("result")).cloned()
}

/// The user's last prompt.
pub fn last_prompt(given: &EncodeContext<'_>) -> Option<Value> {
    Some(given.field("last_user_message").cloned().unwrap_or_else(|| Value::from("")))
}

/// Whether a hook already made the agent continue.
pub fn stop_hook_active(given: &EncodeContext<'_>) -> Option<Value> {
    let times = given.field("continuations").and_then(Value::as_u64).unwrap_or(0);
    Some(Value::Bool(times > 0))
}

/// How often a hook already made the agent continue.
pub fn continuation_count(given: &EncodeContext<'_>) -> Option<Value> {
    Some(given.field("continuations").cloned().unwrap_or_else(|| json!(0)))
}

/// The ID of a delegated task.
pub fn delegation(given: &EncodeContext<'_>) -> Option<Value> {
    non_empty(given.text("id"))
}

/// The agent that a task is delegated to.
pub fn delegate(given: &EncodeContext<'_>) -> Option<Value> {
    Some(Value::from(given.text("agent")))
}

/// The agent that a task is delegated to, for matchers.
pub fn delegate_subject(given: &EncodeContext<'_>) -> Option<Cow<'static, str>> {
    Some(Cow::Owned(given.text("agent").to_owned()))
}

/// The text of a delegated task.
pub fn task(given: &EncodeContext<'_>) -> Option<Value> {
    given.field("prompt").or_else(|| given.field("task")).cloned()
}

/// The text of a notification or of an error.
pub fn message(given: &EncodeContext<'_>) -> Option<Value> {
    given.field("message").cloned()
}

/// The title of a notification.
pub fn title(given: &EncodeContext<'_>) -> Option<Value> {
    given.field("title").cloned()
}

/// The kind of a notification or of an error.
pub fn kind(given: &EncodeContext<'_>) -> Option<Value> {
    given.field("kind").cloned()
}

/// The kind of a notification or of an error, for matchers.
pub fn kind_subject(given: &EncodeContext<'_>) -> Option<Cow<'static, str>> {
    Some(Cow::Owned(given.text("kind").to_owned()))
}

/// Why a call was denied.
pub fn reason(given: &EncodeContext<'_>) -> Option<Value> {
    Some(Value::from(given.text("reason")))
}

/// The calls of a batch, each with its result.
pub fn calls(given: &EncodeContext<'_>) -> Option<Value> {
    let list = |name: &str| given.field(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let results = list("tool_results");
    let one = |call: &Value| {
        let native = given.voice.tools.to_native(
            call.get("name").and_then(Value::as_str).unwrap_or_default(),
            call.get("args").unwrap_or(&Value::Null),
        );
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
