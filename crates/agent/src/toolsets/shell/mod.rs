//! `shell`: commands, in the foreground or in the background.
//!
//! Names, arguments and result texts are docker-agent's. Unlike there, the shell is always `/bin/sh`, whatever `$SHELL`
//! says; a command starts inside the workspace; it does not see variables that look like secrets, unless the set
//! declares them; and no process it started outlives it.

pub(super) mod command;

mod jobs;

use std::sync::Arc;

use serde_json::{Value, json};

use super::set::{self, ToolDef, Toolset};
use crate::tools::{number_argument, text_argument};

use jobs::ShellJobs;

/// State that the tools of one set share.
#[derive(Debug)]
struct ShellState {
    /// Declared variables, added to the host's environment.
    environment: Vec<(String, String)>,
    jobs: ShellJobs,
}

/// The default time limit of a command in seconds, as in docker-agent.
const TIMEOUT_S: usize = 30;

static TOOLS: [ToolDef<ShellState>; 5] = [
    ToolDef {
        name: "shell",
        description: "Runs a command with `/bin/sh` and returns its output. It has no input, and processes it starts end with it.",
        parameters: || {
            json!({
                "type": "object",
                "properties": {
                    "cmd": {"type": "string", "description": "The command line."},
                    "cwd": {"type": "string", "description": "Where to run. Default: the working directory."},
                    "timeout": {
                        "type": "integer", "minimum": 1, "maximum": 3600,
                        "description": "The time limit in seconds. Default 30.",
                    },
                },
                "required": ["cmd"],
            })
        },
        is_read_only: false,
        call: |shell, arguments, at| {
            let command = command_argument(arguments)?;
            let timeout_s = number_argument(arguments, "timeout").unwrap_or(TIMEOUT_S);
            command::run(command, text_argument(arguments, "cwd"), timeout_s, &shell.environment, at).map(Value::String)
        },
    },
    ToolDef {
        name: "run_background_job",
        description: "Starts a command with `/bin/sh` in the background and returns its job ID at once, for servers, watchers and other long-running commands.",
        parameters: || {
            json!({
                "type": "object",
                "properties": {
                    "cmd": {"type": "string", "description": "The command line."},
                    "cwd": {"type": "string", "description": "Where to run. Default: the working directory."},
                },
                "required": ["cmd"],
            })
        },
        is_read_only: false,
        call: |shell, arguments, at| {
            let command = command_argument(arguments)?;
            shell.jobs.start(command, text_argument(arguments, "cwd"), &shell.environment, at).map(Value::String)
        },
    },
    ToolDef {
        name: "list_background_jobs",
        description: "Lists the background jobs with their status.",
        parameters: || json!({"type": "object", "properties": {}}),
        is_read_only: true,
        call: |shell, _arguments, at| Ok(Value::String(shell.jobs.list(at))),
    },
    ToolDef {
        name: "view_background_job",
        description: "Shows the status of a background job and its output so far.",
        parameters: job_parameters,
        is_read_only: true,
        call: |shell, arguments, at| shell.jobs.view(text_argument(arguments, "job_id"), at).map(Value::String),
    },
    ToolDef {
        name: "stop_background_job",
        description: "Stops a background job and every process it started.",
        parameters: job_parameters,
        is_read_only: false,
        call: |shell, arguments, _at| shell.jobs.stop(text_argument(arguments, "job_id")).map(Value::String),
    },
];

pub(super) fn open(environment: Vec<(String, String)>) -> Toolset {
    let shell = ShellState { environment, jobs: ShellJobs::default() };
    Toolset {
        tools: set::build_tools("shell", &TOOLS, Arc::new(shell)),
        instruction: String::from(
            "Shell: each call is a new shell that keeps nothing from earlier calls. Use `cwd` rather than `cd`, and a \
             larger `timeout` for commands that take longer than 30 seconds. Use `run_background_job` for commands \
             that keep running, such as a server; every job ends with the session.",
        ),
        ..Toolset::default()
    }
}

fn job_parameters() -> Value {
    json!({
        "type": "object",
        "properties": {"job_id": {"type": "string", "description": "The ID that `run_background_job` returned."}},
        "required": ["job_id"],
    })
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
