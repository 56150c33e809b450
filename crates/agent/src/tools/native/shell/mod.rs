//! Runs command lines: both families' `shell`, and docker-agent's background jobs.
//!
//! The shell is the one that each family promises, whatever `$SHELL` says. A command starts inside the workspace; it does
//! not see variables that look like secrets, unless a toolset declares them; and no process it started outlives it.

mod command;
mod jobs;

use pintle_host::process::ProcessOutput;
use serde_json::{Value, json};

use super::parts::docker_agent_call;
use crate::tools::{ToolAccess, ToolDef, number_argument, text_argument};

pub(crate) use command::{CommandShell, ToolCommand, failure_status, output_text};
use jobs::ShellJobs;

pub(super) const SHELL: ToolDef = ToolDef {
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
    call: |_, arguments, at| {
        let timeout_ms = number_argument(arguments, "timeout_ms").map_or(TIMEOUT_MS, |ms| ms as u64);
        let command = ToolCommand::from_call(arguments, CommandShell::Bash);
        let command = ToolCommand { timeout_ms, output_bytes: SHOWN_BYTES, ..command };
        show_outputs(&command.run_checked(at)?, timeout_ms)
    },
};

/// The default time limit of a native command.
const TIMEOUT_MS: u64 = 60_000;

/// The number of bytes of each output of a native command that the model sees, from its beginning.
const SHOWN_BYTES: usize = 64 << 10;

/// The result of a native command. A time limit is an error, with the output so far.
fn show_outputs(output: &ProcessOutput, timeout_ms: u64) -> Result<Value, String> {
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if output.timed_out {
        return Err(format!(
            "the command did not end within {timeout_ms} ms and was killed; raise `timeout_ms` or split the command\n\
             Output: {stdout}{stderr}"
        ));
    }
    let mut result = json!({
        "stdout": stdout,
        "stderr": stderr,
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

/// State that the tools of one toolset share.
#[derive(Debug)]
pub(crate) struct ShellState {
    /// Declared variables, added to the host's environment.
    environment: Vec<(String, String)>,
    jobs: ShellJobs,
}

impl ShellState {
    pub(crate) fn new(environment: Vec<(String, String)>) -> Self {
        Self { environment, jobs: ShellJobs::default() }
    }
}

/// The number of bytes of a toolset's command's output that are kept, from its beginning.
const OUTPUT_BYTES: usize = 1 << 20;

/// The default time limit of a toolset's command in seconds, as in docker-agent.
const TIMEOUT_S: usize = 30;

pub(crate) static SHELL_TOOLS: [ToolDef<ShellState>; 1] = [ToolDef {
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
        let call = docker_agent_call(arguments, at);
        let timeout_s = number_argument(arguments, "timeout").unwrap_or(TIMEOUT_S);
        let command = ToolCommand {
            variables: &shell.environment,
            timeout_ms: (timeout_s as u64).saturating_mul(1_000),
            output_bytes: OUTPUT_BYTES,
            ..ToolCommand::from_call(&call, CommandShell::Posix)
        };
        command.run_checked(at).map(|output| Value::String(describe_output(&output, timeout_s)))
    },
}];

/// The tools of `background_jobs`.
pub(crate) static JOB_TOOLS: [ToolDef<ShellState>; 4] = [
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
            let call = docker_agent_call(arguments, at);
            let command = ToolCommand::from_call(&call, CommandShell::Posix);
            let command = ToolCommand { variables: &shell.environment, ..command };
            shell.jobs.start(command, at).map(Value::String)
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

/// Describes how a command ended. A failure is a result too, so that the model reads the reason.
fn describe_output(output: &ProcessOutput, timeout_s: usize) -> String {
    let text = output_text(output, OUTPUT_BYTES);
    let text = match failure_status(output) {
        _ if output.timed_out => format!("Command timed out after {timeout_s}s\nOutput: {text}"),
        Some(failure) => format!("Error executing command: {failure}\nOutput: {text}"),
        None => text,
    };
    let text = text.trim();
    String::from(if text.is_empty() { "<no output>" } else { text })
}

fn job_properties() -> Value {
    json!({"job_id": {"type": "string", "description": "The ID that `run_background_job` returned."}})
}
