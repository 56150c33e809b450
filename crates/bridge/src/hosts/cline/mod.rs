//! Cline (agents' hook contracts, Cline; run with 3.0.65).
//!
//! Cline waits for the hooks of tools alone, and takes the answer's JSON and never its status. It starts programs that
//! are called after the event, and its payloads have another name for it.

mod abilities;
mod answer;
mod doctor;
mod install;
mod payload;

use serde_json::Value;

use crate::{Host, Row};

/// Cline.
pub static HOST: Host = Host {
    name: "cline",
    title: "Cline",
    rows: ROWS,
    tools: &pintle::dialects::tools::CLINE,
    own_dialect: Some("cline"),
    deadline_ms: 25_000,
    install: &install::INSTALL,
    event: unsaid,
    whose: payload::whose,
    project_variable: None,
    unasked: &["prompts, when it runs without a terminal"],
    sender: None,
};

fn unsaid(_payload: &Value) -> Option<&str> {
    None
}

const fn row(name: &'static str, fires: &'static [&'static str]) -> Row {
    Row::telling(name, fires, payload::other, &abilities::DETACHED, answer::nothing)
}

static ROWS: &[Row] = &[
    Row { read: payload::session_start, can: &abilities::SESSION_START, ..row("TaskStart", &["session.start"]) },
    Row {
        read: payload::session_resume,
        can: &abilities::SESSION_START,
        ..row("TaskResume", &["session.start", "session.resume"])
    },
    Row {
        guards: true,
        read: payload::prompt,
        can: &abilities::PROMPT,
        answer: answer::cancel,
        ..row("UserPromptSubmit", &["prompt.submit", "turn.start"])
    },
    Row {
        guards: true,
        read: payload::before_tool,
        can: &abilities::BEFORE_TOOL,
        answer: answer::cancel,
        ..row("PreToolUse", &["tool.transform", "tool.guard", "tool.pre", "delegation.pre"])
    },
    Row {
        read: payload::after_tool,
        can: &abilities::AFTER_TOOL,
        answer: answer::cancel,
        ..row("PostToolUse", &["tool.result", "tool.post", "file.edited"])
    },
    Row { read: payload::complete, can: &abilities::TASK_END, ..row("TaskComplete", &["turn.end"]) },
    Row { read: payload::failed, ..row("TaskError", &["error", "session.error"]) },
    Row { noisy: true, ..row("TaskCancel", &["custom.cline_task_cancel"]) },
    Row { read: payload::session_end, can: &abilities::SESSION_END, ..row("SessionShutdown", &["session.end"]) },
];
