//! GitHub Copilot CLI (agents' hook contracts, GitHub Copilot CLI; run with 1.0.102).
//!
//! The spelling of an event picks the form of its payload: `preToolUse` has Copilot's own names, `PreToolUse` those of
//! Claude Code. Installed are the first ones; the others serve files that are written for both.

mod abilities;
mod answer;
mod doctor;
mod install;
mod payload;

use serde_json::Value;

use crate::hosts::hook_json::read;
use crate::{Host, Row, Unreadable, Whose};

/// Copilot CLI.
pub static HOST: Host = Host {
    name: "copilot",
    title: "Copilot",
    rows: ROWS,
    tools: &pintle::dialects::tools::COPILOT,
    own_dialect: Some("copilot"),
    deadline_ms: 25_000,
    install: &install::INSTALL,
    event: unsaid,
    whose,
    project_variable: None,
    unasked: &[],
    sender: None,
};

/// Payloads in Copilot's own form do not say what they are of, and one of them says it in the other form's words.
fn unsaid(_payload: &Value) -> Option<&str> {
    None
}

fn whose(payload: &Value) -> Result<Whose, Unreadable> {
    if payload.get("sessionId").is_some() { payload::whose(payload) } else { read::whose(payload) }
}

const fn own(name: &'static str, fires: &'static [&'static str]) -> Row {
    Row::telling(name, fires, payload::other, &abilities::SILENT, answer::nothing)
}

/// The same event in the other spelling.
const fn other(name: &'static str, fires: &'static [&'static str]) -> Row {
    Row { noisy: true, tools: Some(&pintle::dialects::tools::COPILOT_AS_CLAUDE), read: read::other, ..own(name, fires) }
}

const BEFORE_TOOL: &[&str] = &["tool.transform", "tool.guard", "tool.pre", "delegation.pre"];
const AFTER_TOOL: &[&str] = &["tool.result", "tool.post", "file.edited"];
const STOP: &[&str] = &["agent.stop", "turn.end"];

static ROWS: &[Row] = &[
    Row {
        read: payload::session_start,
        can: &abilities::SESSION_START,
        answer: answer::context,
        ..own("sessionStart", &["session.start", "session.resume"])
    },
    Row {
        read: payload::prompt,
        can: &abilities::PROMPT,
        answer: answer::prompt,
        ..own("userPromptSubmitted", &["prompt.submit", "turn.start"])
    },
    Row {
        guards: true,
        read: payload::before_tool,
        can: &abilities::BEFORE_TOOL,
        answer: answer::before_tool,
        ..own("preToolUse", BEFORE_TOOL)
    },
    Row {
        guards: true,
        read: payload::permission,
        can: &abilities::PERMISSION,
        answer: answer::permission,
        ..own("permissionRequest", &["permission.ask"])
    },
    Row {
        read: payload::after_tool,
        can: &abilities::AFTER_TOOL,
        answer: answer::after_tool,
        ..own("postToolUse", AFTER_TOOL)
    },
    Row {
        read: payload::failed_tool,
        can: &abilities::FAILED_TOOL,
        answer: answer::context,
        ..own("postToolUseFailure", &["tool.result", "tool.post"])
    },
    Row { read: payload::stop, can: &abilities::STOP, answer: answer::stop, ..own("agentStop", STOP) },
    Row { read: payload::subagent_start, noisy: true, ..own("subagentStart", &["custom.copilot_subagent_start"]) },
    Row {
        read: payload::subagent_stop,
        can: &abilities::SUBAGENT_STOP,
        answer: answer::stop,
        ..own("subagentStop", &["delegation.post"])
    },
    Row { read: payload::compact_before, ..own("preCompact", &["compact.pre", "compact.before"]) },
    Row { read: payload::notification, ..own("notification", &["notification"]) },
    Row { read: payload::failed, ..own("errorOccurred", &["error", "session.error"]) },
    Row { read: payload::session_end, can: &abilities::SESSION_END, ..own("sessionEnd", &["session.end"]) },
    Row {
        read: read::session_start,
        can: &abilities::SESSION_START,
        answer: answer::context,
        ..other("SessionStart", &["session.start", "session.resume"])
    },
    Row {
        read: read::prompt,
        can: &abilities::PROMPT,
        answer: answer::prompt,
        ..other("UserPromptSubmit", &["prompt.submit", "turn.start"])
    },
    Row {
        guards: true,
        read: payload::any_before_tool,
        can: &abilities::BEFORE_TOOL,
        answer: answer::nested_before_tool,
        ..other("PreToolUse", BEFORE_TOOL)
    },
    Row {
        guards: true,
        read: payload::any_permission,
        can: &abilities::PERMISSION,
        answer: answer::permission,
        ..other("PermissionRequest", &["permission.ask"])
    },
    Row {
        read: payload::any_after_tool,
        can: &abilities::AFTER_TOOL,
        answer: answer::after_tool,
        ..other("PostToolUse", AFTER_TOOL)
    },
    Row {
        read: payload::any_failed_tool,
        can: &abilities::FAILED_TOOL,
        answer: answer::context,
        ..other("PostToolUseFailure", &["tool.result", "tool.post"])
    },
    Row { read: read::stop, can: &abilities::STOP, answer: answer::stop, ..other("Stop", STOP) },
    Row {
        read: read::subagent_stop,
        can: &abilities::SUBAGENT_STOP,
        answer: answer::stop,
        ..other("SubagentStop", &["delegation.post"])
    },
    Row { read: read::compact_before, ..other("PreCompact", &["compact.pre", "compact.before"]) },
    Row { read: read::notification, ..other("Notification", &["notification"]) },
    Row { read: read::session_end, can: &abilities::SESSION_END, ..other("SessionEnd", &["session.end"]) },
];
