//! `shell`: commands, in the foreground or in the background.
//!
//! Names, arguments and result texts are docker-agent's. Unlike there, the shell is always `/bin/sh`, whatever `$SHELL`
//! says; a command starts inside the workspace; it does not see variables that look like secrets, unless the set
//! declares them; and no process it started outlives it.

mod jobs;

use pintle::process::ProcessOutput;
use serde_json::{Value, json};

use super::set::Toolset;
use crate::tools::command::{CommandShell, ToolCommand};
use crate::tools::{ToolAccess, ToolDef, build_tools, number_argument, text_argument};

use jobs::ShellJobs;

/// State that the tools of one set share.
#[derive(Debug)]
struct ShellState {
    /// Declared variables, added to the host's environment.
    environment: Vec<(String, String)>,
    jobs: ShellJobs,
}

/// The number of bytes of a command's output that are kept, from its beginning.
const OUTPUT_BYTES: usize = 1 << 20;

/// The default time limit of a command in seconds, as in docker-agent.
const TIMEOUT_S: usize = 30;

static TOOLS: [ToolDef<ShellState>; 5] = [
    ToolDef {
        name: "shell",
        description: "Runs a command with `/bin/sh` and returns its output. It has no input, and processes it starts end with it.",
        required: &["cmd"],
        properties: || {
            json!({
                "cmd": {"type": "string", "description": "The command line."},
                "cwd": {"type": "string", "description": "Where to run. Default: the working directory."},
                "timeout": {
                    "type": "integer", "minimum": 1, "maximum": 3600,
                    "description": "The time limit in seconds. Default 30.",
                },
            })
        },
        access: ToolAccess::Programs,
        call: |shell, arguments, at| {
            let command = command_argument(arguments)?;
            let timeout_s = number_argument(arguments, "timeout").unwrap_or(TIMEOUT_S);
            let command = ToolCommand {
                timeout_ms: (timeout_s as u64).saturating_mul(1_000),
                output_bytes: OUTPUT_BYTES,
                ..posix_command(command, text_argument(arguments, "cwd"), &shell.environment)
            };
            command.run_checked(at).map(|output| Value::String(describe_output(&output, timeout_s)))
        },
    },
    ToolDef {
        name: "run_background_job",
        description: "Starts a command with `/bin/sh` in the background and returns its job ID at once, for servers, watchers and other long-running commands.",
        required: &["cmd"],
        properties: || {
            json!({
                "cmd": {"type": "string", "description": "The command line."},
                "cwd": {"type": "string", "description": "Where to run. Default: the working directory."},
            })
        },
        access: ToolAccess::Programs,
        call: |shell, arguments, at| {
            let command = command_argument(arguments)?;
            shell.jobs.start(command, text_argument(arguments, "cwd"), &shell.environment, at).map(Value::String)
        },
    },
    ToolDef {
        name: "list_background_jobs",
        description: "Lists the background jobs with their status.",
        required: &[],
        properties: || json!({}),
        access: ToolAccess::ReadOnly,
        call: |shell, _arguments, at| Ok(Value::String(shell.jobs.list(at))),
    },
    ToolDef {
        name: "view_background_job",
        description: "Shows the status of a background job and its output so far.",
        required: &["job_id"],
        properties: job_properties,
        access: ToolAccess::ReadOnly,
        call: |shell, arguments, at| shell.jobs.view(text_argument(arguments, "job_id"), at).map(Value::String),
    },
    ToolDef {
        name: "stop_background_job",
        description: "Stops a background job and every process it started.",
        required: &["job_id"],
        properties: job_properties,
        access: ToolAccess::Programs,
        call: |shell, arguments, _at| shell.jobs.stop(text_argument(arguments, "job_id")).map(Value::String),
    },
];

pub(super) fn open(environment: Vec<(String, String)>) -> Toolset {
    let shell = ShellState { environment, jobs: ShellJobs::default() };
    Toolset {
        tools: build_tools("shell", &TOOLS, shell),
        instruction: String::from(
            "Shell: each call is a new shell that keeps nothing from earlier calls. Use `cwd` rather than `cd`, and a \
             larger `timeout` for commands that take longer than 30 seconds. Use `run_background_job` for commands \
             that keep running, such as a server; every job ends with the session.",
        ),
        ..Toolset::default()
    }
}

/// A command of this set, without its limits.
fn posix_command<'a>(line: &'a str, directory: &'a str, variables: &'a [(String, String)]) -> ToolCommand<'a> {
    ToolCommand { line, directory, shell: CommandShell::Posix, variables, timeout_ms: 0, output_bytes: 0 }
}

/// Describes how a command ended. A failure is a result too, so that the model reads the reason.
fn describe_output(output: &ProcessOutput, timeout_s: usize) -> String {
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.truncated {
        text.push_str(&format!("\n\n[Output truncated: exceeded {OUTPUT_BYTES} bytes]"));
    }
    let text = if output.timed_out {
        format!("Command timed out after {timeout_s}s\nOutput: {text}")
    } else if let Some(signal) = output.signal {
        format!("Error executing command: signal {signal}\nOutput: {text}")
    } else if let Some(code) = output.exit_code.filter(|code| *code != 0) {
        format!("Error executing command: exit status {code}\nOutput: {text}")
    } else {
        text
    };
    let text = text.trim();
    String::from(if text.is_empty() { "<no output>" } else { text })
}

fn job_properties() -> Value {
    json!({"job_id": {"type": "string", "description": "The ID that `run_background_job` returned."}})
}

fn command_argument(arguments: &Value) -> Result<&str, String> {
    let command = text_argument(arguments, "cmd");
    if command.trim().is_empty() {
        return Err(String::from("`cmd` is empty; pass the command line"));
    }
    if command.contains('\0') {
        return Err(String::from("`cmd` contains a NUL character, which a command line cannot"));
    }
    Ok(command)
}
