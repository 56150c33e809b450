//! The events of Cursor.

use std::borrow::Cow;

use pintle_contract::{DenyEffect, Event, ToolKind};
use serde_json::{Value, json};

use crate::client_hooks::matcher::MatcherSyntax;
use crate::client_hooks::shared_keys::key;
use crate::client_hooks::{
    BlockEffect, ClientEventDef, ClientKey, EncodeContext, ExitTwoEffect, InputRewrite, PayloadStyle, StopEffect,
    UnmappedClientEvents, payload_values, shared_events,
};
use pintle_tools::{CURSOR, calls_of};

/// The shape of Cursor's payloads.
static VOICE: PayloadStyle =
    PayloadStyle { base: SESSION, tools: &CURSOR, matcher: MatcherSyntax::Expression, response };

const SESSION: &[ClientKey] = &[
    key("conversation_id", payload_values::session),
    key("generation_id", payload_values::turn),
    key("model", payload_values::model),
    key("hook_event_name", payload_values::name),
    key("workspace_roots", payload_values::directories),
    key("transcript_path", payload_values::transcript_or_null),
];

const BEGINNING: &[ClientKey] = &[
    key("session_id", payload_values::session),
    key("is_background_agent", payload_values::always_false),
    key("composer_mode", |_| Some(Value::from("agent"))),
];

const ENDING: &[ClientKey] = &[
    key("session_id", payload_values::session),
    key("reason", payload_values::end_reason),
    key("duration_ms", payload_values::duration),
];

const PROMPT: &[ClientKey] = &[key("prompt", payload_values::prompt), key("attachments", payload_values::empty_list)];

const CALL: &[ClientKey] = &[
    key("tool_name", payload_values::tool),
    key("tool_input", payload_values::input),
    key("tool_use_id", payload_values::call_id),
    key("cwd", payload_values::directory),
];

const LINE: &[ClientKey] =
    &[key("command", |given| payload_values::input_field(given, "command")), key("cwd", payload_values::directory)];

const OF_SERVER: &[ClientKey] = &[key("tool_name", bare_tool), key("tool_input", payload_values::input_text)];

const FILE: &[ClientKey] = &[key("file_path", path), key("attachments", payload_values::empty_list)];

const OUTPUT: &[ClientKey] = &[key("tool_output", payload_values::response), key("duration", payload_values::duration)];

const FAILURE: &[ClientKey] = &[
    key("error_message", payload_values::error),
    key("failure_type", |_| Some(Value::from("error"))),
    key("duration", payload_values::duration),
];

const PRINTED: &[ClientKey] = &[key("output", payload_values::result_text), key("duration", payload_values::duration)];

const OF_SERVER_RESULT: &[ClientKey] =
    &[key("result_json", payload_values::response), key("duration", payload_values::duration)];

const EDITED: &[ClientKey] =
    &[key("file_path", |given| given.field("path").cloned()), key("edits", payload_values::empty_list)];

const DELEGATE: &[ClientKey] = &[key("subagent_type", payload_values::delegate), key("task", payload_values::task)];

const DELEGATED: &[ClientKey] = &[
    key("subagent_type", payload_values::delegate),
    key("status", |given| Some(Value::from(status(given)))),
    key("summary", payload_values::answer),
    key("loop_count", payload_values::continuation_count),
];

const TRIGGER: &[ClientKey] = &[key("trigger", payload_values::trigger)];

const STOP: &[ClientKey] =
    &[key("status", |given| Some(Value::from(status(given)))), key("loop_count", payload_values::continuation_count)];

const TELLS: ClientEventDef = ClientEventDef { exit_two: ExitTwoEffect::Fail, ..ClientEventDef::observe_only(&VOICE) };

/// An event on which a hook can decide.
const DECIDES: ClientEventDef =
    ClientEventDef { block: BlockEffect::Deny, permission: true, exit_two: ExitTwoEffect::Block, ..TELLS };

/// Before a tool call.
const BEFORE: ClientEventDef = ClientEventDef { canonical: "tool.pre", is_tool: true, is_alias: true, ..DECIDES };

/// After a tool call.
const AFTER: ClientEventDef = ClientEventDef {
    canonical: "tool.post",
    is_tool: true,
    is_alias: true,
    event_filter: Some(shared_events::tool_executed),
    ..TELLS
};

