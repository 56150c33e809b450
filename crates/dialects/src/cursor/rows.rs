//! The events of Cursor.

use std::borrow::Cow;

use pintle_contract::{DenyEffect, Event};
use serde_json::{Value, json};

use crate::client_hooks::keys::key;
use crate::client_hooks::matcher::Rule;
use crate::client_hooks::{Block, Elsewhere, ExitTwo, Given, Input, Key, Row, Stop, Voice, given, pascal};
use crate::tools::CURSOR;

/// How Cursor spells its payloads.
static VOICE: Voice = Voice { base: SESSION, tools: &CURSOR, matcher: Rule::Expression, response };

const SESSION: &[Key] = &[
    key("conversation_id", given::session),
    key("generation_id", given::turn),
    key("model", given::model),
    key("hook_event_name", given::name),
    key("workspace_roots", given::directories),
    key("transcript_path", given::transcript_or_null),
];

const BEGINNING: &[Key] = &[
    key("session_id", given::session),
    key("is_background_agent", given::no),
    key("composer_mode", |_| Some(Value::from("agent"))),
];

const ENDING: &[Key] =
    &[key("session_id", given::session), key("reason", given::ending), key("duration_ms", given::duration)];

const PROMPT: &[Key] = &[key("prompt", given::prompt), key("attachments", given::nothing)];

const CALL: &[Key] = &[
    key("tool_name", given::tool),
    key("tool_input", given::input),
    key("tool_use_id", given::call_id),
    key("cwd", given::directory),
];

const LINE: &[Key] = &[key("command", |given| given::of_input(given, "command")), key("cwd", given::directory)];

const OF_SERVER: &[Key] = &[key("tool_name", given::tool), key("tool_input", given::input_text)];

const FILE: &[Key] = &[key("file_path", path), key("attachments", given::nothing)];

const OUTPUT: &[Key] = &[key("tool_output", given::response), key("duration", given::duration)];

const FAILURE: &[Key] = &[key("error_message", given::error), key("failure_type", |_| Some(Value::from("error")))];

const PRINTED: &[Key] = &[key("output", given::result_text), key("duration", given::duration)];

const OF_SERVER_RESULT: &[Key] = &[key("result_json", given::response), key("duration", given::duration)];

const EDITED: &[Key] = &[key("file_path", |given| given.field("path").cloned()), key("edits", given::nothing)];

const DELEGATE: &[Key] = &[key("subagent_type", given::delegate), key("task", given::task)];

const DELEGATED: &[Key] = &[
    key("subagent_type", given::delegate),
    key("status", |given| Some(Value::from(status(given)))),
    key("summary", given::answer),
];

const TRIGGER: &[Key] = &[key("trigger", given::trigger)];

const STOP: &[Key] =
    &[key("status", |given| Some(Value::from(status(given)))), key("loop_count", given::continuations)];

const TELLS: Row = Row { exit_two: ExitTwo::Fails, ..Row::tells(&VOICE) };

/// An event at which somebody may decide.
const DECIDES: Row = Row { block: Block::Denies, permission: true, exit_two: ExitTwo::Blocks, ..TELLS };

/// Before a tool.
const BEFORE: Row = Row { canonical: "tool.pre", is_tool: true, is_alias: true, ..DECIDES };

/// After one.
const AFTER: Row = Row { canonical: "tool.post", is_tool: true, is_alias: true, narrow: Some(pascal::ran), ..TELLS };

