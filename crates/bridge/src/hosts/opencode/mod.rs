//! OpenCode, tested with 1.18.33.
//!
//! OpenCode runs no hook commands but plugins, which are JavaScript. Pintle installs one ([`plugin.js`](plugin.js)): it
//! sends each event to `pintle hook opencode` and obeys the answer, which has a format of Pintle's own. If an event that
//! waits for permission gets no valid answer, the plugin denies it.

mod doctor;
mod install;
mod payload;
mod response;
mod support;

use serde_json::Value;

use crate::{HostDef, HostEventDef};

/// OpenCode.
pub static HOST: HostDef = HostDef {
    name: "opencode",
    title: "OpenCode",
    events: ROWS,
    tools: &pintle::tools::OPENCODE,
    own_dialect: None,
    deadline_ms: 25_000,
    install: &install::INSTALL,
    event_name,
    read_context: payload::event_context,
    project_variable: None,
    unhooked_actions: &["anything when it runs with `--pure`, which leaves plugins out"],
    recognise,
    sender: None,
};

fn event_name(payload: &Value) -> Option<&str> {
    payload.get("hook").and_then(Value::as_str)
}

/// The plugin's own form: what OpenCode passes to one of its hooks.
fn recognise(payload: &Value) -> Option<&str> {
    event_name(payload).filter(|_| payload.get("input").is_some())
}

const fn event_def(name: &'static str, fires: &'static [&'static str]) -> HostEventDef {
    HostEventDef::observe_only(name, fires, payload::other_event, &support::TELLS, response::tell)
}

const fn guard_def(name: &'static str, fires: &'static [&'static str]) -> HostEventDef {
    HostEventDef { is_guard: true, write_response: response::decide, ..event_def(name, fires) }
}

static ROWS: &[HostEventDef] = &[
    HostEventDef {
        read_payload: payload::session_created,
        support: &support::SESSION_START,
        ..event_def("session.created", &["session.start"])
    },
    HostEventDef {
        read_payload: payload::prompt,
        support: &support::PROMPT,
        ..guard_def("chat.message", &["prompt.submit", "turn.start"])
    },
    HostEventDef {
        read_payload: payload::before_tool,
        support: &support::BEFORE_TOOL,
        ..guard_def("tool.execute.before", &["tool.transform", "tool.guard", "tool.pre", "delegation.pre"])
    },
    HostEventDef {
        read_payload: payload::permission,
        support: &support::PERMISSION,
        ..guard_def("permission.ask", &["permission.ask"])
    },
    // The plugin withholds a result about which it gets no answer.
    HostEventDef {
        read_payload: payload::after_tool,
        support: &support::AFTER_TOOL,
        ..guard_def("tool.execute.after", &["tool.result", "tool.post", "file.edited"])
    },
    HostEventDef {
        read_payload: payload::compacting,
        support: &support::COMPACT,
        ..event_def("experimental.session.compacting", &["compact.pre", "compact.before"])
    },
    HostEventDef {
        read_payload: payload::compacted,
        support: &support::COMPACTED,
        ..event_def("session.compacted", &["compact.post"])
    },
    HostEventDef {
        read_payload: payload::idle,
        support: &support::TURN_END,
        ..event_def("session.idle", &["delegation.post", "turn.end"])
    },
    HostEventDef { read_payload: payload::session_error, ..event_def("session.error", &["error", "session.error"]) },
    HostEventDef { read_payload: payload::permission_asked, ..event_def("permission.updated", &["notification"]) },
    HostEventDef {
        read_payload: payload::session_deleted,
        support: &support::SESSION_END,
        ..event_def("session.deleted", &["session.end"])
    },
    HostEventDef {
        read_payload: payload::before_model,
        support: &support::BEFORE_MODEL,
        high_volume: true,
        ..guard_def("chat.params", &["completion.pre"])
    },
    HostEventDef { high_volume: true, ..event_def("shell.env", &["custom.opencode_shell_env"]) },
    HostEventDef {
        high_volume: true,
        ..event_def("experimental.chat.system.transform", &["custom.opencode_system_transform"])
    },
];
