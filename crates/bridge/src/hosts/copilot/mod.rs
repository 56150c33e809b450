//! GitHub Copilot CLI, tested with 1.0.102.
//!
//! The name of an event selects the format of its payload: `preToolUse` uses Copilot's own fields, `PreToolUse` those
//! of Claude Code. Pintle installs the former; the latter serve files that are written for both.

mod doctor;
mod install;
mod payload;
mod response;
mod support;

use serde_json::Value;

use crate::hosts::hook_json::hook_payload;
use crate::{HostDef, HostEventContext, HostEventDef, HostPayloadError};

/// Copilot CLI.
pub static HOST: HostDef = HostDef {
    name: "copilot",
    title: "Copilot",
    events: ROWS,
    tools: &pintle::tools::COPILOT,
    own_dialect: Some("copilot"),
    deadline_ms: 25_000,
    install: &install::INSTALL,
    event_name: no_event_name,
    read_context: event_context,
    project_variable: None,
    unhooked_actions: &[],
    recognise,
    sender: None,
};

/// The fields that tell an event in Copilot's own format, in the order in which they are looked for: later events have
/// none of the earlier fields.
const EVENT_MARKS: [(&str, &str); 15] = [
    ("errorContext", "errorOccurred"),
    ("notification_type", "notification"),
    ("toolInput", "permissionRequest"),
    ("permissionSuggestions", "permissionRequest"),
    ("toolResult", "postToolUse"),
    ("error", "postToolUseFailure"),
    ("toolArgs", "preToolUse"),
    ("agentName", "subagentStart"),
    ("stopReason", "agentStop"),
    ("prompt", "userPromptSubmitted"),
    ("initialPrompt", "sessionStart"),
    ("source", "sessionStart"),
    ("reason", "sessionEnd"),
    ("customInstructions", "preCompact"),
    ("trigger", "preCompact"),
];

fn recognise(payload: &Value) -> Option<&str> {
    let has = |name: &str| hook_payload::has(payload, name);
    if !has("sessionId") {
        // Claude Code's format, which Copilot sends without a transcript.
        let is_copilot = has("timestamp") && !has("transcript_path") && !has("permission_mode");
        return hook_payload::event_of_session(payload).filter(|_| is_copilot);
    }
    if !has("timestamp") {
        return None;
    }
    if has("agentName") && has("stopReason") {
        return Some("subagentStop");
    }
    EVENT_MARKS.iter().find(|(mark, _)| payload.get(mark).is_some()).map(|(_, event)| *event)
}

/// Payloads in Copilot's own format do not name their event, except one, which uses the other format's name.
fn no_event_name(_payload: &Value) -> Option<&str> {
    None
}

fn event_context(payload: &Value) -> Result<HostEventContext, HostPayloadError> {
    if payload.get("sessionId").is_some() {
        payload::event_context(payload)
    } else {
        hook_payload::event_context(payload)
    }
}

