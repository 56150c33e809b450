//! OpenAI Codex CLI (agents' hook contracts, Codex; run with 0.169.0).

mod abilities;
mod answer;
mod doctor;
mod install;

use crate::hosts::hook_json::read;
use crate::{Host, Row};

/// Codex CLI.
pub static HOST: Host = Host {
    name: "codex",
    title: "Codex",
    rows: ROWS,
    tools: &pintle::dialects::tools::CODEX,
    own_dialect: Some("codex"),
    deadline_ms: 25_000,
    install: &install::INSTALL,
    event: read::event,
    whose: read::whose,
    project_variable: None,
    unasked: &[
        "what it types into a shell that it opened with a terminal (`write_stdin`)",
        "web search, and some paths of its code mode",
    ],
    sender: None,
};

const fn row(name: &'static str, fires: &'static [&'static str]) -> Row {
    Row::telling(name, fires, read::other, &abilities::TELLS, answer::notice)
}

static ROWS: &[Row] = &[
    Row {
        read: read::session_start,
        can: &abilities::SESSION_START,
        answer: answer::session_start,
        ..row("SessionStart", &["session.start", "session.resume"])
    },
    Row {
        guards: true,
        read: read::prompt,
        can: &abilities::PROMPT,
        answer: answer::prompt,
        ..row("UserPromptSubmit", &["prompt.submit", "turn.start"])
    },
    Row {
        guards: true,
        read: read::before_tool,
        can: &abilities::BEFORE_TOOL,
        answer: answer::before_tool,
        ..row("PreToolUse", &["tool.transform", "tool.guard", "tool.pre", "delegation.pre"])
    },
    Row {
        guards: true,
        read: read::before_tool,
        can: &abilities::PERMISSION,
        answer: answer::permission,
        ..row("PermissionRequest", &["permission.ask"])
    },
    Row {
        read: read::after_tool,
        can: &abilities::AFTER_TOOL,
        answer: answer::after_tool,
        ..row("PostToolUse", &["tool.result", "tool.post", "file.edited"])
    },
    Row {
        read: read::subagent_start,
        can: &abilities::SUBAGENT_START,
        answer: answer::context,
        noisy: true,
        ..row("SubagentStart", &["custom.codex_subagent_start"])
    },
    Row {
        read: read::subagent_stop,
        can: &abilities::SUBAGENT_STOP,
        answer: answer::stop,
        ..row("SubagentStop", &["delegation.post"])
    },
    Row { read: read::stop, can: &abilities::STOP, answer: answer::stop, ..row("Stop", &["agent.stop", "turn.end"]) },
    Row {
        guards: true,
        read: read::compact_before,
        can: &abilities::COMPACT,
        answer: answer::compact,
        ..row("PreCompact", &["compact.pre", "compact.before"])
    },
    Row { read: read::compact_after, can: &abilities::COMPACTED, ..row("PostCompact", &["compact.post"]) },
    Row {
        can: &abilities::SESSION_END,
        answer: answer::nothing,
        read: read::session_end,
        ..row("SessionEnd", &["session.end"])
    },
    Row { noisy: true, ..row("Interrupt", &["custom.codex_interrupt"]) },
];
