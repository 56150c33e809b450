//! Cline, tested with 3.0.65.
//!
//! Cline waits only for the hooks of tools, and reads the JSON of the response but never its status. It runs programs
//! that are named after the event, but its payloads use another name for the event.

mod doctor;
mod install;
mod payload;
mod response;
mod support;

use serde_json::Value;

use crate::hosts::fields;
use crate::{HostDef, HostEventDef};

/// Cline.
pub static HOST: HostDef = HostDef {
    name: "cline",
    title: "Cline",
    events: ROWS,
    tools: &pintle::tools::CLINE,
    own_dialect: Some("cline"),
    deadline_ms: 25_000,
    install: &install::INSTALL,
    event_name: no_event_name,
    read_context: payload::event_context,
    project_variable: None,
    unhooked_actions: &["prompts, when it runs without a terminal"],
    recognise,
    sender: None,
};

/// What tells an event: a field that only its payload has, or Cline's other name for it.
const EVENT_MARKS: [(&str, &str); 11] = [
    ("preToolUse", "PreToolUse"),
    ("tool_call", "PreToolUse"),
    ("postToolUse", "PostToolUse"),
    ("tool_result", "PostToolUse"),
    ("taskStart", "TaskStart"),
    ("taskResume", "TaskResume"),
    ("taskComplete", "TaskComplete"),
    ("taskCancel", "TaskCancel"),
    ("userPromptSubmit", "UserPromptSubmit"),
    ("agent_error", "TaskError"),
    ("session_shutdown", "SessionShutdown"),
];

fn recognise(payload: &Value) -> Option<&str> {
    if !fields::has(payload, "taskId") || !fields::has(payload, "clineVersion") {
        return None;
    }
    let named = payload.get("hookName").and_then(Value::as_str);
    let is_marked = |mark: &str| fields::has(payload, mark) || named == Some(mark);
    EVENT_MARKS.iter().find(|(mark, _)| is_marked(mark)).map(|(_, event)| *event)
}

fn no_event_name(_payload: &Value) -> Option<&str> {
    None
}

const fn event_def(name: &'static str, fires: &'static [&'static str]) -> HostEventDef {
    HostEventDef::observe_only(name, fires, payload::other_event, &support::DETACHED, response::empty_response)
}

static ROWS: &[HostEventDef] = &[
    HostEventDef {
        read_payload: payload::session_start,
        support: &support::SESSION_START,
        ..event_def("TaskStart", &["session.start"])
    },
    HostEventDef {
        read_payload: payload::session_resume,
        support: &support::SESSION_START,
        ..event_def("TaskResume", &["session.start", "session.resume"])
    },
    HostEventDef {
        is_guard: true,
        read_payload: payload::prompt,
        support: &support::PROMPT,
        write_response: response::cancel_task,
        ..event_def("UserPromptSubmit", &["prompt.submit", "turn.start"])
    },
    HostEventDef {
        is_guard: true,
        read_payload: payload::before_tool,
        support: &support::BEFORE_TOOL,
        write_response: response::cancel_task,
        ..event_def("PreToolUse", &["tool.transform", "tool.guard", "tool.pre", "delegation.pre"])
    },
    HostEventDef {
        read_payload: payload::after_tool,
        support: &support::AFTER_TOOL,
        write_response: response::cancel_task,
        ..event_def("PostToolUse", &["tool.result", "tool.post", "file.edited"])
    },
    HostEventDef {
        read_payload: payload::complete,
        support: &support::TASK_END,
        ..event_def("TaskComplete", &["turn.end"])
    },
    HostEventDef { read_payload: payload::agent_error, ..event_def("TaskError", &["error", "session.error"]) },
    HostEventDef { high_volume: true, ..event_def("TaskCancel", &["custom.cline_task_cancel"]) },
    HostEventDef {
        read_payload: payload::session_end,
        support: &support::SESSION_END,
        ..event_def("SessionShutdown", &["session.end"])
    },
];
