//! `shell`: runs a command line.

use serde_json::{Value, json};

use crate::tools::command::{CommandShell, ToolCommand};
use crate::tools::{ToolAccess, ToolDef, dir_argument, number_argument, text_argument};
use crate::turn_context::ToolContext;

pub(super) const TOOL: ToolDef = ToolDef {
    name: "shell",
    description: "Runs a command with bash in the workspace and returns its output and exit code. It has no input, and processes it starts end with it.",
    required: &["command"],
    properties: || {
        json!({
            "command": {"type": "string", "description": "The command line."},
            "timeout_ms": {
                "type": "integer", "minimum": 1, "maximum": 600_000,
                "description": "The time limit in milliseconds. Default 60000.",
            },
            "directory": {"type": "string", "description": "The directory to run in, inside the workspace. Default: the workspace."},
        })
    },
    access: ToolAccess::Programs,
    call,
};

const TIMEOUT_MS: u64 = 60_000;

/// The number of bytes of each output that the model sees, from its beginning.
const SHOWN_BYTES: usize = 64 << 10;

fn call(_: &(), arguments: &Value, at: &ToolContext<'_>) -> Result<Value, String> {
    let timeout_ms = number_argument(arguments, "timeout_ms").map_or(TIMEOUT_MS, |ms| ms as u64);
    let (command, dir) = (text_argument(arguments, "command"), dir_argument(arguments, "directory"));
    let (shell, output_bytes) = (CommandShell::Bash, SHOWN_BYTES);
    let run = ToolCommand { line: command, directory: dir, shell, variables: &[], timeout_ms, output_bytes };
    let output = run.run_checked(at)?;
    if output.timed_out {
        return Err(format!(
            "the command did not end within {timeout_ms} ms and was killed; raise `timeout_ms` or split the command"
        ));
    }
    let mut result = json!({
        "stdout": String::from_utf8_lossy(&output.stdout),
        "stderr": String::from_utf8_lossy(&output.stderr),
        "exit_code": output.exit_code,
    });
    if let Some(fields) = result.as_object_mut() {
        if let Some(signal) = output.signal {
            fields.insert(String::from("signal"), signal.into());
        }
        if output.truncated {
            fields.insert(String::from("truncated"), true.into());
        }
    }
    Ok(result)
}
