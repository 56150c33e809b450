//! Installs Pintle in Claude Code.

use serde_json::{Value, json};

use super::doctor;
use crate::install::{EntryFormat, HandlerFormat, InstallScope, InstallSpec, SettingsLocation};

pub(super) static INSTALL: InstallSpec = InstallSpec {
    program: "claude",
    user: SettingsLocation { variable: "CLAUDE_CONFIG_DIR", folder: ".claude", file: "settings.json" },
    project: SettingsLocation { variable: "", folder: ".claude", file: "settings.json" },
    form: EntryFormat::Groups(HandlerFormat {
        command: "command",
        file_head: &[],
        build: build_handler,
        timeout_ms: handler_timeout_ms,
    }),
    timeout_limits: &[],
    shell: &["/bin/sh", "-c"],
    hints: install_hints,
    check_settings: doctor::check_settings,
};

fn build_handler(command: &str, timeout_ms: u64) -> Value {
    json!({"type": "command", "command": command, "timeout": timeout_ms.div_ceil(1_000)})
}

fn handler_timeout_ms(handler: &Value) -> u64 {
    handler.get("timeout").and_then(Value::as_u64).unwrap_or_default().saturating_mul(1_000)
}

fn install_hints(scope: InstallScope) -> Vec<String> {
    let running = String::from("running sessions keep their hooks until they are restarted");
    match scope {
        InstallScope::User => vec![running],
        InstallScope::Project => vec![
            running,
            String::from(
                "the entries contain the path of `pintle` on this machine; for shared settings use `--program pintle`",
            ),
        ],
    }
}
