//! Getting into Copilot CLI.

use serde_json::{Value, json};

use super::doctor;
use crate::install::{Form, Handler, Install, Place, Scope};

/// How Pintle gets into Copilot CLI.
pub(super) static INSTALL: Install = Install {
    program: "copilot",
    user: Place { variable: "COPILOT_HOME", folder: ".copilot", file: "hooks/pintle.json" },
    project: Place { variable: "", folder: ".github/hooks", file: "pintle.json" },
    form: Form::Flat(Handler { command: "bash", head: &[("version", 1)], of: handler, timeout_ms }),
    short: &[],
    shell: &["/bin/bash", "--norc", "--noprofile", "-c"],
    hints,
    trust: doctor::trust,
};

fn handler(command: &str, timeout_ms: u64) -> Value {
    json!({"type": "command", "bash": command, "timeoutSec": timeout_ms.div_ceil(1_000)})
}

fn timeout_ms(handler: &Value) -> u64 {
    handler.get("timeoutSec").and_then(Value::as_u64).unwrap_or_default().saturating_mul(1_000)
}

fn hints(scope: Scope) -> Vec<String> {
    match scope {
        Scope::User => Vec::new(),
        Scope::Project => vec![String::from("Copilot CLI runs a project's hooks only in a folder that it trusts")],
    }
}
