//! Installs Pintle in Codex.

use serde_json::{Value, json};

use super::doctor;
use crate::install::{EntryFormat, HandlerFormat, InstallScope, InstallSpec, SettingsLocation};

pub(super) static INSTALL: InstallSpec = InstallSpec {
    program: "codex",
    user: SettingsLocation { variable: "CODEX_HOME", folder: ".codex", file: "hooks.json" },
    project: SettingsLocation { variable: "", folder: ".codex", file: "hooks.json" },
    form: EntryFormat::Groups(HandlerFormat {
        command: "command",
        file_head: &[],
        build: build_handler,
        timeout_ms: handler_timeout_ms,
    }),
    timeout_limits: &[("SessionEnd", 3_000), ("Interrupt", 3_000)],
    shell: &["/bin/bash", "-c"],
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
    let mut hints = vec![
        String::from(
            "Codex silently skips hooks that have not been reviewed: start `codex` and trust them in `/hooks`",
        ),
        String::from("in CI, run `codex exec --dangerously-bypass-hook-trust` instead"),
    ];
    if scope == InstallScope::Project {
        hints.push(String::from("project hooks run only in a trusted project: run `codex exec --trust` once"));
    }
    hints
}
