//! The events of Cline.

use serde_json::{Map, Value, json};

use crate::client_hooks::keys::key;
use crate::client_hooks::matcher::Rule;
use crate::client_hooks::{Block, Elsewhere, Given, Input, Key, Row, Text, Voice, given, pascal};
use crate::tools::CLINE;

/// How Cline spells its payloads.
static VOICE: Voice = Voice { base: TASK, tools: &CLINE, matcher: Rule::Expression, response };

const TASK: &[Key] = &[
    key("clineVersion", |_| Some(Value::from(""))),
    key("taskId", given::session),
    key("workspaceRoots", given::directories),
    key("agent_id", given::run),
    key("hookName", inner_name),
];

const BEFORE: &[Key] = &[key("tool_call", call), key("preToolUse", |given| Some(named(given, Map::new())))];

const AFTER: &[Key] = &[key("tool_result", result), key("postToolUse", after)];

const START: &[Key] = &[key("taskStart", metadata)];

const RESUME: &[Key] = &[key("taskResume", metadata)];

const COMPLETE: &[Key] = &[key("turn", turn), key("taskComplete", metadata)];

const ERROR: &[Key] = &[key("error", |given| Some(json!({"name": "Error", "message": given.text("message")})))];

const PROMPT: &[Key] =
    &[key("userPromptSubmit", |given| Some(json!({"prompt": given.text("prompt"), "attachments": []})))];

const COMPACT: &[Key] = &[key("preCompact", |given| Some(json!({"trigger": given::trigger(given)})))];

const TELLS: Row = Row { text: Text::Nobody, ..Row::tells(&VOICE) };

/// Every event that the catalogue has.
pub(super) const ROWS: &[Row] = &[
    Row {
        name: "PreToolUse",
        canonical: "tool.pre",
        keys: &[BEFORE],
        subject: Some(given::tool_subject),
        is_tool: true,
        block: Block::Denies,
        permission: true,
        input: Input::Replaced,
        context: true,
        ..TELLS
    },
    Row {
        name: "PostToolUse",
        canonical: "tool.post",
        keys: &[AFTER],
        subject: Some(given::tool_subject),
        is_tool: true,
        narrow: Some(pascal::ran),
        block: Block::Tells,
        context: true,
        ..TELLS
    },
    Row {
        name: "UserPromptSubmit",
        canonical: "prompt.submit",
        keys: &[PROMPT],
        block: Block::Denies,
        context: true,
        ..TELLS
    },
    Row { name: "TaskStart", canonical: "session.start", keys: &[START], context: true, ..TELLS },
    Row { name: "TaskResume", canonical: "session.resume", keys: &[RESUME], context: true, ..TELLS },
    Row {
        name: "TaskComplete",
        canonical: "agent.stop",
        keys: &[COMPLETE],
        narrow: Some(pascal::is_of_main_agent),
        ..TELLS
    },
    Row { name: "TaskError", canonical: "error", keys: &[ERROR], ..TELLS },
    Row {
        name: "PreCompact",
        canonical: "compact.pre",
        keys: &[COMPACT],
        block: Block::Denies,
        context: true,
        ..TELLS
    },
    Row { name: "SessionShutdown", canonical: "session.end", ..TELLS },
];

/// Every other one.
pub(super) const ELSEWHERE: &[Elsewhere] =
    &[Elsewhere { names: &["TaskCancel"], why: "no other agent tells that the person interrupted it" }];

/// The names that stand in the payload.
const INNER: &[(&str, &str)] = &[
    ("PreToolUse", "tool_call"),
    ("PostToolUse", "tool_result"),
    ("UserPromptSubmit", "prompt_submit"),
    ("TaskStart", "agent_start"),
    ("TaskResume", "agent_resume"),
    ("TaskComplete", "agent_end"),
    ("TaskError", "agent_error"),
    ("PreCompact", "pre_compact"),
    ("SessionShutdown", "session_shutdown"),
];

fn inner_name(given: &Given<'_>) -> Option<Value> {
    INNER.iter().find(|(name, _)| *name == given.spelling).map(|(_, inner)| Value::from(*inner))
}

fn call(given: &Given<'_>) -> Option<Value> {
    let call = given.call();
    Some(json!({"id": given::call_id(given), "name": call.0.name, "input": call.0.input}))
}

/// The tool with its parameters, each of which is a text there.
fn named(given: &Given<'_>, beside: Map<String, Value>) -> Value {
    let call = given.call();
    let text = |value: &Value| match value {
        Value::String(text) => Value::from(text.clone()),
        other => Value::from(other.to_string()),
    };
    let inputs = call.0.input.as_object();
    let parameters: Map<String, Value> =
        inputs.into_iter().flatten().map(|(name, value)| (name.clone(), text(value))).collect();
    let mut fields = Map::new();
    fields.insert(String::from("toolName"), Value::from(call.0.name.as_str()));
    fields.insert(String::from("parameters"), Value::Object(parameters));
    fields.extend(beside);
    Value::Object(fields)
}

fn result(given: &Given<'_>) -> Option<Value> {
    let call = given.call();
    Some(json!({
        "id": given::call_id(given),
        "name": call.0.name,
        "input": call.0.input,
        "output": given::response(given),
        "durationMs": given::duration(given),
    }))
}

fn after(given: &Given<'_>) -> Option<Value> {
    let mut beside = Map::new();
    beside.insert(String::from("result"), given::result_text(given).unwrap_or_default());
    let went_well = given.field("is_error") != Some(&Value::Bool(true));
    beside.insert(String::from("success"), Value::Bool(went_well));
    beside.insert(String::from("executionTimeMs"), given::duration(given).unwrap_or_default());
    Some(named(given, beside))
}

fn metadata(_: &Given<'_>) -> Option<Value> {
    Some(json!({"taskMetadata": {}}))
}

fn turn(given: &Given<'_>) -> Option<Value> {
    Some(json!({"outputText": given::answer(given), "status": "completed"}))
}

fn response(given: &Given<'_>) -> Value {
    given.field("result").or_else(|| given.field("content")).cloned().unwrap_or_default()
}
