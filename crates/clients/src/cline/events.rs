//! The events of Cline. It waits only for the hooks of tools, and its payloads use another name for the event.

use std::borrow::Cow;

use pintle_contract::{DenyEffect, EventKind};
use pintle_tools::CLINE;
use serde_json::{Map, Value, json};

use super::response as answers;
use crate::host::{HostEventContext, HostEventData, HostEventKind, HostField, HostPayloadError, text};
use crate::key_values::{self, both, key, read_key, written};
use crate::matcher::MatcherSyntax;
use crate::{
    BlockEffect, ClientEventDef, ClientKey, EncodeContext, ExitTwoEffect, PayloadStyle, PlainTextReader, StopEffect,
    UnmappedClientEvents, payload_values, shared_events,
};

/// The shape of Cline's payloads.
static STYLE: PayloadStyle = PayloadStyle {
    base: TASK,
    tools: &CLINE,
    matcher: MatcherSyntax::Expression,
    response,
    read_keys: &[],
    adjust_context: main_agent_has_no_parent,
};

const TASK: &[ClientKey] = &[
    key("clineVersion", written(|_| Some(Value::from("")))),
    key("taskId", key_values::SESSION),
    key("workspaceRoots", key_values::DIRECTORIES),
    key("agent_id", key_values::RUN),
    key("hookName", written(inner_name)),
];

/// The call as the model made it; an older part of the payload has all arguments as strings.
const BEFORE: &[ClientKey] = &[
    key("tool_call/id", both(id_or_null, HostField::CallId)),
    key("tool_call/name", key_values::TOOL),
    key("tool_call/input", key_values::INPUT),
    key("preToolUse", written(|given| Some(tool_with_parameters(given, Map::new())))),
];

const OLDER_CALL: &[ClientKey] = &[
    read_key("preToolUse/toolName", HostField::Tool),
    read_key("preToolUse/parameters", HostField::Input),
    read_key("postToolUse/toolName", HostField::Tool),
    read_key("postToolUse/parameters", HostField::Input),
    read_key("postToolUse/result", HostField::Response),
];

const AFTER: &[ClientKey] = &[
    key("tool_result/id", both(id_or_null, HostField::CallId)),
    key("tool_result/name", key_values::TOOL),
    key("tool_result/input", key_values::INPUT),
    key("tool_result/output", key_values::RESPONSE),
    key(
        "tool_result/durationMs",
        both(|given| Some(given.field("duration_ms").cloned().unwrap_or_default()), HostField::Duration),
    ),
    key("postToolUse", written(post_tool_use)),
];

const START: &[ClientKey] = &[key("taskStart", written(metadata))];

const RESUME: &[ClientKey] = &[key("taskResume", written(metadata))];

const COMPLETE: &[ClientKey] = &[
    key("turn/outputText", both(|given| Some(payload_values::answer(given).unwrap_or_default()), HostField::Answer)),
    key("turn/status", written(|_| Some(Value::from("completed")))),
    key("taskComplete", written(metadata)),
];

const ERROR: &[ClientKey] = &[
    key("error/name", both(|given| Some(Value::from(given.text("kind"))), HostField::Kind)),
    key("error/message", both(|given| Some(Value::from(given.text("message"))), HostField::Message)),
];

const PROMPT: &[ClientKey] =
    &[key("userPromptSubmit/prompt", key_values::PROMPT), key("userPromptSubmit/attachments", key_values::EMPTY_LIST)];

const OTHER_PROMPT: &[ClientKey] =
    &[read_key("user_prompt_submit/prompt", HostField::Prompt), read_key("prompt", HostField::Prompt)];

const COMPACT: &[ClientKey] = &[key("preCompact/trigger", key_values::TRIGGER)];

const TELLS: ClientEventDef = ClientEventDef {
    text: PlainTextReader::Discarded,
    support: &answers::DETACHED,
    ..ClientEventDef::observe_only(&STYLE)
};

/// An event for which Cline waits: it reads the JSON of a response, but neither its status nor plain text.
const fn waits(def: ClientEventDef) -> ClientEventDef {
    let (exit_two, stop, text) = (ExitTwoEffect::Ignored, StopEffect::Ignored, PlainTextReader::Discarded);
    ClientEventDef { exit_two, stop, text, ..def }
}

