//! Installs Pintle in Qwen Code.

use serde_json::{Value, json};

use super::doctor;
use crate::install::{EntryFormat, HandlerFormat, InstallScope, InstallSpec, SettingsLocation};

pub(super) static INSTALL: InstallSpec = InstallSpec {
    program: "qwen",
    user: SettingsLocation { variable: "", folder: ".qwen", file: "settings.json" },
    project: SettingsLocation { variable: "", folder: ".qwen", file: "settings.json" },
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
    json!({"type": "command", "name": "pintle", "command": command, "timeout": timeout_ms.div_ceil(1_000)})
}

fn handler_timeout_ms(handler: &Value) -> u64 {
    handler.get("timeout").and_then(Value::as_u64).unwrap_or_default().saturating_mul(1_000)
}

fn install_hints(_scope: InstallScope) -> Vec<String> {
    vec![String::from("in yolo mode Qwen Code ignores rewrites, so a call that a hook rewrites is denied there")]
}
