//! Getting into Codex.

use serde_json::{Value, json};

use super::doctor;
use crate::install::{Form, Handler, Install, Place, Scope};

/// How Pintle gets into Codex.
pub(super) static INSTALL: Install = Install {
    program: "codex",
    user: Place { variable: "CODEX_HOME", folder: ".codex", file: "hooks.json" },
    project: Place { variable: "", folder: ".codex", file: "hooks.json" },
    form: Form::Groups(Handler { command: "command", head: &[], of: handler, timeout_ms }),
    short: &[("SessionEnd", 3_000), ("Interrupt", 3_000)],
    shell: &["/bin/bash", "-c"],
    hints,
    trust: doctor::trust,
};

fn handler(command: &str, timeout_ms: u64) -> Value {
    json!({"type": "command", "command": command, "timeout": timeout_ms.div_ceil(1_000)})
}

fn timeout_ms(handler: &Value) -> u64 {
    handler.get("timeout").and_then(Value::as_u64).unwrap_or_default().saturating_mul(1_000)
}

fn hints(scope: Scope) -> Vec<String> {
    let mut hints = vec![
        String::from("Codex skips hooks that nobody has reviewed, without a word: start `codex` and agree in `/hooks`"),
        String::from("in CI, where nobody can, run `codex exec --dangerously-bypass-hook-trust`"),
    ];
    if scope == Scope::Project {
        hints.push(String::from("a project's hooks run only in a trusted project: `codex exec --trust`, once"));
    }
    hints
}