/// The events that the catalogue has.
pub(super) const ROWS: &[ClientEventDef] = &[
    ClientEventDef {
        name: "preToolUse",
        is_alias: false,
        keys: &[CALL],
        subject: Some(payload_values::tool_subject),
        input: InputRewrite::Replace,
        ..BEFORE
    },
    ClientEventDef {
        name: "beforeShellExecution",
        keys: &[LINE],
        subject: Some(line_subject),
        event_filter: Some(is_shell),
        ..BEFORE
    },
    ClientEventDef {
        name: "beforeMCPExecution",
        keys: &[OF_SERVER],
        subject: Some(payload_values::tool_subject),
        event_filter: Some(is_mcp_tool),
        ..BEFORE
    },
    ClientEventDef {
        name: "beforeReadFile",
        keys: &[FILE],
        subject: Some(path_subject),
        event_filter: Some(is_read),
        ..BEFORE
    },
    ClientEventDef {
        name: "postToolUse",
        is_alias: false,
        keys: &[CALL, OUTPUT],
        subject: Some(payload_values::tool_subject),
        output: true,
        context: true,
        event_filter: Some(has_succeeded),
        on_deny: DenyEffect::DenyEvent,
        ..AFTER
    },
    ClientEventDef {
        name: "postToolUseFailure",
        keys: &[CALL, FAILURE],
        subject: Some(payload_values::tool_subject),
        event_filter: Some(has_failed),
        ..AFTER
    },
    ClientEventDef {
        name: "afterShellExecution",
        keys: &[LINE, PRINTED],
        subject: Some(line_subject),
        event_filter: Some(|event| shared_events::tool_executed(event) && is_shell(event)),
        ..AFTER
    },
    ClientEventDef {
        name: "afterMCPExecution",
        keys: &[OF_SERVER, OF_SERVER_RESULT],
        subject: Some(payload_values::tool_subject),
        event_filter: Some(|event| shared_events::tool_executed(event) && is_mcp_tool(event)),
        ..AFTER
    },
    ClientEventDef { name: "afterFileEdit", canonical: "file.edited", keys: &[EDITED], ..TELLS },
    ClientEventDef { name: "sessionStart", canonical: "session.start", keys: &[BEGINNING], context: true, ..TELLS },
    ClientEventDef { name: "sessionEnd", canonical: "session.end", keys: &[ENDING], ..TELLS },
    ClientEventDef {
        name: "beforeSubmitPrompt",
        canonical: "prompt.submit",
        keys: &[PROMPT],
        block: BlockEffect::Deny,
        exit_two: ExitTwoEffect::Block,
        stop: StopEffect::Deny,
        ..TELLS
    },
    ClientEventDef {
        name: "subagentStart",
        canonical: "delegation.pre",
        keys: &[DELEGATE],
        subject: Some(payload_values::delegate_subject),
        ..DECIDES
    },
    ClientEventDef {
        name: "subagentStop",
        canonical: "delegation.post",
        keys: &[DELEGATED],
        subject: Some(payload_values::delegate_subject),
        block: BlockEffect::Deny,
        ..TELLS
    },
    ClientEventDef { name: "preCompact", canonical: "compact.pre", keys: &[TRIGGER], ..TELLS },
    ClientEventDef {
        name: "stop",
        canonical: "agent.stop",
        keys: &[STOP],
        event_filter: Some(shared_events::is_from_main_agent),
        block: BlockEffect::Deny,
        ..TELLS
    },
];

/// The events that the catalogue does not have.
pub(super) const ELSEWHERE: &[UnmappedClientEvents] = &[
    UnmappedClientEvents {
        names: &["beforeTabFileRead", "afterTabFileEdit"],
        reason: "only an editor completes text while the user types",
    },
    UnmappedClientEvents {
        names: &["afterAgentResponse", "afterAgentThought"],
        reason: "no other agent reports every message",
    },
    UnmappedClientEvents { names: &["workspaceOpen"], reason: "only an editor opens workspaces" },
];

/// The result of a tool, as JSON text.
fn response(context: &EncodeContext<'_>) -> Value {
    let result = context.field("result").or_else(|| context.field("content")).cloned().unwrap_or_default();
    Value::from(result.to_string())
}

/// The tool's name without the mark of an MCP tool, which it has only where all tools are.
fn bare_tool(context: &EncodeContext<'_>) -> Option<Value> {
    let name = context.tool_name();
    Some(Value::from(name.strip_prefix("MCP:").unwrap_or(name)))
}

fn path(context: &EncodeContext<'_>) -> Option<Value> {
    payload_values::input_field(context, "file_path").or_else(|| context.field("args")?.get("path").cloned())
}

fn path_subject(context: &EncodeContext<'_>) -> Option<Cow<'static, str>> {
    Some(Cow::Owned(path(context)?.as_str()?.to_owned()))
}

fn line_subject(context: &EncodeContext<'_>) -> Option<Cow<'static, str>> {
    Some(Cow::Owned(payload_values::input_field(context, "command")?.as_str()?.to_owned()))
}

fn status(context: &EncodeContext<'_>) -> &'static str {
    if context.field("is_error") == Some(&json!(true)) { "error" } else { "completed" }
}

fn kind(event: &Event) -> ToolKind {
    calls_of(&event.payload).first().map_or(ToolKind::Other, |call| call.kind)
}

fn is_shell(event: &Event) -> bool {
    kind(event) == ToolKind::Shell
}

fn is_mcp_tool(event: &Event) -> bool {
    kind(event) == ToolKind::Mcp
}

fn is_read(event: &Event) -> bool {
    kind(event) == ToolKind::Read
}

fn has_succeeded(event: &Event) -> bool {
    shared_events::tool_executed(event) && event.payload.field("is_error") != Some(&Value::Bool(true))
}

fn has_failed(event: &Event) -> bool {
    shared_events::tool_executed(event) && event.payload.field("is_error") == Some(&Value::Bool(true))
}
