//! Toolsets that a member of a team may have.

use serde_json::Value;

use crate::Location;

/// One toolset of a member.
#[derive(Debug, Clone)]
pub struct ToolsetSpec {
    /// What the toolset contains.
    pub kind: ToolsetKind,
    /// The tools to use from it; an empty list uses all.
    pub tools: Vec<String>,
    /// The instruction for the model about the toolset; `None` is the toolset's own instruction.
    pub instruction: Option<String>,
    /// Where the toolset was declared.
    pub location: Location,
}

/// The kinds of toolset.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolsetKind {
    /// A shell, with environment variables.
    Shell {
        /// Variables in addition to the host's own.
        environment: Vec<(String, String)>,
    },
    /// Tools for commands that run in the background, with environment variables.
    BackgroundJobs {
        /// Variables in addition to the host's own.
        environment: Vec<(String, String)>,
    },
    /// Tools for files of the workspace.
    Filesystem,
    /// A tool for the model to write down its reasoning.
    Think,
    /// Tools for a to-do list.
    Todo {
        /// Whether all members of the team share one list.
        shared: bool,
    },
    /// Tools for notes that are kept after the session.
    Memory {
        /// The file of the notes; `None` is the workspace's default.
        path: Option<String>,
    },
    /// A tool that fetches URLs.
    Fetch {
        /// The time limit of one fetch, in milliseconds; `None` is 30,000.
        timeout_ms: Option<u64>,
    },
    /// Shell commands as tools.
    Script(Vec<ScriptToolSpec>),
    /// The tools of an MCP server.
    Mcp(McpSpec),
    /// Tools that delegate background tasks to child agents.
    BackgroundAgents,
}

/// One shell command as a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptToolSpec {
    /// The name of the tool.
    pub name: String,
    /// The description of the tool, for the model.
    pub description: String,
    /// The JSON Schema of the arguments, which must be an object. Each argument becomes an environment variable of the
    /// command.
    pub parameters: Value,
    /// The command, as shell text.
    pub command: String,
    /// Environment variables in addition to the arguments.
    pub environment: Vec<(String, String)>,
    /// The working directory, relative to the workspace; `None` is the workspace itself.
    pub directory: Option<String>,
    /// The time limit of one call, in milliseconds; `None` is 60,000.
    pub timeout_ms: Option<u64>,
}

/// An MCP server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpSpec {
    /// The prefix of its tools, as `name_tool`; empty keeps their own names.
    pub name: String,
    /// How the server is reached.
    pub transport: McpTransport,
}

/// How an MCP server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum McpTransport {
    /// A program that speaks MCP over its standard input and output.
    Stdio {
        /// The program.
        command: String,
        /// Its arguments.
        arguments: Vec<String>,
        /// Variables in addition to the host's own.
        environment: Vec<(String, String)>,
        /// The working directory, relative to the workspace; `None` is the workspace itself.
        directory: Option<String>,
    },
    /// A server that speaks MCP over streamable HTTP.
    Http {
        /// The URL of the server.
        url: String,
        /// Header names and values.
        headers: Vec<(String, String)>,
    },
}
