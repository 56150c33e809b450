//! The events of Cursor.
//!
//! A shell command fires `preToolUse` and `beforeShellExecution`, and a tool of an MCP server fires `preToolUse` and
//! `beforeMCPExecution`. Pintle installs the former, which fires for every tool.

use std::borrow::Cow;

use pintle_contract::{Event, EventKind, FileContentKeys, ToolKind};
use pintle_tools::{CURSOR, kind_of};
use serde_json::{Value, json};

use super::response as answers;
use crate::event_def::empty_response;
use crate::host::{
    HostEventContext, HostEventData, HostEventKind, HostField, HostPayloadError, HostToolCall, read_json_text, text,
};
use crate::key_values::{both, key, read_key, written};
use crate::matcher::MatcherSyntax;
use crate::{
    BlockEffect, ClientEventDef, ClientKey, EncodeContext, ExitTwoEffect, InputRewrite, PayloadStyle, PlainTextReader,
    StopEffect, UnmappedClientEvents, key_values, payload_values, shared_events, shared_keys,
};

/// The shape of Cursor's payloads.
static STYLE: PayloadStyle = PayloadStyle {
    base: SESSION,
    tools: &CURSOR,
    matcher: MatcherSyntax::Expression,
    response,
    read_keys: const { &[&[read_key("session_id", HostField::Session), read_key("tool_use_id", HostField::CallId)]] },
    adjust_context: prefer_cwd,
};

const SESSION: &[ClientKey] = &[
    key("conversation_id", key_values::SESSION),
    key("generation_id", key_values::TURN),
    key("model", key_values::MODEL),
    key("hook_event_name", key_values::NAME),
    key("workspace_roots", key_values::DIRECTORIES),
    key("transcript_path", key_values::TRANSCRIPT_OR_NULL),
];

const BEGINNING: &[ClientKey] = &[
    key("session_id", key_values::SESSION),
    key("is_background_agent", key_values::ALWAYS_FALSE),
    key("composer_mode", written(|_| Some(Value::from("agent")))),
];

const ENDING: &[ClientKey] = &[
    key("session_id", key_values::SESSION),
    key("reason", key_values::END_REASON),
    key("duration_ms", key_values::DURATION),
];

const PROMPT: &[ClientKey] = &[key("prompt", key_values::PROMPT), key("attachments", key_values::EMPTY_LIST)];

const CALL: &[ClientKey] = &[
    key("tool_name", key_values::TOOL),
    key("tool_input", key_values::INPUT),
    key("tool_use_id", key_values::CALL_ID),
    key("cwd", key_values::DIRECTORY),
];

const LINE: &[ClientKey] = &[
    key("command", both(|given| payload_values::input_field(given, "command"), HostField::Input)),
    key("cwd", key_values::DIRECTORY),
];

const OF_SERVER: &[ClientKey] =
    &[key("tool_name", both(bare_tool, HostField::Tool)), key("tool_input", key_values::INPUT_TEXT)];

const FILE: &[ClientKey] = &[key("file_path", both(path, HostField::Path)), key("attachments", key_values::EMPTY_LIST)];

const OUTPUT: &[ClientKey] = &[key("tool_output", key_values::RESPONSE), key("duration", key_values::DURATION)];

const FAILURE: &[ClientKey] = &[
    key("error_message", key_values::ERROR),
    key("failure_type", written(|_| Some(Value::from("error")))),
    key("duration", key_values::DURATION),
];

const PRINTED: &[ClientKey] = &[key("output", key_values::RESULT_TEXT), key("duration", key_values::DURATION)];

const OF_SERVER_RESULT: &[ClientKey] =
    &[key("result_json", key_values::RESPONSE), key("duration", key_values::DURATION)];

const EDITED: &[ClientKey] = &[
    key("file_path", both(|given| given.field("path").cloned(), HostField::Path)),
    key("edits", key_values::EMPTY_LIST),
];

const DELEGATE: &[ClientKey] = &[key("subagent_type", key_values::DELEGATE), key("task", key_values::TASK)];

const DELEGATED: &[ClientKey] = &[
    key("subagent_type", key_values::DELEGATE),
    key("status", written(|given| Some(Value::from(status(given))))),
    key("summary", key_values::ANSWER),
    key("loop_count", key_values::CONTINUATION_COUNT),
];

const STOP: &[ClientKey] = &[
    key("status", written(|given| Some(Value::from(status(given))))),
    key("loop_count", key_values::CONTINUATION_COUNT),
];

const TELLS: ClientEventDef = ClientEventDef { exit_two: ExitTwoEffect::Fail, ..ClientEventDef::observe_only(&STYLE) };

/// An event on which a hook can decide.
const DECIDES: ClientEventDef =
    ClientEventDef { block: BlockEffect::Deny, permission: true, exit_two: ExitTwoEffect::Block, ..TELLS };

/// Before a tool call.
const BEFORE: ClientEventDef = ClientEventDef {
    canonical: Some(EventKind::ToolPre),
    is_tool: true,
    is_alias: true,
    fires: shared_events::BEFORE_TOOL,
    kind: HostEventKind::BeforeTool,
    is_guard: true,
    high_volume: true,
    ..DECIDES
};

