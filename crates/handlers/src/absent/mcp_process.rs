//! What stands for an MCP server's process on a system where Pintle cannot contain it: none is started.

use std::path::Path;

use tokio::process::{ChildStdin, ChildStdout};

/// No program is running.
#[derive(Debug)]
pub(super) struct McpServerProcess(StderrTail);

/// The end of a program's error output.
#[derive(Debug, Clone, Default)]
pub(super) struct StderrTail;

impl McpServerProcess {
    /// Starts nothing.
    pub(super) fn start(
        program: &str,
        _arguments: &[String],
        _variables: &[(String, String)],
        _directory: &Path,
    ) -> Result<(Self, ChildStdout, ChildStdin), String> {
        Err(format!(
            "cannot run `{program}`: Pintle does not start MCP servers on this system yet; use one with a URL, or run \
             the agent on Linux or macOS (WSL on Windows)"
        ))
    }

    pub(super) fn stderr_tail(&self) -> &StderrTail {
        &self.0
    }

    pub(super) async fn stop(self) {}
}

impl StderrTail {
    pub(super) fn last_line(&self) -> Option<String> {
        None
    }
}
