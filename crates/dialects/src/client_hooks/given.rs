//! What payloads are made of: one function a value, whatever an agent calls it.

use std::borrow::Cow;
use std::sync::Arc;

use pintle_contract::Event;
use serde_json::{Map, Value, json};

use super::row::Voice;
use crate::tools::{Native, Vocabulary};

/// An event and how it is to be spelled.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    /// The event.
    pub event: &'a Event,
    /// The event's name in the agent.
    pub spelling: &'a str,
    /// How the payload is spelled.
    pub voice: &'static Voice,
}

/// A tool call as an agent would write it, made once a payload.
#[derive(Debug)]
pub struct Spelled(pub Native);

impl Given<'_> {
    /// The tool call: the original where the agent itself made it, else as it would write it.
    #[must_use]
    pub fn call(&self) -> Arc<Spelled> {
        call(self.event, self.voice.tools)
    }

    /// A field of the payload.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Value> {
        self.event.payload.field(name).filter(|value| !value.is_null())
    }

    /// A text of the payload; empty when it is not there.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        self.field(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// What the agent itself said, where the event came through a bridge.
    #[must_use]
    pub fn said(&self, name: &str) -> Option<&Value> {
        self.field("host").and_then(|host| host.get(name)).filter(|value| !value.is_null())
    }

    fn is_own(&self) -> bool {
        is_own(self.event.payload.value(), self.voice.tools)
    }
}

impl std::ops::Deref for Spelled {
    type Target = Native;

    fn deref(&self) -> &Native {
        &self.0
    }
}

fn is_own(payload: &Value, tools: &Vocabulary) -> bool {
    payload.get("host").and_then(|host| host.get("client")).and_then(Value::as_str) == Some(tools.name)
}

fn call(event: &Event, tools: &'static Vocabulary) -> Arc<Spelled> {
    event.payload.cached_view(tools.name, |payload| {
        let host = payload.get("host").filter(|_| is_own(payload, tools));
        let said = host.and_then(|host| Some((host.get("tool")?.as_str()?, host.get("input")?)));
        Spelled(match said {
            Some((name, input)) => Native { name: name.to_owned(), input: input.clone() },
            None => {
                let name = payload.get("name").and_then(Value::as_str).unwrap_or_default();
                tools.native(name, payload.get("args").unwrap_or(&Value::Null))
            }
        })
    })
}

fn filled(text: &str) -> Option<Value> {
    (!text.is_empty()).then(|| Value::from(text))
}

/// The session.
pub fn session(given: &Given<'_>) -> Option<Value> {
    Some(Value::from(given.event.origin.session.as_str()))
}

/// The file with the conversation; one that is always empty where there is none, so that scripts can read it.
pub fn transcript(given: &Given<'_>) -> Option<Value> {
    Some(conversation(given).unwrap_or_else(|| Value::from("/dev/null")))
}

/// The same, null where there is none.
pub fn transcript_or_null(given: &Given<'_>) -> Option<Value> {
    Some(conversation(given).unwrap_or_default())
}

fn conversation(given: &Given<'_>) -> Option<Value> {
    given.said("transcript_path").cloned().or_else(|| filled(&given.event.origin.transcript))
}

/// The working directory.
pub fn directory(given: &Given<'_>) -> Option<Value> {
    Some(Value::from(given.event.origin.cwd.as_str()))
}

/// The folders that are worked in.
pub fn directories(given: &Given<'_>) -> Option<Value> {
    Some(json!([given.event.origin.cwd]))
}

/// The event's name.
pub fn name(given: &Given<'_>) -> Option<Value> {
    Some(Value::from(given.spelling))
}

/// How the session asks for permission, in Claude Code's words.
pub fn mode(given: &Given<'_>) -> Option<Value> {
    if let Some(said) = given.said("permission_mode") {
        return Some(said.clone());
    }
    Some(Value::from(match given.text("permission_mode") {
        "autonomous" => "bypassPermissions",
        "" | "balanced" | "strict" | "restricted" => "default",
        other => other,
    }))
}

