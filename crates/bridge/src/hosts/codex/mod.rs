//! OpenAI Codex CLI, tested with 0.169.0.

mod doctor;
mod install;
mod response;
mod support;

use serde_json::Value;

use crate::hosts::hook_json::hook_payload;
use crate::{HostDef, HostEventDef};

/// Codex CLI.
pub static HOST: HostDef = HostDef {
    name: "codex",
    title: "Codex",
    events: ROWS,
    tools: &pintle::tools::CODEX,
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
    recognise,
    sender: None,
};

fn recognise(payload: &Value) -> Option<&str> {
    let has = |name: &str| hook_payload::has(payload, name);
    let is_claude = hook_payload::is_codex_transcript(payload) == Some(false) || has("prompt_id");
    hook_payload::event_of_session(payload).filter(|_| !is_claude && !has("timestamp"))
}

const fn event_def(name: &'static str, fires: &'static [&'static str]) -> HostEventDef {
    HostEventDef::observe_only(name, fires, hook_payload::other_event, &support::TELLS, response::notice)
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
        read_payload: hook_payload::after_tool,
        support: &support::AFTER_TOOL,
        write_response: response::after_tool,
        ..event_def("PostToolUse", &["tool.result", "tool.post", "file.edited"])
    },
    HostEventDef {
        read_payload: hook_payload::subagent_start,
        support: &support::SUBAGENT_START,
        write_response: response::context,
        high_volume: true,
        ..event_def("SubagentStart", &["custom.codex_subagent_start"])
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
        ..event_def("PostCompact", &["compact.post"])
    },
    HostEventDef {
        support: &support::SESSION_END,
        write_response: response::empty_response,
        read_payload: hook_payload::session_end,
        ..event_def("SessionEnd", &["session.end"])
    },
    HostEventDef { high_volume: true, ..event_def("Interrupt", &["custom.codex_interrupt"]) },
];
