//! The `env` and `os.*` functions of tool scripts.

use pintle_host::CancelToken;
use pintle_host::process::{self, ProcessSpec};
use serde_json::{Value, json};

use crate::workspace::Workspace;

/// Looks up a fact about the machine. An unknown fact is an empty string, like an unset variable.
pub(super) fn lookup(workspace: &Workspace, fact: &str, key: Option<&str>) -> Value {
    match fact {
        "env" => json!(key.and_then(process::variable).unwrap_or_default()),
        "cwd" => json!(workspace.root().display().to_string()),
        "hostname" => json!(hostname()),
        "platform" => json!(std::env::consts::OS),
        "args" => json!(std::env::args_os().map(|text| text.to_string_lossy().into_owned()).collect::<Vec<_>>()),
        _ => json!(""),
    }
}

fn hostname() -> String {
    let output = process::run(&ProcessSpec::new("uname", vec![String::from("-n")]), &CancelToken::default());
    output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default()
}
