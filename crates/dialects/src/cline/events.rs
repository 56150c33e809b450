//! The events of Cline.

use serde_json::{Map, Value, json};

use crate::client_hooks::matcher::MatcherSyntax;
use crate::client_hooks::shared_keys::key;
use crate::client_hooks::{
    BlockEffect, ClientEventDef, ClientKey, EncodeContext, InputRewrite, PayloadStyle, PlainTextReader,
    UnmappedClientEvents, payload_values, shared_events,
};
use pintle_tools::CLINE;

/// The shape of Cline's payloads.
static VOICE: PayloadStyle = PayloadStyle { base: TASK, tools: &CLINE, matcher: MatcherSyntax::Expression, response };

const TASK: &[ClientKey] = &[
    key("clineVersion", |_| Some(Value::from(""))),
    key("taskId", payload_values::session),
    key("workspaceRoots", payload_values::directories),
    key("agent_id", payload_values::run),
    key("hookName", inner_name),
];

const BEFORE: &[ClientKey] =
    &[key("tool_call", call), key("preToolUse", |given| Some(tool_with_parameters(given, Map::new())))];

const AFTER: &[ClientKey] = &[key("tool_result", result), key("postToolUse", post_tool_use)];

const START: &[ClientKey] = &[key("taskStart", metadata)];

const RESUME: &[ClientKey] = &[key("taskResume", metadata)];

const COMPLETE: &[ClientKey] = &[key("turn", turn), key("taskComplete", metadata)];

const ERROR: &[ClientKey] =
    &[key("error", |given| Some(json!({"name": given.text("kind"), "message": given.text("message")})))];

const PROMPT: &[ClientKey] =
    &[key("userPromptSubmit", |given| Some(json!({"prompt": given.text("prompt"), "attachments": []})))];

const COMPACT: &[ClientKey] = &[key("preCompact", |given| Some(json!({"trigger": payload_values::trigger(given)})))];

const TELLS: ClientEventDef =
    ClientEventDef { text: PlainTextReader::Discarded, ..ClientEventDef::observe_only(&VOICE) };

/// The events that the catalogue has.
pub(super) const ROWS: &[ClientEventDef] = &[
    ClientEventDef {
        name: "PreToolUse",
        canonical: "tool.pre",
        keys: &[BEFORE],
        subject: Some(payload_values::tool_subject),
        is_tool: true,
        block: BlockEffect::Deny,
        permission: true,
        input: InputRewrite::Replace,
        context: true,
        ..TELLS
    },
    ClientEventDef {
        name: "PostToolUse",
        canonical: "tool.post",
        keys: &[AFTER],
        subject: Some(payload_values::tool_subject),
        is_tool: true,
        event_filter: Some(shared_events::tool_executed),
        block: BlockEffect::NotifyModel,
        context: true,
        ..TELLS
    },
    ClientEventDef {
        name: "UserPromptSubmit",
        canonical: "prompt.submit",
        keys: &[PROMPT],
        block: BlockEffect::Deny,
        context: true,
        ..TELLS
    },
    ClientEventDef { name: "TaskStart", canonical: "session.start", keys: &[START], context: true, ..TELLS },
    ClientEventDef { name: "TaskResume", canonical: "session.resume", keys: &[RESUME], context: true, ..TELLS },
    ClientEventDef {
        name: "TaskComplete",
        canonical: "turn.end",
        keys: &[COMPLETE],
        event_filter: Some(shared_events::is_from_main_agent),
        ..TELLS
    },
    ClientEventDef { name: "TaskError", canonical: "error", keys: &[ERROR], ..TELLS },
    ClientEventDef {
        name: "PreCompact",
        canonical: "compact.pre",
        keys: &[COMPACT],
        block: BlockEffect::Deny,
        context: true,
        ..TELLS
    },
    ClientEventDef { name: "SessionShutdown", canonical: "session.end", ..TELLS },
];

/// The events that the catalogue does not have.
pub(super) const ELSEWHERE: &[UnmappedClientEvents] =
    &[UnmappedClientEvents { names: &["TaskCancel"], reason: "no other agent reports that the user interrupted it" }];

/// The event names in the payload.
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

fn inner_name(context: &EncodeContext<'_>) -> Option<Value> {
    INNER.iter().find(|(name, _)| *name == context.event_alias).map(|(_, inner)| Value::from(*inner))
}

fn call(context: &EncodeContext<'_>) -> Option<Value> {
    Some(json!({"id": payload_values::call_id(context), "name": context.tool_name(), "input": context.tool_input()}))
}

/// The tool with its parameters, each of which is a string in Cline.
fn tool_with_parameters(context: &EncodeContext<'_>, beside: Map<String, Value>) -> Value {
    let text = |value: &Value| match value {
        Value::String(text) => Value::from(text.clone()),
        other => Value::from(other.to_string()),
    };
    let inputs = context.tool_input().as_object();
    let parameters: Map<String, Value> =
        inputs.into_iter().flatten().map(|(name, value)| (name.clone(), text(value))).collect();
    let mut fields = Map::new();
    fields.insert(String::from("toolName"), Value::from(context.tool_name()));
    fields.insert(String::from("parameters"), Value::Object(parameters));
    fields.extend(beside);
    Value::Object(fields)
}

fn result(context: &EncodeContext<'_>) -> Option<Value> {
    Some(json!({
        "id": payload_values::call_id(context),
        "name": context.tool_name(),
        "input": context.tool_input(),
        "output": payload_values::response(context),
        "durationMs": payload_values::duration(context),
    }))
}

fn post_tool_use(context: &EncodeContext<'_>) -> Option<Value> {
    let mut beside = Map::new();
    beside.insert(String::from("result"), payload_values::result_text(context).unwrap_or_default());
    let went_well = context.field("is_error") != Some(&Value::Bool(true));
    beside.insert(String::from("success"), Value::Bool(went_well));
    beside.insert(String::from("executionTimeMs"), payload_values::duration(context).unwrap_or_default());
    Some(tool_with_parameters(context, beside))
}

fn metadata(_: &EncodeContext<'_>) -> Option<Value> {
    Some(json!({"taskMetadata": {}}))
}

fn turn(context: &EncodeContext<'_>) -> Option<Value> {
    Some(json!({"outputText": payload_values::answer(context), "status": "completed"}))
}

fn response(context: &EncodeContext<'_>) -> Value {
    let found = context.original_response().or_else(|| context.field("result")).or_else(|| context.field("content"));
    found.cloned().unwrap_or_default()
}
