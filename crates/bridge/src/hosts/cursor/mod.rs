//! Cursor, written from its documentation and third-party recordings of 3.9.
//!
//! A shell command fires `preToolUse` and `beforeShellExecution`, and a tool of an MCP server fires `preToolUse` and
//! `beforeMCPExecution`. Pintle installs the former, which fires for every tool.

mod doctor;
mod install;
mod payload;
mod response;
mod support;

use serde_json::Value;

use crate::hosts::fields;
use crate::{HostDef, HostEventDef};

/// Cursor.
pub static HOST: HostDef = HostDef {
    name: "cursor",
    title: "Cursor",
    events: ROWS,
    tools: &pintle::tools::CURSOR,
    own_dialect: Some("cursor"),
    deadline_ms: 25_000,
    install: &install::INSTALL,
    event_name,
    read_context: payload::event_context,
    project_variable: Some("CURSOR_PROJECT_DIR"),
    unhooked_actions: &["its built-in code search"],
    recognise: |payload| {
        let has = |name: &str| fields::has(payload, name);
        event_name(payload).filter(|_| has("cursor_version") || (has("conversation_id") && has("generation_id")))
    },
    sender: None,
};

fn event_name(payload: &Value) -> Option<&str> {
    payload.get("hook_event_name").and_then(Value::as_str)
}

const fn event_def(name: &'static str, fires: &'static [&'static str]) -> HostEventDef {
    HostEventDef::observe_only(name, fires, payload::other_event, &support::SILENT, response::empty_response)
}

const fn high_volume_event_def(name: &'static str, fires: &'static [&'static str]) -> HostEventDef {
    HostEventDef { high_volume: true, ..event_def(name, fires) }
}

const BEFORE_TOOL: &[&str] = &["tool.transform", "tool.guard", "tool.pre", "delegation.pre"];

static ROWS: &[HostEventDef] = &[
    HostEventDef {
        read_payload: payload::session_start,
        support: &support::SESSION_START,
        write_response: response::context,
        ..event_def("sessionStart", &["session.start"])
    },
    HostEventDef {
        is_guard: true,
        read_payload: payload::prompt,
        support: &support::PROMPT,
        write_response: response::prompt,
        ..event_def("beforeSubmitPrompt", &["prompt.submit", "turn.start"])
    },
    HostEventDef {
        is_guard: true,
        read_payload: payload::before_tool,
        support: &support::BEFORE_TOOL,
        write_response: response::permission,
        ..event_def("preToolUse", BEFORE_TOOL)
    },
    HostEventDef {
        is_guard: true,
        read_payload: payload::before_shell,
        support: &support::BEFORE_EXECUTION,
        write_response: response::permission,
        ..high_volume_event_def("beforeShellExecution", BEFORE_TOOL)
    },
    HostEventDef {
        is_guard: true,
        read_payload: payload::before_mcp_tool,
        support: &support::BEFORE_EXECUTION,
        write_response: response::permission,
        ..high_volume_event_def("beforeMCPExecution", BEFORE_TOOL)
    },
    HostEventDef {
        is_guard: true,
        read_payload: payload::before_read,
        support: &support::BEFORE_READ,
        write_response: response::permission,
        ..high_volume_event_def("beforeReadFile", BEFORE_TOOL)
    },
    HostEventDef {
        read_payload: payload::after_tool,
        support: &support::AFTER_TOOL,
        write_response: response::after_tool,
        ..event_def("postToolUse", &["tool.result", "tool.post", "file.edited"])
    },
    HostEventDef {
        read_payload: payload::failed_tool,
        support: &support::FAILED_TOOL,
        ..event_def("postToolUseFailure", &["tool.result", "tool.post"])
    },
    HostEventDef {
        read_payload: payload::after_shell,
        support: &support::FAILED_TOOL,
        ..high_volume_event_def("afterShellExecution", &["tool.result", "tool.post"])
    },
    HostEventDef {
        read_payload: payload::after_mcp_tool,
        support: &support::FAILED_TOOL,
        ..high_volume_event_def("afterMCPExecution", &["tool.result", "tool.post"])
    },
    HostEventDef { read_payload: payload::file_edited, ..high_volume_event_def("afterFileEdit", &["file.edited"]) },
    high_volume_event_def("afterAgentResponse", &["custom.cursor_after_agent_response"]),
    high_volume_event_def("afterAgentThought", &["custom.cursor_after_agent_thought"]),
    HostEventDef {
        is_guard: true,
        read_payload: payload::subagent_start,
        support: &support::SUBAGENT_START,
        write_response: response::permission,
        ..high_volume_event_def("subagentStart", &["custom.cursor_subagent_start"])
    },
    HostEventDef {
        read_payload: payload::subagent_stop,
        support: &support::STOP,
        write_response: response::stop,
        ..event_def("subagentStop", &["delegation.post"])
    },
    HostEventDef {
        read_payload: payload::compact_before,
        support: &support::COMPACT,
        write_response: response::notice,
        ..event_def("preCompact", &["compact.pre", "compact.before"])
    },
    HostEventDef {
        read_payload: payload::stop,
        support: &support::STOP,
        write_response: response::stop,
        ..event_def("stop", &["agent.stop", "turn.end"])
    },
    HostEventDef {
        read_payload: payload::session_end,
        support: &support::SESSION_END,
        ..event_def("sessionEnd", &["session.end"])
    },
];
