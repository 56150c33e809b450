//! Getting into Gemini CLI.

use serde_json::{Value, json};

use super::doctor;
use crate::install::{Form, Handler, Install, Place, Scope};

/// How Pintle gets into Gemini CLI.
pub(super) static INSTALL: Install = Install {
    program: "gemini",
    user: Place { variable: "", folder: ".gemini", file: "settings.json" },
    project: Place { variable: "", folder: ".gemini", file: "settings.json" },
    form: Form::Groups(Handler { command: "command", head: &[], of: handler, timeout_ms }),
    short: &[],
    shell: &["bash", "-c"],
    hints,
    trust: doctor::trust,
};

fn handler(command: &str, timeout_ms: u64) -> Value {
    json!({"type": "command", "name": "pintle", "command": command, "timeout": timeout_ms})
}

fn timeout_ms(handler: &Value) -> u64 {
    handler.get("timeout").and_then(Value::as_u64).unwrap_or_default()
}

fn hints(scope: Scope) -> Vec<String> {
    let trust = "in a folder that is not trusted Gemini CLI runs no hooks at all; in CI set";
    match scope {
        Scope::User => vec![format!("{trust} `GEMINI_CLI_TRUST_WORKSPACE=true` or use `--skip-trust`")],
        Scope::Project => vec![format!("{trust} `GEMINI_CLI_TRUST_WORKSPACE=true`")],
    }
}
