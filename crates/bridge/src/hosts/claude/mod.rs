//! Claude Code (agents' hook contracts, Claude Code; run with 2.1.330).

mod abilities;
pub(super) mod answer;
mod doctor;
mod install;

use serde_json::Value;

use crate::hosts::copilot;
use crate::hosts::hook_json::read;
use crate::{Host, Row};

/// Claude Code.
pub static HOST: Host = Host {
    name: "claude",
    title: "Claude Code",
    rows: ROWS,
    tools: &pintle::dialects::tools::CLAUDE,
    own_dialect: Some("claude_code"),
    deadline_ms: 25_000,
    install: &install::INSTALL,
    event: read::event,
    whose: read::whose,
    project_variable: Some("CLAUDE_PROJECT_DIR"),
    unasked: &[],
    sender: Some(sender),
};

/// Copilot CLI runs the hooks of a project's `.claude/settings.json` too. Its payloads have no transcript and a time, and
/// some are in its own form altogether.
fn sender(payload: &Value) -> Option<&'static Host> {
    let has = |name: &str| payload.get(name).is_some_and(|value| !value.is_null());
    let is_copilot = has("sessionId")
        || has("tool_result")
        || (has("timestamp") && !has("transcript_path") && !has("permission_mode"));
    is_copilot.then_some(&copilot::HOST)
}

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
        read: read::failed_tool,
        can: &abilities::FAILED_TOOL,
        answer: answer::failed_tool,
        ..row("PostToolUseFailure", &["tool.result", "tool.post"])
    },
    Row { read: read::batch, can: &abilities::BATCH, answer: answer::context, ..row("PostToolBatch", &["tool.batch"]) },
    Row {
        read: read::subagent_start,
        can: &abilities::SUBAGENT_START,
        answer: answer::context,
        ..noisy("SubagentStart", &["custom.claude_subagent_start"])
    },
    Row {
        read: read::subagent_stop,
        can: &abilities::SUBAGENT_STOP,
        answer: answer::stop,
        ..row("SubagentStop", &["delegation.post"])
    },
    Row { read: read::stop, can: &abilities::STOP, answer: answer::stop, ..row("Stop", &["agent.stop", "turn.end"]) },
    Row { read: read::failed, ..row("StopFailure", &["error", "session.error"]) },
    Row {
        guards: true,
        read: read::compact_before,
        can: &abilities::COMPACT,
        answer: answer::compact,
        ..row("PreCompact", &["compact.pre", "compact.before"])
    },
    Row {
        read: read::compact_after,
        can: &abilities::COMPACTED,
        answer: answer::compacted,
        ..row("PostCompact", &["compact.post"])
    },
    Row { read: read::notification, ..row("Notification", &["notification"]) },
    Row {
        read: read::session_end,
        can: &abilities::SESSION_END,
        answer: answer::nothing,
        ..row("SessionEnd", &["session.end"])
    },
    noisy("UserPromptExpansion", &["custom.claude_user_prompt_expansion"]),
    noisy("InstructionsLoaded", &["custom.claude_instructions_loaded"]),
    noisy("CwdChanged", &["custom.claude_cwd_changed"]),
    noisy("MessageDisplay", &["custom.claude_message_display"]),
];
