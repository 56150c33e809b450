//! Installs Pintle in Gemini CLI.

use serde_json::{Value, json};

use super::doctor;
use crate::install::{EntryFormat, HandlerFormat, InstallScope, InstallSpec, SettingsLocation};

pub(super) static INSTALL: InstallSpec = InstallSpec {
    program: "gemini",
    user: SettingsLocation { variable: "", folder: ".gemini", file: "settings.json" },
    project: SettingsLocation { variable: "", folder: ".gemini", file: "settings.json" },
    form: EntryFormat::Groups(HandlerFormat {
        command: "command",
        file_head: &[],
        build: build_handler,
        timeout_ms: handler_timeout_ms,
    }),
    timeout_limits: &[],
    shell: &["bash", "-c"],
    hints: install_hints,
    check_settings: doctor::check_settings,
};

fn build_handler(command: &str, timeout_ms: u64) -> Value {
    json!({"type": "command", "name": "pintle", "command": command, "timeout": timeout_ms})
}

fn handler_timeout_ms(handler: &Value) -> u64 {
    handler.get("timeout").and_then(Value::as_u64).unwrap_or_default()
}

fn install_hints(scope: InstallScope) -> Vec<String> {
    let trust = "Gemini CLI runs no hooks at all in an untrusted directory; in CI set";
    match scope {
        InstallScope::User => vec![format!("{trust} `GEMINI_CLI_TRUST_WORKSPACE=true` or use `--skip-trust`")],
        InstallScope::Project => vec![format!("{trust} `GEMINI_CLI_TRUST_WORKSPACE=true`")],
    }
}
