//! Qwen Code (agents' hook contracts, Qwen Code; run with 0.24.4): the events and answers of Claude Code, and the tools of
//! Gemini CLI.

mod abilities;
mod answer;
mod doctor;
mod install;
mod payload;

use crate::hosts::claude::answer as claude;
use crate::hosts::hook_json::read;
use crate::{Host, Row};

/// Qwen Code.
pub static HOST: Host = Host {
    name: "qwen",
    title: "Qwen Code",
    rows: ROWS,
    tools: &pintle::dialects::tools::QWEN,
    own_dialect: Some("qwen"),
    deadline_ms: 25_000,
    install: &install::INSTALL,
    event: read::event,
    whose: read::whose,
    project_variable: Some("QWEN_PROJECT_DIR"),
    unasked: &[],
    sender: None,
};

const fn row(name: &'static str, fires: &'static [&'static str]) -> Row {
    Row::telling(name, fires, read::other, &abilities::TELLS, claude::notice)
}

const fn noisy(name: &'static str, fires: &'static [&'static str]) -> Row {
    Row { noisy: true, ..row(name, fires) }
}

static ROWS: &[Row] = &[
    Row {
        read: read::session_start,
        can: &abilities::SESSION_START,
        answer: claude::context,
        ..row("SessionStart", &["session.start", "session.resume"])
    },
    Row {
        guards: true,
        read: payload::prompt,
        can: &abilities::PROMPT,
        answer: claude::prompt,
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
        answer: claude::permission,
        ..row("PermissionRequest", &["permission.ask"])
    },
    Row {
        read: payload::after_tool,
        can: &abilities::AFTER_TOOL,
        answer: answer::after_tool,
        ..row("PostToolUse", &["tool.result", "tool.post", "file.edited"])
    },
    Row {
        read: read::failed_tool,
        can: &abilities::FAILED_TOOL,
        answer: claude::context,
        ..row("PostToolUseFailure", &["tool.result", "tool.post"])
    },
    Row { read: read::batch, can: &abilities::BATCH, answer: claude::context, ..row("PostToolBatch", &["tool.batch"]) },
    Row {
        read: read::subagent_stop,
        can: &abilities::SUBAGENT_STOP,
        answer: claude::stop,
        ..row("SubagentStop", &["delegation.post"])
    },
    Row { read: read::stop, can: &abilities::STOP, answer: claude::stop, ..row("Stop", &["agent.stop", "turn.end"]) },
    Row { read: read::failed, ..row("StopFailure", &["error"]) },
    Row {
        read: read::compact_before,
        can: &abilities::COMPACT,
        answer: claude::context,
        ..row("PreCompact", &["compact.pre", "compact.before"])
    },
    Row { read: read::compact_after, can: &abilities::COMPACTED, ..row("PostCompact", &["compact.post"]) },
    Row { read: read::notification, ..row("Notification", &["notification"]) },
    Row { read: read::session_end, can: &abilities::SESSION_END, ..row("SessionEnd", &["session.end"]) },
    Row {
        read: read::subagent_start,
        can: &abilities::SUBAGENT_START,
        answer: claude::context,
        ..noisy("SubagentStart", &["custom.qwen_subagent_start"])
    },
    noisy("UserPromptExpansion", &["custom.qwen_user_prompt_expansion"]),
    noisy("SessionDelete", &["custom.qwen_session_delete"]),
    noisy("MessageDisplay", &["custom.qwen_message_display"]),
    noisy("PermissionDenied", &["custom.qwen_permission_denied"]),
    noisy("TodoCreated", &["custom.qwen_todo_created"]),
    noisy("TodoCompleted", &["custom.qwen_todo_completed"]),
    noisy("InstructionsLoaded", &["custom.qwen_instructions_loaded"]),
];

#[cfg(test)]
mod tests;
