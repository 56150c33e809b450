//! Gemini CLI, tested with 0.61.0.

mod doctor;
mod install;
mod payload;
mod response;
mod support;

use serde_json::Value;

use crate::hosts::hook_json::hook_payload;
use crate::{HostDef, HostEventDef};

/// Gemini CLI.
pub static HOST: HostDef = HostDef {
    name: "gemini",
    title: "Gemini CLI",
    events: ROWS,
    tools: &pintle::tools::GEMINI,
    own_dialect: Some("gemini"),
    deadline_ms: 25_000,
    install: &install::INSTALL,
    event_name: hook_payload::event_name,
    read_context: payload::event_context,
    project_variable: Some("GEMINI_PROJECT_DIR"),
    unhooked_actions: &["anything in an untrusted directory, where it runs no hooks"],
    recognise,
    sender: None,
};

fn recognise(payload: &Value) -> Option<&str> {
    let has = |name: &str| hook_payload::has(payload, name);
    let is_gemini = has("timestamp") && has("transcript_path") && !has("permission_mode");
    hook_payload::event_of_session(payload).filter(|_| is_gemini)
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
        write_response: response::context,
        ..event_def("SessionStart", &["session.start", "session.resume"])
    },
    HostEventDef {
        is_guard: true,
        read_payload: hook_payload::prompt,
        support: &support::PROMPT,
        write_response: response::prompt,
        ..event_def("BeforeAgent", &["prompt.submit", "turn.start"])
    },
    HostEventDef {
        is_guard: true,
        read_payload: payload::before_tool,
        support: &support::BEFORE_TOOL,
        write_response: response::before_tool,
        ..event_def("BeforeTool", &["tool.transform", "tool.guard", "tool.pre", "delegation.pre"])
    },
    HostEventDef {
        read_payload: payload::after_tool,
        support: &support::AFTER_TOOL,
        write_response: response::after_tool,
        ..event_def("AfterTool", &["tool.result", "tool.post", "file.edited"])
    },
    HostEventDef {
        read_payload: payload::stop,
        support: &support::STOP,
        write_response: response::stop,
        ..event_def("AfterAgent", &["agent.stop", "turn.end"])
    },
    HostEventDef { read_payload: hook_payload::notification, ..event_def("Notification", &["notification"]) },
    HostEventDef {
        read_payload: hook_payload::session_end,
        support: &support::SESSION_END,
        ..event_def("SessionEnd", &["session.end"])
    },
    // It fires before every model call, even if nothing is compressed, and its response has no effect.
    HostEventDef {
        read_payload: hook_payload::compact_before,
        support: &support::COMPACT,
        ..high_volume_event_def("PreCompress", &["compact.pre", "compact.before"])
    },
    HostEventDef {
        read_payload: payload::before_model,
        support: &support::BEFORE_MODEL,
        write_response: response::deny_only,
        ..high_volume_event_def("BeforeModel", &["completion.pre"])
    },
    high_volume_event_def("BeforeToolSelection", &["custom.gemini_before_tool_selection"]),
    HostEventDef {
        read_payload: payload::after_model,
        support: &support::TELLS_LATER,
        ..high_volume_event_def("AfterModel", &["completion.post"])
    },
];

#[cfg(test)]
mod tests;
