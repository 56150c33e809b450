//! Qwen Code, tested with 0.24.4: the events and responses of Claude Code, and the tools of Gemini CLI.

mod doctor;
mod install;
mod payload;
mod response;
mod support;

use serde_json::Value;

use crate::hosts::claude::response as claude;
use crate::hosts::hook_json::hook_payload;
use crate::{HostDef, HostEventDef};

/// Qwen Code.
pub static HOST: HostDef = HostDef {
    name: "qwen",
    title: "Qwen Code",
    events: ROWS,
    tools: &pintle::tools::QWEN,
    own_dialect: Some("qwen"),
    deadline_ms: 25_000,
    install: &install::INSTALL,
    event_name: hook_payload::event_name,
    read_context: hook_payload::event_context,
    project_variable: Some("QWEN_PROJECT_DIR"),
    unhooked_actions: &[],
    recognise,
    sender: None,
};

fn recognise(payload: &Value) -> Option<&str> {
    let is_qwen =
        ["timestamp", "transcript_path", "permission_mode"].iter().all(|name| hook_payload::has(payload, name));
    hook_payload::event_of_session(payload).filter(|_| is_qwen)
}

const fn event_def(name: &'static str, fires: &'static [&'static str]) -> HostEventDef {
    HostEventDef::observe_only(name, fires, hook_payload::other_event, &support::TELLS, claude::notice)
}

const fn high_volume_event_def(name: &'static str, fires: &'static [&'static str]) -> HostEventDef {
    HostEventDef { high_volume: true, ..event_def(name, fires) }
}

static ROWS: &[HostEventDef] = &[
    HostEventDef {
        read_payload: hook_payload::session_start,
        support: &support::SESSION_START,
        write_response: claude::context,
        ..event_def("SessionStart", &["session.start", "session.resume"])
    },
    HostEventDef {
        is_guard: true,
        read_payload: payload::prompt,
        support: &support::PROMPT,
        write_response: claude::prompt,
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
        write_response: claude::permission,
        ..event_def("PermissionRequest", &["permission.ask"])
    },
    HostEventDef {
        read_payload: payload::after_tool,
        support: &support::AFTER_TOOL,
        write_response: response::after_tool,
        ..event_def("PostToolUse", &["tool.result", "tool.post", "file.edited"])
    },
    HostEventDef {
        read_payload: hook_payload::failed_tool,
        support: &support::FAILED_TOOL,
        write_response: claude::context,
        ..event_def("PostToolUseFailure", &["tool.result", "tool.post"])
    },
    HostEventDef {
        read_payload: hook_payload::batch,
        support: &support::BATCH,
        write_response: claude::context,
        ..event_def("PostToolBatch", &["tool.batch"])
    },
    HostEventDef {
        read_payload: hook_payload::subagent_stop,
        support: &support::SUBAGENT_STOP,
        write_response: claude::stop,
        ..event_def("SubagentStop", &["delegation.post"])
    },
    HostEventDef {
        read_payload: hook_payload::stop,
        support: &support::STOP,
        write_response: claude::stop,
        ..event_def("Stop", &["agent.stop", "turn.end"])
    },
    HostEventDef { read_payload: hook_payload::agent_error, ..event_def("StopFailure", &["error"]) },
    HostEventDef {
        read_payload: hook_payload::compact_before,
        support: &support::COMPACT,
        write_response: claude::context,
        ..event_def("PreCompact", &["compact.pre", "compact.before"])
    },
    HostEventDef {
        read_payload: hook_payload::compact_after,
        support: &support::COMPACTED,
        ..event_def("PostCompact", &["compact.post"])
    },
    HostEventDef { read_payload: hook_payload::notification, ..event_def("Notification", &["notification"]) },
    HostEventDef {
        read_payload: hook_payload::session_end,
        support: &support::SESSION_END,
        ..event_def("SessionEnd", &["session.end"])
    },
    HostEventDef {
        read_payload: hook_payload::subagent_start,
        support: &support::SUBAGENT_START,
        write_response: claude::context,
        ..high_volume_event_def("SubagentStart", &["custom.qwen_subagent_start"])
    },
    high_volume_event_def("UserPromptExpansion", &["custom.qwen_user_prompt_expansion"]),
    high_volume_event_def("SessionDelete", &["custom.qwen_session_delete"]),
    high_volume_event_def("MessageDisplay", &["custom.qwen_message_display"]),
    HostEventDef {
        read_payload: hook_payload::permission_denied,
        ..high_volume_event_def("PermissionDenied", &["permission.reply"])
    },
    high_volume_event_def("TodoCreated", &["custom.qwen_todo_created"]),
    high_volume_event_def("TodoCompleted", &["custom.qwen_todo_completed"]),
    high_volume_event_def("InstructionsLoaded", &["custom.qwen_instructions_loaded"]),
];

#[cfg(test)]
mod tests;