/// Its events.
pub(super) const ROWS: &[ClientEventDef] = &[
    ClientEventDef {
        name: "TaskStart",
        canonical: Some(EventKind::SessionStart),
        keys: &[START],
        context: true,
        fires: &[EventKind::SessionStart],
        adjust: |_, _| Ok(HostEventData::SessionStart { source: String::from("startup") }),
        support: &answers::SESSION_START,
        ..TELLS
    },
    ClientEventDef {
        name: "TaskResume",
        canonical: Some(EventKind::SessionResume),
        keys: &[RESUME],
        context: true,
        fires: shared_events::SESSION_START,
        adjust: |_, _| Ok(HostEventData::SessionStart { source: String::from("resume") }),
        support: &answers::SESSION_START,
        ..TELLS
    },
    waits(ClientEventDef { keys: &[PROMPT], read_keys: OTHER_PROMPT, ..shared_events::user_prompt_submit(&STYLE) })
        .answered(&answers::PROMPT, answers::cancel_task),
    waits(ClientEventDef { keys: &[BEFORE], read_keys: OLDER_CALL, ..shared_events::pre_tool_use(&STYLE) })
        .answered(&answers::BEFORE_TOOL, answers::cancel_task),
    waits(ClientEventDef {
        keys: &[AFTER],
        read_keys: OLDER_CALL,
        event_filter: Some(shared_events::tool_executed),
        on_deny: DenyEffect::DenyEvent,
        output: false,
        adjust: mark_failure,
        ..shared_events::post_tool_use(&STYLE)
    })
    .answered(&answers::AFTER_TOOL, answers::cancel_task),
    ClientEventDef {
        name: "TaskComplete",
        canonical: Some(EventKind::TurnEnd),
        keys: &[COMPLETE],
        event_filter: Some(shared_events::is_from_main_agent),
        fires: &[EventKind::TurnEnd],
        kind: HostEventKind::Stop,
        support: &answers::TASK_END,
        ..TELLS
    },
    ClientEventDef {
        name: "TaskError",
        keys: &[ERROR],
        subject: None,
        support: &answers::DETACHED,
        ..shared_events::stop_failure(&STYLE)
    },
    ClientEventDef { name: "TaskCancel", custom: Some("custom.cline_task_cancel"), high_volume: true, ..TELLS },
    // Cline lists the event and never fires it.
    ClientEventDef {
        name: "PreCompact",
        canonical: Some(EventKind::CompactPre),
        keys: &[COMPACT],
        block: BlockEffect::Deny,
        context: true,
        ..TELLS
    },
    ClientEventDef {
        name: "SessionShutdown",
        canonical: Some(EventKind::SessionEnd),
        fires: &[EventKind::SessionEnd],
        adjust: |_, _| Ok(HostEventData::SessionEnd { reason: String::from("exit") }),
        support: &answers::SESSION_END,
        ..TELLS
    },
];

/// The events that the catalogue does not have.
pub(super) const ELSEWHERE: &[UnmappedClientEvents] =
    &[UnmappedClientEvents::new(&["TaskCancel"], "no other agent reports that the user interrupted it")];

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

/// The tool with its parameters, each of which is a string in Cline.
fn tool_with_parameters(context: &EncodeContext<'_>, extra_parameters: Map<String, Value>) -> Value {
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
    fields.extend(extra_parameters);
    Value::Object(fields)
}

fn post_tool_use(context: &EncodeContext<'_>) -> Option<Value> {
    let mut beside = Map::new();
    beside.insert(String::from("result"), payload_values::result_text(context).unwrap_or_default());
    let went_well = context.field("is_error") != Some(&Value::Bool(true));
    beside.insert(String::from("success"), Value::Bool(went_well));
    beside.insert(String::from("executionTimeMs"), context.field("duration_ms").cloned().unwrap_or_default());
    Some(tool_with_parameters(context, beside))
}

fn metadata(_: &EncodeContext<'_>) -> Option<Value> {
    Some(json!({"taskMetadata": {}}))
}

fn response(context: &EncodeContext<'_>) -> Value {
    let original = context.original_response().map(Cow::into_owned);
    original.or_else(|| context.field("result").or_else(|| context.field("content")).cloned()).unwrap_or_default()
}

fn id_or_null(context: &EncodeContext<'_>) -> Option<Value> {
    Some(payload_values::call_id(context).unwrap_or_default())
}

/// Every agent has an ID; only a subagent also has its parent's ID.
fn main_agent_has_no_parent(payload: &Value, context: &mut HostEventContext) {
    if text(payload, "parent_agent_id").is_empty() {
        context.run.clear();
    }
}

fn mark_failure(payload: &Value, data: HostEventData) -> Result<HostEventData, HostPayloadError> {
    let HostEventData::AfterTool { call, response, duration_ms, .. } = data else {
        return Ok(data);
    };
    let has_error = payload.pointer("/tool_result/error").is_some_and(|error| !error.is_null());
    let is_error = has_error || payload.pointer("/postToolUse/success") == Some(&Value::Bool(false));
    Ok(HostEventData::AfterTool { call, response, is_error, duration_ms })
}
