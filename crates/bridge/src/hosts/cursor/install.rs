//! Installs Pintle in Cursor.

use serde_json::{Value, json};

use super::doctor;
use crate::install::{EntryFormat, HandlerFormat, InstallScope, InstallSpec, SettingsLocation};

pub(super) static INSTALL: InstallSpec = InstallSpec {
    program: "cursor",
    user: SettingsLocation { variable: "", folder: ".cursor", file: "hooks.json" },
    project: SettingsLocation { variable: "", folder: ".cursor", file: "hooks.json" },
    form: EntryFormat::Flat(HandlerFormat {
        command: "command",
        file_head: &[("version", 1)],
        build: build_handler,
        timeout_ms: handler_timeout_ms,
    }),
    timeout_limits: &[],
    shell: &["/bin/sh", "-c"],
    hints: install_hints,
    check_settings: doctor::check_settings,
};

fn build_handler(command: &str, timeout_ms: u64) -> Value {
    json!({"command": command, "timeout": timeout_ms.div_ceil(1_000)})
}

fn handler_timeout_ms(handler: &Value) -> u64 {
    handler.get("timeout").and_then(Value::as_u64).unwrap_or_default().saturating_mul(1_000)
}

fn install_hints(_scope: InstallScope) -> Vec<String> {
    vec![String::from("support for Cursor follows its documentation and has not been tested with Cursor itself")]
}