/// After a tool call.
const AFTER: ClientEventDef = ClientEventDef {
    canonical: Some(EventKind::ToolPost),
    is_tool: true,
    is_alias: true,
    event_filter: Some(shared_events::tool_executed),
    fires: shared_events::FAILED_TOOL,
    kind: HostEventKind::AfterTool,
    ..TELLS
};

/// An event that the catalogue does not have.
const fn own(name: &'static str, custom: &'static str) -> ClientEventDef {
    ClientEventDef::unmapped(&STYLE, name, custom, &answers::SILENT, empty_response)
}

/// Its events.
pub(super) const ROWS: &[ClientEventDef] = &[
    ClientEventDef {
        name: "sessionStart",
        canonical: Some(EventKind::SessionStart),
        keys: &[BEGINNING],
        context: true,
        fires: &[EventKind::SessionStart],
        kind: HostEventKind::SessionStart,
        adjust: is_startup,
        ..TELLS
    }
    .answered(&answers::SESSION_START, answers::add_context),
    ClientEventDef {
        name: "beforeSubmitPrompt",
        keys: &[PROMPT],
        context: false,
        text: PlainTextReader::Discarded,
        ..shared_events::user_prompt_submit(&STYLE)
    }
    .answered(&answers::PROMPT, answers::prompt),
    ClientEventDef {
        name: "preToolUse",
        is_alias: false,
        keys: &[CALL],
        subject: Some(payload_values::tool_subject),
        input: InputRewrite::Replace,
        high_volume: false,
        ..BEFORE
    }
    .answered(&answers::BEFORE_TOOL, answers::permission),
    ClientEventDef {
        name: "beforeShellExecution",
        keys: &[LINE],
        subject: Some(line_subject),
        event_filter: Some(is_shell),
        ..shell_call(BEFORE)
    }
    .answered(&answers::BEFORE_EXECUTION, answers::permission),
    ClientEventDef {
        name: "beforeMCPExecution",
        keys: &[OF_SERVER],
        subject: Some(payload_values::tool_subject),
        event_filter: Some(is_mcp_tool),
        adjust: mark_mcp_tool,
        ..BEFORE
    }
    .answered(&answers::BEFORE_EXECUTION, answers::permission),
    ClientEventDef {
        name: "beforeReadFile",
        keys: &[FILE],
        file_content: Some(FileContentKeys { path: "file_path", content: "content" }),
        subject: Some(path_subject),
        event_filter: Some(is_read),
        kind: HostEventKind::FileEdited,
        adjust: read_call,
        ..BEFORE
    }
    .answered(&answers::BEFORE_READ, answers::permission),
    ClientEventDef {
        name: "postToolUse",
        is_alias: false,
        keys: &[CALL, OUTPUT],
        read_keys: const { &[read_key("duration_ms", HostField::Duration)] },
        subject: Some(payload_values::tool_subject),
        output: true,
        context: true,
        event_filter: Some(shared_events::has_succeeded),
        fires: shared_events::AFTER_TOOL,
        adjust: parse_result,
        ..AFTER
    }
    .answered(&answers::AFTER_TOOL, answers::after_tool),
    ClientEventDef {
        name: "postToolUseFailure",
        keys: &[CALL, FAILURE],
        subject: Some(payload_values::tool_subject),
        event_filter: Some(shared_events::has_failed),
        kind: HostEventKind::FailedTool,
        support: &answers::FAILED_TOOL,
        ..AFTER
    },
    ClientEventDef {
        name: "afterShellExecution",
        keys: &[LINE, PRINTED],
        subject: Some(line_subject),
        event_filter: Some(|event| shared_events::tool_executed(event) && is_shell(event)),
        high_volume: true,
        support: &answers::FAILED_TOOL,
        ..shell_call(AFTER)
    },
    ClientEventDef {
        name: "afterMCPExecution",
        keys: &[OF_SERVER, OF_SERVER_RESULT],
        subject: Some(payload_values::tool_subject),
        event_filter: Some(|event| shared_events::tool_executed(event) && is_mcp_tool(event)),
        high_volume: true,
        adjust: mark_mcp_tool,
        support: &answers::FAILED_TOOL,
        ..AFTER
    },
    ClientEventDef {
        name: "afterFileEdit",
        canonical: Some(EventKind::FileEdited),
        keys: &[EDITED],
        fires: &[EventKind::FileEdited],
        kind: HostEventKind::FileEdited,
        high_volume: true,
        support: &answers::SILENT,
        ..TELLS
    },
    own("afterAgentResponse", "custom.cursor_after_agent_response"),
    own("afterAgentThought", "custom.cursor_after_agent_thought"),
    ClientEventDef {
        name: "subagentStart",
        canonical: Some(EventKind::DelegationPre),
        keys: &[DELEGATE],
        read_keys: SUBAGENT_ID,
        subject: Some(payload_values::delegate_subject),
        custom: Some("custom.cursor_subagent_start"),
        kind: HostEventKind::SubagentStart,
        is_guard: true,
        high_volume: true,
        ..DECIDES
    }
    .answered(&answers::SUBAGENT_START, answers::permission),
    ClientEventDef {
        name: "subagentStop",
        canonical: Some(EventKind::DelegationPost),
        keys: &[DELEGATED],
        read_keys: SUBAGENT_ID,
        subject: Some(payload_values::delegate_subject),
        block: BlockEffect::Deny,
        fires: &[EventKind::DelegationPost],
        kind: HostEventKind::SubagentStop,
        ..TELLS
    }
    .answered(&answers::SUBAGENT_STOP, answers::stop),
    ClientEventDef {
        name: "preCompact",
        canonical: Some(EventKind::CompactPre),
        keys: &[shared_keys::TRIGGER],
        fires: shared_events::COMPACT,
        kind: HostEventKind::CompactBefore,
        ..TELLS
    }
    .answered(&answers::COMPACT, answers::notice),
    ClientEventDef {
        name: "stop",
        keys: &[STOP],
        exit_two: ExitTwoEffect::Fail,
        stop: StopEffect::Ignored,
        ..shared_events::stop(&STYLE)
    }
    .answered(&answers::STOP, answers::stop),
    ClientEventDef {
        name: "sessionEnd",
        canonical: Some(EventKind::SessionEnd),
        keys: &[ENDING],
        fires: &[EventKind::SessionEnd],
        kind: HostEventKind::SessionEnd,
        support: &answers::SESSION_END,
        ..TELLS
    },
];

