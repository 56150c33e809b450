//! Command lines that tools run: one implementation for every tool that starts a program.

use pintle::process::{self, ProcessEnvironment, ProcessOutput, ProcessSpec};

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

impl ToolCommand<'_> {
    /// Runs the command that a model chose.
    pub(crate) fn run_checked(&self, at: &ToolContext<'_>) -> Result<ProcessOutput, String> {
        self.check(at)?;
        self.run(at)
    }

    /// Runs the command and waits for it.
    pub(crate) fn run(&self, at: &ToolContext<'_>) -> Result<ProcessOutput, String> {
        process::run(&self.to_process(at)?, at.cancel()).map_err(|error| error.to_string())
    }

    /// Fails if the command would change a protected file.
    pub(crate) fn check(&self, at: &ToolContext<'_>) -> Result<(), String> {
        at.workspace().check_run(self.line, self.directory())
    }

    pub(crate) fn to_process(&self, at: &ToolContext<'_>) -> Result<ProcessSpec, String> {
        let (program, arguments): (_, &[&str]) = match self.shell {
            CommandShell::Bash => ("bash", &["-c", self.line]),
            CommandShell::Posix => ("/bin/sh", &["-c", "exec 2>&1; exec /bin/sh -c -- \"$0\"", self.line]),
        };
        let mut spec = ProcessSpec::new(program, arguments.iter().map(|argument| (*argument).to_owned()).collect());
        spec.directory = Some(at.workspace().directory(self.directory())?);
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

    fn directory(&self) -> &str {
        if self.directory.is_empty() { "." } else { self.directory }
    }
}
