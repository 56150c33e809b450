//! `env` and `os.*`: facts about the machine, for tools.

use pintle::CancelToken;
use pintle::process::{self, ProcessSpec};
use serde_json::{Value, json};

use crate::workspace::Workspace;

/// Tells a fact; an unknown one is the empty text, as for a variable that is not set.
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
