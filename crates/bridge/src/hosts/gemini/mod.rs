//! Gemini CLI (agents' hook contracts, Gemini CLI; run with 0.61.0).

mod abilities;
mod answer;
mod doctor;
mod install;
mod payload;

use crate::hosts::hook_json::read;
use crate::{Host, Row};

/// Gemini CLI.
pub static HOST: Host = Host {
    name: "gemini",
    title: "Gemini CLI",
    rows: ROWS,
    tools: &pintle::dialects::tools::GEMINI,
    own_dialect: Some("gemini"),
    deadline_ms: 25_000,
    install: &install::INSTALL,
    event: read::event,
    whose: payload::whose,
    project_variable: Some("GEMINI_PROJECT_DIR"),
    unasked: &["anything in a folder that it does not trust: it runs no hooks there"],
    sender: None,
};

const fn row(name: &'static str, fires: &'static [&'static str]) -> Row {
    Row::telling(name, fires, read::other, &abilities::TELLS, answer::notice)
}

const fn noisy(name: &'static str, fires: &'static [&'static str]) -> Row {
    Row { noisy: true, ..row(name, fires) }
}

static ROWS: &[Row] = &[
    Row {
        read: read::session_start,
        can: &abilities::SESSION_START,
        answer: answer::context,
        ..row("SessionStart", &["session.start", "session.resume"])
    },
    Row {
        guards: true,
        read: read::prompt,
        can: &abilities::PROMPT,
        answer: answer::prompt,
        ..row("BeforeAgent", &["prompt.submit", "turn.start"])
    },
    Row {
        guards: true,
        read: payload::before_tool,
        can: &abilities::BEFORE_TOOL,
        answer: answer::before_tool,
        ..row("BeforeTool", &["tool.transform", "tool.guard", "tool.pre", "delegation.pre"])
    },
    Row {
        read: payload::after_tool,
        can: &abilities::AFTER_TOOL,
        answer: answer::after_tool,
        ..row("AfterTool", &["tool.result", "tool.post", "file.edited"])
    },
    Row {
        read: payload::stop,
        can: &abilities::STOP,
        answer: answer::stop,
        ..row("AfterAgent", &["agent.stop", "turn.end"])
    },
    Row { read: read::notification, ..row("Notification", &["notification"]) },
    Row { read: read::session_end, can: &abilities::SESSION_END, ..row("SessionEnd", &["session.end"]) },
    // It comes before every model call, also when nothing is compressed, and its answer changes nothing.
    Row {
        read: read::compact_before,
        can: &abilities::COMPACT,
        ..noisy("PreCompress", &["compact.pre", "compact.before"])
    },
    Row {
        read: payload::before_model,
        can: &abilities::BEFORE_MODEL,
        answer: answer::refusable,
        ..noisy("BeforeModel", &["completion.pre"])
    },
    noisy("BeforeToolSelection", &["custom.gemini_before_tool_selection"]),
    Row { read: payload::after_model, can: &abilities::TELLS_LATER, ..noisy("AfterModel", &["completion.post"]) },
];

#[cfg(test)]
mod tests;
