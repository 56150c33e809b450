//! Getting into Claude Code.

use serde_json::{Value, json};

use super::doctor;
use crate::install::{Form, Handler, Install, Place, Scope};

/// How Pintle gets into Claude Code.
pub(super) static INSTALL: Install = Install {
    program: "claude",
    user: Place { variable: "CLAUDE_CONFIG_DIR", folder: ".claude", file: "settings.json" },
    project: Place { variable: "", folder: ".claude", file: "settings.json" },
    form: Form::Groups(Handler { command: "command", head: &[], of: handler, timeout_ms }),
    short: &[],
    shell: &["/bin/sh", "-c"],
    hints,
    trust: doctor::trust,
};

fn handler(command: &str, timeout_ms: u64) -> Value {
    json!({"type": "command", "command": command, "timeout": timeout_ms.div_ceil(1_000)})
}

fn timeout_ms(handler: &Value) -> u64 {
    handler.get("timeout").and_then(Value::as_u64).unwrap_or_default().saturating_mul(1_000)
}

fn hints(scope: Scope) -> Vec<String> {
    let running = String::from("sessions that run already keep their hooks until they start anew");
    match scope {
        Scope::User => vec![running],
        Scope::Project => vec![
            running,
            String::from(
                "the entries name `pintle` on this machine; for settings that others share use `--program pintle`",
            ),
        ],
    }
}
