//! Claude Code, tested with 2.1.330.

mod doctor;
mod install;
pub(super) mod response;
mod support;

use serde_json::Value;

use crate::hosts::copilot;
use crate::hosts::hook_json::hook_payload;
use crate::{HostDef, HostEventDef};

/// Claude Code.
pub static HOST: HostDef = HostDef {
    name: "claude",
    title: "Claude Code",
    events: ROWS,
    tools: &pintle::tools::CLAUDE,
    own_dialect: Some("claude_code"),
    deadline_ms: 25_000,
    install: &install::INSTALL,
    event_name: hook_payload::event_name,
    read_context: hook_payload::event_context,
    project_variable: Some("CLAUDE_PROJECT_DIR"),
    unhooked_actions: &[],
    recognise,
    sender: Some(find_sender),
};

fn recognise(payload: &Value) -> Option<&str> {
    let has = |name: &str| hook_payload::has(payload, name);
    let is_codex = hook_payload::is_codex_transcript(payload) == Some(true) || (has("turn_id") && has("model"));
    hook_payload::event_of_session(payload).filter(|_| !is_codex && !has("timestamp"))
}

/// Detects Copilot CLI, which also runs the hooks of a project's `.claude/settings.json`. Its payloads have no
/// transcript and a timestamp, and some are entirely in its own format.
fn find_sender(payload: &Value) -> Option<&'static HostDef> {
    let has = |name: &str| hook_payload::has(payload, name);
    let is_copilot = has("sessionId")
        || has("tool_result")
        || (has("timestamp") && !has("transcript_path") && !has("permission_mode"));
    is_copilot.then_some(&copilot::HOST)
}

const fn event_def(name: &'static str, fires: &'static [&'static str]) -> HostEventDef {
    HostEventDef::observe_only(name, fires, hook_payload::other_event, &support::TELLS, response::notice)
}

const fn high_volume_event_def(name: &'static str, fires: &'static [&'static str]) -> HostEventDef {
    HostEventDef { high_volume: true, ..event_def(name, fires) }
}

static ROWS: &[HostEventDef] = &[
    HostEventDef {
        read_payload: hook_payload::session_start,
        support: &support::SESSION_START,
        write_response: response::session_start,
        ..event_def("SessionStart", &["session.start", "session.resume"])
    },
    HostEventDef {
        is_guard: true,
        read_payload: hook_payload::prompt,
        support: &support::PROMPT,
        write_response: response::prompt,
        ..event_def("UserPromptSubmit", &["prompt.submit", "turn.start"])
    },
    HostEventDef {
        is_guard: true,
        read_payload: hook_payload::before_tool,
        support: &support::BEFORE_TOOL,
        write_response: response::before_tool,
        ..event_def("PreToolUse", &["tool.transform", "tool.guard", "tool.pre", "delegation.pre"])
    },
    HostEventDef {
        is_guard: true,
        read_payload: hook_payload::before_tool,
        support: &support::PERMISSION,
        write_response: response::permission,
        ..event_def("PermissionRequest", &["permission.ask"])
    },
    HostEventDef {
        read_payload: hook_payload::permission_denied,
        ..high_volume_event_def("PermissionDenied", &["permission.reply"])
    },
    HostEventDef {
        read_payload: hook_payload::after_tool,
        support: &support::AFTER_TOOL,
        write_response: response::after_tool,
        ..event_def("PostToolUse", &["tool.result", "tool.post", "file.edited"])
    },
    HostEventDef {
        read_payload: hook_payload::failed_tool,
        support: &support::FAILED_TOOL,
        write_response: response::failed_tool,
        ..event_def("PostToolUseFailure", &["tool.result", "tool.post"])
    },
    HostEventDef {
        read_payload: hook_payload::batch,
        support: &support::BATCH,
        write_response: response::context,
        ..event_def("PostToolBatch", &["tool.batch"])
    },
    HostEventDef {
        read_payload: hook_payload::subagent_start,
        support: &support::SUBAGENT_START,
        write_response: response::context,
        ..high_volume_event_def("SubagentStart", &["custom.claude_subagent_start"])
    },
    HostEventDef {
        read_payload: hook_payload::subagent_stop,
        support: &support::SUBAGENT_STOP,
        write_response: response::stop,
        ..event_def("SubagentStop", &["delegation.post"])
    },
    HostEventDef {
        read_payload: hook_payload::stop,
        support: &support::STOP,
        write_response: response::stop,
        ..event_def("Stop", &["agent.stop", "turn.end"])
    },
    HostEventDef { read_payload: hook_payload::agent_error, ..event_def("StopFailure", &["error", "session.error"]) },
    HostEventDef {
        is_guard: true,
        read_payload: hook_payload::compact_before,
        support: &support::COMPACT,
        write_response: response::compact,
        ..event_def("PreCompact", &["compact.pre", "compact.before"])
    },
    HostEventDef {
        read_payload: hook_payload::compact_after,
        support: &support::COMPACTED,
        write_response: response::compacted,
        ..event_def("PostCompact", &["compact.post"])
    },
    HostEventDef { read_payload: hook_payload::notification, ..event_def("Notification", &["notification"]) },
    HostEventDef {
        read_payload: hook_payload::session_end,
        support: &support::SESSION_END,
        write_response: response::empty_response,
        ..event_def("SessionEnd", &["session.end"])
    },
    high_volume_event_def("UserPromptExpansion", &["custom.claude_user_prompt_expansion"]),
    high_volume_event_def("InstructionsLoaded", &["custom.claude_instructions_loaded"]),
    high_volume_event_def("CwdChanged", &["custom.claude_cwd_changed"]),
    high_volume_event_def("MessageDisplay", &["custom.claude_message_display"]),
];
