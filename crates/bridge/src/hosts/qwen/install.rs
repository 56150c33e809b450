//! Getting into Qwen Code.

use serde_json::{Value, json};

use super::doctor;
use crate::install::{Form, Handler, Install, Place, Scope};

/// How Pintle gets into Qwen Code.
pub(super) static INSTALL: Install = Install {
    program: "qwen",
    user: Place { variable: "", folder: ".qwen", file: "settings.json" },
    project: Place { variable: "", folder: ".qwen", file: "settings.json" },
    form: Form::Groups(Handler { command: "command", head: &[], of: handler, timeout_ms }),
    short: &[],
    shell: &["bash", "-c"],
    hints,
    trust: doctor::trust,
};

fn handler(command: &str, timeout_ms: u64) -> Value {
    json!({"type": "command", "name": "pintle", "command": command, "timeout": timeout_ms.div_ceil(1_000)})
}

fn timeout_ms(handler: &Value) -> u64 {
    handler.get("timeout").and_then(Value::as_u64).unwrap_or_default().saturating_mul(1_000)
}

fn hints(_scope: Scope) -> Vec<String> {
    vec![String::from("in yolo mode Qwen Code ignores rewrites, so a call that a hook rewrites is refused there")]
}