const SUBAGENT_ID: &[ClientKey] = &[read_key("subagent_id", HostField::DelegateId)];

/// A shell command, whose keys are the input.
const fn shell_call(def: ClientEventDef) -> ClientEventDef {
    ClientEventDef { read_keys: const { &[read_key("hook_event_name", HostField::Tool)] }, adjust: command_call, ..def }
}

/// The events that the catalogue does not have.
pub(super) const ELSEWHERE: &[UnmappedClientEvents] = &[
    UnmappedClientEvents::new(
        &["beforeTabFileRead", "afterTabFileEdit"],
        "only an editor completes text while the user types",
    ),
    UnmappedClientEvents::new(&["afterAgentResponse", "afterAgentThought"], "no other agent reports every message"),
    UnmappedClientEvents::new(&["workspaceOpen"], "only an editor opens workspaces"),
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

fn is_shell(event: &Event) -> bool {
    kind_of(&event.payload) == ToolKind::Shell
}

fn is_mcp_tool(event: &Event) -> bool {
    kind_of(&event.payload) == ToolKind::Mcp
}

fn is_read(event: &Event) -> bool {
    kind_of(&event.payload) == ToolKind::Read
}

/// The working directory, or the first workspace without one.
pub(super) fn prefer_cwd(payload: &Value, context: &mut HostEventContext) {
    let cwd = text(payload, "cwd");
    if !cwd.is_empty() {
        context.cwd = cwd;
    }
}

pub(super) fn is_startup(_payload: &Value, _data: HostEventData) -> Result<HostEventData, HostPayloadError> {
    Ok(HostEventData::SessionStart { source: String::from("startup") })
}

/// The call of the tool that a shell command is, which the payload does not name.
pub(super) fn command_call(payload: &Value, data: HostEventData) -> Result<HostEventData, HostPayloadError> {
    let input = json!({"command": text(payload, "command"), "cwd": text(payload, "cwd")});
    Ok(with_call(data, |call| {
        call.name = String::from("Shell");
        call.input = input;
    }))
}

/// The mark of an MCP tool in its name, which the payload leaves out.
pub(super) fn mark_mcp_tool(payload: &Value, data: HostEventData) -> Result<HostEventData, HostPayloadError> {
    let data = parse_result(payload, data)?;
    Ok(with_call(data, |call| {
        if !call.name.starts_with("MCP:") {
            call.name.insert_str(0, "MCP:");
        }
    }))
}

/// The result, which is JSON text.
pub(super) fn parse_result(_payload: &Value, data: HostEventData) -> Result<HostEventData, HostPayloadError> {
    let HostEventData::AfterTool { call, response: Value::String(text), is_error, duration_ms } = data else {
        return Ok(data);
    };
    Ok(HostEventData::AfterTool { call, response: read_json_text(&text)?, is_error, duration_ms })
}

/// The call of the tool that reads a file, which the payload does not name.
pub(super) fn read_call(_payload: &Value, data: HostEventData) -> Result<HostEventData, HostPayloadError> {
    let HostEventData::FileEdited { path } = data else {
        return Ok(data);
    };
    let input = json!({"file_path": path});
    Ok(HostEventData::BeforeTool(HostToolCall { id: String::new(), name: String::from("Read"), input }))
}

fn with_call(mut data: HostEventData, change: impl FnOnce(&mut HostToolCall)) -> HostEventData {
    if let HostEventData::BeforeTool(call) | HostEventData::AfterTool { call, .. } = &mut data {
        change(call);
    }
    data
}
