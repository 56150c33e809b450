//! Runs one command and waits for it, and builds the processes of all command tools.

use pintle::process::{self, ProcessEnvironment, ProcessError, ProcessSpec};

use crate::turn_context::ToolContext;

/// The number of bytes of a command's output that are kept, from its beginning.
const OUTPUT_BYTES: usize = 1 << 20;

/// The shell of all commands.
const SHELL: &str = "/bin/sh";

/// Runs a command and describes its result. A failure is a result too, so that the model reads the reason.
pub(super) fn run(
    command: &str,
    directory: &str,
    timeout_s: usize,
    variables: &[(String, String)],
    at: &ToolContext<'_>,
) -> Result<String, String> {
    at.workspace().check_run(command, directory)?;
    let mut spec = process_spec(command, directory, variables, at)?;
    spec.timeout_ms = (timeout_s as u64).saturating_mul(1_000);
    let output = match process::run(&spec, at.cancel()) {
        Ok(output) => output,
        Err(ProcessError::Cancelled) => return Err(String::from("Command cancelled")),
        Err(error) => return Err(error.to_string()),
    };
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.truncated {
        text.push_str(&format!("\n\n[Output truncated: exceeded {OUTPUT_BYTES} bytes]"));
    }
    let told = if output.timed_out {
        format!("Command timed out after {timeout_s}s\nOutput: {text}")
    } else if let Some(signal) = output.signal {
        format!("Error executing command: signal {signal}\nOutput: {text}")
    } else if let Some(code) = output.exit_code.filter(|code| *code != 0) {
        format!("Error executing command: exit status {code}\nOutput: {text}")
    } else {
        text
    };
    let told = told.trim();
    Ok(String::from(if told.is_empty() { "<no output>" } else { told }))
}

/// A command line as a process, with both outputs combined in the order in which they were written.
pub(in crate::toolsets) fn process_spec(
    command: &str,
    directory: &str,
    variables: &[(String, String)],
    at: &ToolContext<'_>,
) -> Result<ProcessSpec, String> {
    let dir = if directory.is_empty() { "." } else { directory };
    let arguments = ["-c", "exec 2>&1; exec /bin/sh -c -- \"$0\"", command].map(str::to_owned);
    let mut spec = ProcessSpec::new(SHELL, arguments.to_vec());
    spec.directory = Some(at.workspace().directory(dir)?);
    spec.environment = process_environment(variables);
    spec.output_bytes = OUTPUT_BYTES;
    Ok(spec)
}

/// The host's environment without variables that look like secrets, plus these variables.
fn process_environment(variables: &[(String, String)]) -> ProcessEnvironment {
    if variables.is_empty() {
        return ProcessEnvironment::WithoutSecrets;
    }
    ProcessEnvironment::Exactly(process::harmless_variables().into_iter().chain(variables.iter().cloned()).collect())
}