/// Every event that the catalogue has.
pub(super) const ROWS: &[Row] = &[
    Row {
        name: "preToolUse",
        is_alias: false,
        keys: &[CALL],
        subject: Some(given::tool_subject),
        input: Input::Replaced,
        ..BEFORE
    },
    Row { name: "beforeShellExecution", keys: &[LINE], subject: Some(line_subject), narrow: Some(is_shell), ..BEFORE },
    Row {
        name: "beforeMCPExecution",
        keys: &[OF_SERVER],
        subject: Some(given::tool_subject),
        narrow: Some(is_of_server),
        ..BEFORE
    },
    Row { name: "beforeReadFile", keys: &[FILE], subject: Some(path_subject), narrow: Some(is_read), ..BEFORE },
    Row {
        name: "postToolUse",
        is_alias: false,
        keys: &[CALL, OUTPUT],
        subject: Some(given::tool_subject),
        output: true,
        context: true,
        narrow: Some(went_well),
        on_deny: DenyEffect::DenyEvent,
        ..AFTER
    },
    Row {
        name: "postToolUseFailure",
        keys: &[CALL, FAILURE],
        subject: Some(given::tool_subject),
        narrow: Some(failed),
        ..AFTER
    },
    Row {
        name: "afterShellExecution",
        keys: &[LINE, PRINTED],
        subject: Some(line_subject),
        narrow: Some(|event| pascal::ran(event) && is_shell(event)),
        ..AFTER
    },
    Row {
        name: "afterMCPExecution",
        keys: &[OF_SERVER, OF_SERVER_RESULT],
        subject: Some(given::tool_subject),
        narrow: Some(|event| pascal::ran(event) && is_of_server(event)),
        ..AFTER
    },
    Row { name: "afterFileEdit", canonical: "file.edited", keys: &[EDITED], ..TELLS },
    Row { name: "sessionStart", canonical: "session.start", keys: &[BEGINNING], context: true, ..TELLS },
    Row { name: "sessionEnd", canonical: "session.end", keys: &[ENDING], ..TELLS },
    Row {
        name: "beforeSubmitPrompt",
        canonical: "prompt.submit",
        keys: &[PROMPT],
        block: Block::Denies,
        exit_two: ExitTwo::Blocks,
        stop: Stop::Denies,
        ..TELLS
    },
    Row {
        name: "subagentStart",
        canonical: "delegation.pre",
        keys: &[DELEGATE],
        subject: Some(given::delegate_subject),
        ..DECIDES
    },
    Row {
        name: "subagentStop",
        canonical: "delegation.post",
        keys: &[DELEGATED],
        subject: Some(given::delegate_subject),
        block: Block::Denies,
        ..TELLS
    },
    Row { name: "preCompact", canonical: "compact.pre", keys: &[TRIGGER], ..TELLS },
    Row {
        name: "stop",
        canonical: "agent.stop",
        keys: &[STOP],
        narrow: Some(pascal::is_of_main_agent),
        block: Block::Denies,
        ..TELLS
    },
];

/// Every other one.
pub(super) const ELSEWHERE: &[Elsewhere] = &[
    Elsewhere { names: &["beforeTabFileRead", "afterTabFileEdit"], why: "only an editor completes while one types" },
    Elsewhere { names: &["afterAgentResponse", "afterAgentThought"], why: "nobody else tells of each message" },
    Elsewhere { names: &["workspaceOpen"], why: "only an editor opens workspaces" },
];

/// The result of a tool, as JSON text.
fn response(given: &Given<'_>) -> Value {
    let result = given.field("result").or_else(|| given.field("content")).cloned().unwrap_or_default();
    Value::from(result.to_string())
}

fn path(given: &Given<'_>) -> Option<Value> {
    given::of_input(given, "file_path").or_else(|| given.field("args")?.get("path").cloned())
}

fn path_subject(given: &Given<'_>) -> Option<Cow<'static, str>> {
    Some(Cow::Owned(path(given)?.as_str()?.to_owned()))
}

fn line_subject(given: &Given<'_>) -> Option<Cow<'static, str>> {
    Some(Cow::Owned(given::of_input(given, "command")?.as_str()?.to_owned()))
}

fn status(given: &Given<'_>) -> &'static str {
    if given.field("is_error") == Some(&json!(true)) { "error" } else { "completed" }
}

fn name(event: &Event) -> &str {
    event.payload.field("name").and_then(Value::as_str).unwrap_or_default()
}

fn is_shell(event: &Event) -> bool {
    name(event) == "shell" || event.payload.field("category").and_then(Value::as_str) == Some("shell")
}

fn is_of_server(event: &Event) -> bool {
    name(event).starts_with("mcp__")
}

fn is_read(event: &Event) -> bool {
    matches!(name(event), "read" | "fs.read" | "read_file")
}

fn went_well(event: &Event) -> bool {
    pascal::ran(event) && event.payload.field("is_error") != Some(&Value::Bool(true))
}

fn failed(event: &Event) -> bool {
    pascal::ran(event) && event.payload.field("is_error") == Some(&Value::Bool(true))
}
