//! Errors of MCP servers.

/// The reason why a server did not start, or a call has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum McpError {
    /// The server cannot be started or reached, does not speak the protocol, or exceeds the time limit.
    #[error("MCP server `{server}` cannot be started: {reason}")]
    StartFailed {
        /// The name of the server, or its command or URL.
        server: String,
        /// What failed.
        reason: String,
    },
    /// The server stopped during the call; it is unknown whether the call had effects.
    #[error("MCP server `{server}` stopped during this call: {reason}")]
    Stopped {
        /// The name of the server, or its command or URL.
        server: String,
        /// How the connection ended, with the last line of the server's error output.
        reason: String,
    },
    /// The server stopped earlier, and is not restarted yet.
    #[error("MCP server `{server}` stopped and will be restarted in {left_ms} ms; continue without it")]
    Restarting {
        /// The name of the server, or its command or URL.
        server: String,
        /// The time until the restart, in milliseconds.
        left_ms: u64,
    },
    /// The call exceeded its time limit.
    #[error("MCP server `{server}`: the call took longer than {timeout_ms} ms")]
    TimedOut {
        /// The name of the server, or its command or URL.
        server: String,
        /// The time limit, in milliseconds.
        timeout_ms: u64,
    },
    /// The caller cancelled the call.
    #[error("MCP server `{server}`: cancelled")]
    Cancelled {
        /// The name of the server, or its command or URL.
        server: String,
    },
    /// The server refused the call, or the call failed in another way.
    #[error("MCP server `{server}`: {reason}")]
    CallFailed {
        /// The name of the server, or its command or URL.
        server: String,
        /// What failed.
        reason: String,
    },
    /// The server sent something that is not the result of a tool.
    #[error("the server's response is not a tool result")]
    InvalidResult,
    /// The tool ran and reports an error.
    #[error("{text}")]
    ToolFailed {
        /// The tool's own text.
        text: String,
    },
}
