//! OpenAI Codex CLI, tested with 0.169.0.

mod abilities;
mod answer;
mod doctor;
mod install;

use crate::hosts::hook_json::hook_payload;
use crate::{HostDef, HostEventDef};

/// Codex CLI.
pub static HOST: HostDef = HostDef {
    name: "codex",
    title: "Codex",
    events: ROWS,
    tools: &pintle::dialects::tools::CODEX,
    own_dialect: Some("codex"),
    deadline_ms: 25_000,
    install: &install::INSTALL,
    event_name: hook_payload::event_name,
    read_context: hook_payload::event_context,
    project_variable: None,
    unhooked_actions: &[
        "input that it types into an open terminal session (`write_stdin`)",
        "web search, and some paths of its code mode",
    ],
    sender: None,
};

const fn event_def(name: &'static str, fires: &'static [&'static str]) -> HostEventDef {
    HostEventDef::observe_only(name, fires, hook_payload::other_event, &abilities::TELLS, answer::notice)
}

static ROWS: &[HostEventDef] = &[
    HostEventDef {
        read_payload: hook_payload::session_start,
        support: &abilities::SESSION_START,
        write_response: answer::session_start,
        ..event_def("SessionStart", &["session.start", "session.resume"])
    },
    HostEventDef {
        is_guard: true,
        read_payload: hook_payload::prompt,
        support: &abilities::PROMPT,
        write_response: answer::prompt,
        ..event_def("UserPromptSubmit", &["prompt.submit", "turn.start"])
    },
    HostEventDef {
        is_guard: true,
        read_payload: hook_payload::before_tool,
        support: &abilities::BEFORE_TOOL,
        write_response: answer::before_tool,
        ..event_def("PreToolUse", &["tool.transform", "tool.guard", "tool.pre", "delegation.pre"])
    },
    HostEventDef {
        is_guard: true,
        read_payload: hook_payload::before_tool,
        support: &abilities::PERMISSION,
        write_response: answer::permission,
        ..event_def("PermissionRequest", &["permission.ask"])
    },
    HostEventDef {
        read_payload: hook_payload::after_tool,
        support: &abilities::AFTER_TOOL,
        write_response: answer::after_tool,
        ..event_def("PostToolUse", &["tool.result", "tool.post", "file.edited"])
    },
    HostEventDef {
        read_payload: hook_payload::subagent_start,
        support: &abilities::SUBAGENT_START,
        write_response: answer::context,
        high_volume: true,
        ..event_def("SubagentStart", &["custom.codex_subagent_start"])
    },
    HostEventDef {
        read_payload: hook_payload::subagent_stop,
        support: &abilities::SUBAGENT_STOP,
        write_response: answer::stop,
        ..event_def("SubagentStop", &["delegation.post"])
    },
    HostEventDef {
        read_payload: hook_payload::stop,
        support: &abilities::STOP,
        write_response: answer::stop,
        ..event_def("Stop", &["agent.stop", "turn.end"])
    },
    HostEventDef {
        is_guard: true,
        read_payload: hook_payload::compact_before,
        support: &abilities::COMPACT,
        write_response: answer::compact,
        ..event_def("PreCompact", &["compact.pre", "compact.before"])
    },
    HostEventDef {
        read_payload: hook_payload::compact_after,
        support: &abilities::COMPACTED,
        ..event_def("PostCompact", &["compact.post"])
    },
    HostEventDef {
        support: &abilities::SESSION_END,
        write_response: answer::empty_response,
        read_payload: hook_payload::session_end,
        ..event_def("SessionEnd", &["session.end"])
    },
    HostEventDef { high_volume: true, ..event_def("Interrupt", &["custom.codex_interrupt"]) },
];
