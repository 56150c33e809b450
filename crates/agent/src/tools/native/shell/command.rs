//! Command lines that tools run: one implementation for every tool that starts a program.

use pintle_host::process::{self, ProcessEnvironment, ProcessOutput, ProcessSpec};
use serde_json::Value;

use crate::tools::text_argument;
use crate::turn_context::ToolContext;

/// A command line that a tool runs inside the workspace.
pub(crate) struct ToolCommand<'a> {
    pub(crate) line: &'a str,
    /// Where to run; empty is the working directory.
    pub(crate) directory: &'a str,
    pub(crate) shell: CommandShell,
    /// Added to the host's environment, of which variables that look like secrets are left out.
    pub(crate) variables: &'a [(String, String)],
    pub(crate) timeout_ms: u64,
    /// The number of bytes of the output that are kept, from its beginning.
    pub(crate) output_bytes: usize,
}

/// The shell of a command line, and what becomes of its two outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommandShell {
    /// `bash`, with the outputs apart.
    Bash,
    /// `/bin/sh`, with both outputs in one, in the order in which they were written.
    Posix,
}

impl<'a> ToolCommand<'a> {
    /// The command that a model chose, in Pintle's words. Its limits are those of the family.
    pub(super) fn from_call(call: &'a Value, shell: CommandShell) -> Self {
        let (line, directory) = (text_argument(call, "command"), text_argument(call, "directory"));
        Self { line, directory, shell, variables: &[], timeout_ms: 0, output_bytes: 0 }
    }

    /// Runs the command that a model chose.
    pub(super) fn run_checked(&self, context: &ToolContext<'_>) -> Result<ProcessOutput, String> {
        self.check(context)?;
        self.run(context)
    }

    /// Runs the command and waits for it.
    pub(crate) fn run(&self, context: &ToolContext<'_>) -> Result<ProcessOutput, String> {
        process::run(&self.to_process(context)?, context.cancel()).map_err(|error| error.to_string())
    }

    /// Fails if a model's command cannot run, or would change a protected file.
    pub(super) fn check(&self, context: &ToolContext<'_>) -> Result<(), String> {
        if self.line.trim().is_empty() {
            return Err(String::from("the command is empty; pass a command line"));
        }
        if self.line.contains('\0') {
            return Err(String::from("the command contains a NUL character, which a command line cannot"));
        }
        context.workspace().check_run(self.line, self.directory())
    }

    pub(super) fn to_process(&self, context: &ToolContext<'_>) -> Result<ProcessSpec, String> {
        let (program, arguments): (_, &[&str]) = match self.shell {
            CommandShell::Bash => ("bash", &["-c", self.line]),
            CommandShell::Posix => ("/bin/sh", &["-c", "exec 2>&1; exec /bin/sh -c -- \"$0\"", self.line]),
        };
        let mut spec = ProcessSpec::new(program, arguments.iter().map(|argument| (*argument).to_owned()).collect());
        spec.directory = Some(context.workspace().directory(self.directory())?);
        spec.environment = self.to_environment();
        spec.timeout_ms = self.timeout_ms;
        spec.output_bytes = self.output_bytes;
        Ok(spec)
    }

    fn to_environment(&self) -> ProcessEnvironment {
        if self.variables.is_empty() {
            return ProcessEnvironment::WithoutSecrets;
        }
        let variables = process::harmless_variables().into_iter().chain(self.variables.iter().cloned());
        ProcessEnvironment::Exactly(variables.collect())
    }

    pub(super) fn directory(&self) -> &str {
        if self.directory.is_empty() { "." } else { self.directory }
    }
}

/// Both outputs in one, and a remark if they were cut.
pub(crate) fn output_text(output: &ProcessOutput, output_bytes: usize) -> String {
    let text = String::from_utf8_lossy(&output.stdout);
    let remark = format!("\n\n[Output truncated: exceeded {output_bytes} bytes]");
    format!("{text}{}", if output.truncated { remark.as_str() } else { "" })
}

/// How a command failed, such as `exit status 1`; `None` if it did not.
pub(crate) fn failure_status(output: &ProcessOutput) -> Option<String> {
    match (output.exit_code, output.signal) {
        (Some(0), _) => None,
        (Some(code), _) => Some(format!("exit status {code}")),
        (None, signal) => Some(format!("signal {}", signal.unwrap_or_default())),
    }
}
