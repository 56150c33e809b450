//! `shell`: runs a command line.

use pintle::process::{self, ProcessEnvironment, ProcessSpec};
use serde_json::{Value, json};

use super::def::{NativeToolDef, ToolOffer};
use crate::tools::{dir_argument, number_argument, text_argument};
use crate::turn_context::ToolContext;

pub(super) const TOOL: NativeToolDef = NativeToolDef {
    name: "shell",
    offer: ToolOffer::Granted,
    description: "Runs a command with bash in the workspace and returns its output and exit code. It has no input, and processes it starts end with it.",
    parameters: || {
        json!({
            "type": "object",
            "properties": {
                "command": {"type": "string", "description": "The command line."},
                "timeout_ms": {
                    "type": "integer", "minimum": 1, "maximum": 600_000,
                    "description": "The time limit in milliseconds. Default 60000.",
                },
                "directory": {"type": "string", "description": "The directory to run in, inside the workspace. Default: the workspace."},
            },
            "required": ["command"],
        })
    },
    call,
};

const TIMEOUT_MS: u64 = 60_000;

/// The number of bytes of each output that the model sees, from its beginning.
const SHOWN_BYTES: usize = 64 << 10;

fn call(arguments: &Value, at: &ToolContext<'_>) -> Result<Value, String> {
    let timeout_ms = number_argument(arguments, "timeout_ms").map_or(TIMEOUT_MS, |ms| ms as u64);
    let (command, dir) = (text_argument(arguments, "command"), dir_argument(arguments, "directory"));
    let directory = at.workspace().directory(dir)?;
    at.workspace().check_run(command, dir)?;
    let mut spec = ProcessSpec::new("bash", vec![String::from("-c"), command.to_owned()]);
    spec.directory = Some(directory);
    spec.environment = ProcessEnvironment::WithoutSecrets;
    spec.timeout_ms = timeout_ms;
    spec.output_bytes = SHOWN_BYTES;
    let output = process::run(&spec, at.cancel()).map_err(|error| error.to_string())?;
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