/// The turn.
pub fn turn(given: &Given<'_>) -> Option<Value> {
    if let Some(said) = given.said("turn_id") {
        return Some(said.clone());
    }
    let origin = &given.event.origin;
    (origin.turn > 0).then(|| Value::from(format!("{}:{}", origin.session, origin.turn)))
}

/// The model.
pub fn model(given: &Given<'_>) -> Option<Value> {
    given.said("model").or_else(|| given.field("model")).cloned()
}

/// The run of a subagent.
pub fn run(given: &Given<'_>) -> Option<Value> {
    filled(&given.event.origin.run)
}

/// The kind of a subagent.
pub fn kind_of_agent(given: &Given<'_>) -> Option<Value> {
    let origin = &given.event.origin;
    filled(&origin.agent).filter(|_| !origin.run.is_empty())
}

/// The tool's name.
pub fn tool(given: &Given<'_>) -> Option<Value> {
    Some(Value::from(given.call().name.as_str()))
}

/// The tool's name, for matchers.
pub fn tool_subject(given: &Given<'_>) -> Option<Cow<'static, str>> {
    Some(Cow::Owned(given.call().name.clone()))
}

/// The tool's input.
pub fn input(given: &Given<'_>) -> Option<Value> {
    Some(given.call().input.clone())
}

/// The tool's input as JSON text.
pub fn input_text(given: &Given<'_>) -> Option<Value> {
    Some(Value::from(given.call().input.to_string()))
}

/// The id of the call.
pub fn call_id(given: &Given<'_>) -> Option<Value> {
    [given.text("id"), given.text("call_id")].into_iter().find_map(filled)
}

/// A field of the call's input.
pub fn of_input(given: &Given<'_>, name: &str) -> Option<Value> {
    given.call().input.get(name).cloned()
}

/// The result of the tool.
pub fn response(given: &Given<'_>) -> Option<Value> {
    Some(match given.said("response").filter(|_| given.is_own()) {
        Some(said) => said.clone(),
        None => (given.voice.response)(given),
    })
}

/// The result as the model gets it.
pub fn result_text(given: &Given<'_>) -> Option<Value> {
    Some(given.field("content").cloned().unwrap_or_else(|| Value::from("")))
}

/// What went wrong.
pub fn error(given: &Given<'_>) -> Option<Value> {
    given.field("error").or_else(|| given.field("content")).cloned()
}

/// How long it took, in milliseconds.
pub fn duration(given: &Given<'_>) -> Option<Value> {
    given.field("duration_ms").cloned()
}

/// Always no.
pub fn no(_: &Given<'_>) -> Option<Value> {
    Some(Value::Bool(false))
}

/// An empty list.
pub fn nothing(_: &Given<'_>) -> Option<Value> {
    Some(json!([]))
}

/// What the person wrote.
pub fn prompt(given: &Given<'_>) -> Option<Value> {
    Some(Value::from(given.text("prompt")))
}

/// Where it came from.
pub fn source(given: &Given<'_>) -> Option<Value> {
    given.field("source").cloned()
}

/// Why a session begins.
pub fn beginning(given: &Given<'_>) -> Option<Value> {
    beginning_subject(given).map(Value::from)
}

/// The same, for matchers.
pub fn beginning_subject(given: &Given<'_>) -> Option<Cow<'static, str>> {
    Some(match (given.event.name.as_str(), given.text("source")) {
        ("compact.post", _) => Cow::Borrowed("compact"),
        ("session.resume", "") => Cow::Borrowed("resume"),
        (_, "") => Cow::Borrowed("startup"),
        (_, source) => Cow::Owned(source.to_owned()),
    })
}

/// Why a session ends, in Claude Code's words.
pub fn ending(given: &Given<'_>) -> Option<Value> {
    ending_subject(given).map(Value::from)
}

/// The same, for matchers.
pub fn ending_subject(given: &Given<'_>) -> Option<Cow<'static, str>> {
    Some(match given.text("reason") {
        "exit" if !given.is_own() => Cow::Borrowed("prompt_input_exit"),
        "" | "done" => Cow::Borrowed("other"),
        reason => Cow::Owned(reason.to_owned()),
    })
}

/// What a compaction was asked for by: `manual` or `auto`.
pub fn trigger(given: &Given<'_>) -> Option<Value> {
    trigger_subject(given).map(Value::from)
}

/// The same, for matchers.
pub fn trigger_subject(given: &Given<'_>) -> Option<Cow<'static, str>> {
    let is_manual = given.text("source") == "manual" || given.text("reason") == "manual";
    Some(Cow::Borrowed(if is_manual { "manual" } else { "auto" }))
}

/// What the person wants a summary to keep.
pub fn instructions(given: &Given<'_>) -> Option<Value> {
    Some(given.field("instructions").cloned().unwrap_or_else(|| Value::from("")))
}

/// The summary of a compaction.
pub fn summary(given: &Given<'_>) -> Option<Value> {
    given.field("summary").cloned()
}

/// The answer that is about to be given.
pub fn answer(given: &Given<'_>) -> Option<Value> {
    given.field("response").or_else(|| given.field("result")).cloned()
}

/// What the person last wrote.
pub fn last_prompt(given: &Given<'_>) -> Option<Value> {
    Some(given.field("last_user_message").cloned().unwrap_or_else(|| Value::from("")))
}

/// Whether a hook already sent the agent on.
pub fn continued(given: &Given<'_>) -> Option<Value> {
    let times = given.field("continuations").and_then(Value::as_u64).unwrap_or(0);
    Some(Value::Bool(times > 0))
}

/// How often a hook already sent the agent on.
pub fn continuations(given: &Given<'_>) -> Option<Value> {
    Some(given.field("continuations").cloned().unwrap_or_else(|| json!(0)))
}

/// The id of a delegated task.
pub fn delegation(given: &Given<'_>) -> Option<Value> {
    filled(given.text("id"))
}

/// Who it is given to.
pub fn delegate(given: &Given<'_>) -> Option<Value> {
    Some(Value::from(given.text("agent")))
}

/// The same, for matchers.
pub fn delegate_subject(given: &Given<'_>) -> Option<Cow<'static, str>> {
    Some(Cow::Owned(given.text("agent").to_owned()))
}

/// What a delegated task is.
pub fn task(given: &Given<'_>) -> Option<Value> {
    given.field("prompt").or_else(|| given.field("task")).cloned()
}

/// The text of a notification or of an error.
pub fn message(given: &Given<'_>) -> Option<Value> {
    given.field("message").cloned()
}

/// The heading of a notification.
pub fn title(given: &Given<'_>) -> Option<Value> {
    given.field("title").cloned()
}

/// The kind of a notification or of an error.
pub fn kind(given: &Given<'_>) -> Option<Value> {
    given.field("kind").cloned()
}

/// The same, for matchers.
pub fn kind_subject(given: &Given<'_>) -> Option<Cow<'static, str>> {
    Some(Cow::Owned(given.text("kind").to_owned()))
}

/// Why a call was refused.
pub fn reason(given: &Given<'_>) -> Option<Value> {
    Some(Value::from(given.text("reason")))
}

/// The calls of a batch, each with its result.
pub fn calls(given: &Given<'_>) -> Option<Value> {
    let list = |name: &str| given.field(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let results = list("tool_results");
    let one = |call: &Value| {
        let native = given.voice.tools.native(
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

/// Whether the event is of Pintle's own loop and came through no bridge.
#[must_use]
pub fn is_of_own_loop(event: &Event) -> bool {
    event.payload.field("host").is_none()
}
