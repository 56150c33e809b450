//! Cursor (agents' hook contracts, Cursor; from its documents and a third party's recorded runs on 3.9).
//!
//! A shell command fires `preToolUse` and `beforeShellExecution`, a tool of an MCP server `preToolUse` and
//! `beforeMCPExecution`. Installed is the first one, which comes for every tool.

mod abilities;
mod answer;
mod doctor;
mod install;
mod payload;

use serde_json::Value;

use crate::{Host, Row};

/// Cursor.
pub static HOST: Host = Host {
    name: "cursor",
    title: "Cursor",
    rows: ROWS,
    tools: &pintle::dialects::tools::CURSOR,
    own_dialect: Some("cursor"),
    deadline_ms: 25_000,
    install: &install::INSTALL,
    event,
    whose: payload::whose,
    project_variable: Some("CURSOR_PROJECT_DIR"),
    unasked: &["its own search of the code"],
    sender: None,
};

fn event(payload: &Value) -> Option<&str> {
    payload.get("hook_event_name").and_then(Value::as_str)
}

const fn row(name: &'static str, fires: &'static [&'static str]) -> Row {
    Row::telling(name, fires, payload::other, &abilities::SILENT, answer::nothing)
}

const fn noisy(name: &'static str, fires: &'static [&'static str]) -> Row {
    Row { noisy: true, ..row(name, fires) }
}

const BEFORE_TOOL: &[&str] = &["tool.transform", "tool.guard", "tool.pre", "delegation.pre"];

static ROWS: &[Row] = &[
    Row {
        read: payload::session_start,
        can: &abilities::SESSION_START,
        answer: answer::context,
        ..row("sessionStart", &["session.start"])
    },
    Row {
        guards: true,
        read: payload::prompt,
        can: &abilities::PROMPT,
        answer: answer::prompt,
        ..row("beforeSubmitPrompt", &["prompt.submit", "turn.start"])
    },
    Row {
        guards: true,
        read: payload::before_tool,
        can: &abilities::BEFORE_TOOL,
        answer: answer::permission,
        ..row("preToolUse", BEFORE_TOOL)
    },
    Row {
        guards: true,
        read: payload::before_shell,
        can: &abilities::BEFORE_EXECUTION,
        answer: answer::permission,
        ..noisy("beforeShellExecution", BEFORE_TOOL)
    },
    Row {
        guards: true,
        read: payload::before_server,
        can: &abilities::BEFORE_EXECUTION,
        answer: answer::permission,
        ..noisy("beforeMCPExecution", BEFORE_TOOL)
    },
    Row {
        guards: true,
        read: payload::before_read,
        can: &abilities::BEFORE_READ,
        answer: answer::permission,
        ..noisy("beforeReadFile", BEFORE_TOOL)
    },
    Row {
        read: payload::after_tool,
        can: &abilities::AFTER_TOOL,
        answer: answer::after_tool,
        ..row("postToolUse", &["tool.result", "tool.post", "file.edited"])
    },
    Row {
        read: payload::failed_tool,
        can: &abilities::FAILED_TOOL,
        ..row("postToolUseFailure", &["tool.result", "tool.post"])
    },
    noisy("afterShellExecution", &["custom.cursor_after_shell_execution"]),
    noisy("afterMCPExecution", &["custom.cursor_after_mcp_execution"]),
    noisy("afterFileEdit", &["custom.cursor_after_file_edit"]),
    noisy("afterAgentResponse", &["custom.cursor_after_agent_response"]),
    noisy("afterAgentThought", &["custom.cursor_after_agent_thought"]),
    Row {
        guards: true,
        read: payload::subagent_start,
        can: &abilities::SUBAGENT_START,
        answer: answer::permission,
        ..noisy("subagentStart", &["custom.cursor_subagent_start"])
    },
    Row {
        read: payload::subagent_stop,
        can: &abilities::STOP,
        answer: answer::stop,
        ..row("subagentStop", &["delegation.post"])
    },
    Row {
        read: payload::compact_before,
        can: &abilities::COMPACT,
        answer: answer::notice,
        ..row("preCompact", &["compact.pre", "compact.before"])
    },
    Row {
        read: payload::stop,
        can: &abilities::STOP,
        answer: answer::stop,
        ..row("stop", &["agent.stop", "turn.end"])
    },
    Row { read: payload::session_end, can: &abilities::SESSION_END, ..row("sessionEnd", &["session.end"]) },
];