const fn native_event_def(name: &'static str, fires: &'static [&'static str]) -> HostEventDef {
    HostEventDef::observe_only(name, fires, payload::other_event, &support::SILENT, response::empty_response)
}

/// The same event with Claude Code's name.
const fn claude_style_event_def(name: &'static str, fires: &'static [&'static str]) -> HostEventDef {
    HostEventDef {
        high_volume: true,
        tools: Some(&pintle::tools::COPILOT_AS_CLAUDE),
        read_payload: hook_payload::other_event,
        ..native_event_def(name, fires)
    }
}

const BEFORE_TOOL: &[&str] = &["tool.transform", "tool.guard", "tool.pre", "delegation.pre"];
const AFTER_TOOL: &[&str] = &["tool.result", "tool.post", "file.edited"];
const STOP: &[&str] = &["agent.stop", "turn.end"];

static ROWS: &[HostEventDef] = &[
    HostEventDef {
        read_payload: payload::session_start,
        support: &support::SESSION_START,
        write_response: response::context,
        ..native_event_def("sessionStart", &["session.start", "session.resume"])
    },
    HostEventDef {
        read_payload: payload::prompt,
        support: &support::PROMPT,
        write_response: response::prompt,
        ..native_event_def("userPromptSubmitted", &["prompt.submit", "turn.start"])
    },
    HostEventDef {
        is_guard: true,
        read_payload: payload::before_tool,
        support: &support::BEFORE_TOOL,
        write_response: response::before_tool,
        ..native_event_def("preToolUse", BEFORE_TOOL)
    },
    HostEventDef {
        is_guard: true,
        read_payload: payload::permission,
        support: &support::PERMISSION,
        write_response: response::permission,
        ..native_event_def("permissionRequest", &["permission.ask"])
    },
    HostEventDef {
        read_payload: payload::after_tool,
        support: &support::AFTER_TOOL,
        write_response: response::after_tool,
        ..native_event_def("postToolUse", AFTER_TOOL)
    },
    HostEventDef {
        read_payload: payload::failed_tool,
        support: &support::FAILED_TOOL,
        write_response: response::context,
        ..native_event_def("postToolUseFailure", &["tool.result", "tool.post"])
    },
    HostEventDef {
        read_payload: payload::stop,
        support: &support::STOP,
        write_response: response::stop,
        ..native_event_def("agentStop", STOP)
    },
    HostEventDef {
        read_payload: payload::subagent_start,
        high_volume: true,
        ..native_event_def("subagentStart", &["custom.copilot_subagent_start"])
    },
    HostEventDef {
        read_payload: payload::subagent_stop,
        support: &support::SUBAGENT_STOP,
        write_response: response::stop,
        ..native_event_def("subagentStop", &["delegation.post"])
    },
    HostEventDef {
        read_payload: payload::compact_before,
        ..native_event_def("preCompact", &["compact.pre", "compact.before"])
    },
    HostEventDef { read_payload: payload::notification, ..native_event_def("notification", &["notification"]) },
    HostEventDef {
        read_payload: payload::agent_error,
        ..native_event_def("errorOccurred", &["error", "session.error"])
    },
    HostEventDef {
        read_payload: payload::session_end,
        support: &support::SESSION_END,
        ..native_event_def("sessionEnd", &["session.end"])
    },
    HostEventDef {
        read_payload: hook_payload::session_start,
        support: &support::SESSION_START,
        write_response: response::context,
        ..claude_style_event_def("SessionStart", &["session.start", "session.resume"])
    },
    HostEventDef {
        read_payload: hook_payload::prompt,
        support: &support::PROMPT,
        write_response: response::prompt,
        ..claude_style_event_def("UserPromptSubmit", &["prompt.submit", "turn.start"])
    },
    HostEventDef {
        is_guard: true,
        read_payload: payload::any_before_tool,
        support: &support::BEFORE_TOOL,
        write_response: response::nested_before_tool,
        ..claude_style_event_def("PreToolUse", BEFORE_TOOL)
    },
    HostEventDef {
        is_guard: true,
        read_payload: payload::any_permission,
        support: &support::PERMISSION,
        write_response: response::permission,
        ..claude_style_event_def("PermissionRequest", &["permission.ask"])
    },
    HostEventDef {
        read_payload: payload::any_after_tool,
        support: &support::AFTER_TOOL,
        write_response: response::after_tool,
        ..claude_style_event_def("PostToolUse", AFTER_TOOL)
    },
    HostEventDef {
        read_payload: payload::any_failed_tool,
        support: &support::FAILED_TOOL,
        write_response: response::context,
        ..claude_style_event_def("PostToolUseFailure", &["tool.result", "tool.post"])
    },
    HostEventDef {
        read_payload: hook_payload::stop,
        support: &support::STOP,
        write_response: response::stop,
        ..claude_style_event_def("Stop", STOP)
    },
    HostEventDef {
        read_payload: hook_payload::subagent_stop,
        support: &support::SUBAGENT_STOP,
        write_response: response::stop,
        ..claude_style_event_def("SubagentStop", &["delegation.post"])
    },
    HostEventDef {
        read_payload: hook_payload::compact_before,
        ..claude_style_event_def("PreCompact", &["compact.pre", "compact.before"])
    },
    HostEventDef {
        read_payload: hook_payload::notification,
        ..claude_style_event_def("Notification", &["notification"])
    },
    HostEventDef {
        read_payload: hook_payload::agent_error,
        ..claude_style_event_def("ErrorOccurred", &["error", "session.error"])
    },
    claude_style_event_def("SubagentStart", &["custom.copilot_subagent_start"]),
    HostEventDef {
        read_payload: hook_payload::session_end,
        support: &support::SESSION_END,
        ..claude_style_event_def("SessionEnd", &["session.end"])
    },
];
