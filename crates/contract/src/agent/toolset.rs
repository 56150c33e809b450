//! Sets of tools that a member of a team may have.

use serde_json::Value;

use crate::Location;

/// One set of tools.
#[derive(Debug, Clone)]
pub struct ToolsetSpec {
    /// What it is.
    pub kind: ToolsetKind,
    /// The names of the tools that are taken from it; empty is all.
    pub tools: Vec<String>,
    /// What the model is told about the set; empty is the set's own words.
    pub instruction: Option<String>,
    /// Where it was declared.
    pub location: Location,
}

/// The sets there are.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolsetKind {
    /// A shell, with variables for it.
    Shell {
        /// Variables besides the host's own.
        environment: Vec<(String, String)>,
    },
    /// Files of the workspace.
    Filesystem,
    /// A place to think aloud.
    Think,
    /// A list of things to do.
    Todo {
        /// Whether all members of the team share one list.
        shared: bool,
    },
    /// Notes that outlive the session.
    Memory {
        /// Their file; `None` is one of the workspace's own.
        path: Option<String>,
    },
    /// Reads addresses.
    Fetch {
        /// How long one may take; `None` is 30,000.
        timeout_ms: Option<u64>,
    },
    /// Shell commands as tools.
    Script(Vec<ScriptToolSpec>),
    /// A server of the Model Context Protocol.
    Mcp(McpSpec),
    /// Tasks for sub-agents that run beside the conversation.
    BackgroundAgents,
}

/// One shell command as a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptToolSpec {
    /// The tool's name.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// JSON Schema of its arguments: an object. Each argument is a variable of the command's environment.
    pub parameters: Value,
    /// Shell text.
    pub command: String,
    /// Variables besides the arguments.
    pub environment: Vec<(String, String)>,
    /// The working directory, below the workspace; `None` is that itself.
    pub directory: Option<String>,
    /// How long one run may take; `None` is 60,000.
    pub timeout_ms: Option<u64>,
}

/// A server of the Model Context Protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpSpec {
    /// What its tools are called by, as `name_tool`; empty is their own names.
    pub name: String,
    /// How it is reached.
    pub transport: McpTransport,
}

/// How a server of the Model Context Protocol is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum McpTransport {
    /// A program that speaks it over its standard input and output.
    Stdio {
        /// The program.
        command: String,
        /// Its arguments.
        arguments: Vec<String>,
        /// Variables besides the host's own.
        environment: Vec<(String, String)>,
        /// The working directory, below the workspace; `None` is that itself.
        directory: Option<String>,
    },
    /// An address that speaks it over streamable HTTP.
    Http {
        /// The address.
        url: String,
        /// Header names and values.
        headers: Vec<(String, String)>,
    },
}
