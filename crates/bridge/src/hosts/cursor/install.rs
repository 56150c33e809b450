//! Getting into Cursor.

use serde_json::{Value, json};

use super::doctor;
use crate::install::{Form, Handler, Install, Place, Scope};

/// How Pintle gets into Cursor.
pub(super) static INSTALL: Install = Install {
    program: "cursor",
    user: Place { variable: "", folder: ".cursor", file: "hooks.json" },
    project: Place { variable: "", folder: ".cursor", file: "hooks.json" },
    form: Form::Flat(Handler { command: "command", head: &[("version", 1)], of: handler, timeout_ms }),
    short: &[],
    shell: &["/bin/sh", "-c"],
    hints,
    trust: doctor::trust,
};

fn handler(command: &str, timeout_ms: u64) -> Value {
    json!({"command": command, "timeout": timeout_ms.div_ceil(1_000)})
}

fn timeout_ms(handler: &Value) -> u64 {
    handler.get("timeout").and_then(Value::as_u64).unwrap_or_default().saturating_mul(1_000)
}

fn hints(_scope: Scope) -> Vec<String> {
    vec![String::from("Cursor was not run with Pintle yet: how it is asked follows from its documentation")]
}
