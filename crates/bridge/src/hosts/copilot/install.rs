//! Installs Pintle in Copilot CLI.

use serde_json::{Value, json};

use super::doctor;
use crate::install::{EntryFormat, HandlerFormat, InstallScope, InstallSpec, SettingsLocation};

pub(super) static INSTALL: InstallSpec = InstallSpec {
    program: "copilot",
    user: SettingsLocation { variable: "COPILOT_HOME", folder: ".copilot", file: "hooks/pintle.json" },
    project: SettingsLocation { variable: "", folder: ".github/hooks", file: "pintle.json" },
    form: EntryFormat::Flat(HandlerFormat {
        command: "bash",
        file_head: &[("version", 1)],
        build: build_handler,
        timeout_ms: handler_timeout_ms,
    }),
    timeout_limits: &[],
    shell: &["/bin/bash", "--norc", "--noprofile", "-c"],
    hints: install_hints,
    check_settings: doctor::check_settings,
};

fn build_handler(command: &str, timeout_ms: u64) -> Value {
    json!({"type": "command", "bash": command, "timeoutSec": timeout_ms.div_ceil(1_000)})
}

fn handler_timeout_ms(handler: &Value) -> u64 {
    handler.get("timeoutSec").and_then(Value::as_u64).unwrap_or_default().saturating_mul(1_000)
}

fn install_hints(scope: InstallScope) -> Vec<String> {
    match scope {
        InstallScope::User => Vec::new(),
        InstallScope::Project => {
            vec![String::from("Copilot CLI runs project hooks only in a trusted directory")]
        }
    }
}
