//! What a tool is for.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a tool is for, whatever an agent calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ToolKind {
    /// Runs commands or programs.
    Shell,
    /// Reads files.
    Read,
    /// Writes whole files.
    Write,
    /// Changes parts of files.
    Edit,
    /// Deletes files or directories.
    Delete,
    /// Moves or renames files.
    Move,
    /// Lists directories.
    List,
    /// Searches for files or in files.
    Search,
    /// Fetches a page from the network.
    Fetch,
    /// Searches the web.
    WebSearch,
    /// Starts another agent.
    Delegate,
    /// Keeps the agent's list of tasks.
    Todo,
    /// Asks the user a question.
    AskUser,
    /// A tool of an MCP server.
    Mcp,
    /// Any other tool.
    #[default]
    Other,
}

impl ToolKind {
    /// Every kind.
    pub const ALL: [Self; 15] = [
        Self::Shell,
        Self::Read,
        Self::Write,
        Self::Edit,
        Self::Delete,
        Self::Move,
        Self::List,
        Self::Search,
        Self::Fetch,
        Self::WebSearch,
        Self::Delegate,
        Self::Todo,
        Self::AskUser,
        Self::Mcp,
        Self::Other,
    ];

    /// The name in payloads, such as `web_search`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Shell => "shell",
            Self::Read => "read",
            Self::Write => "write",
            Self::Edit => "edit",
            Self::Delete => "delete",
            Self::Move => "move",
            Self::List => "list",
            Self::Search => "search",
            Self::Fetch => "fetch",
            Self::WebSearch => "web_search",
            Self::Delegate => "delegate",
            Self::Todo => "todo",
            Self::AskUser => "ask_user",
            Self::Mcp => "mcp",
            Self::Other => "other",
        }
    }

    /// The category of docker-agent's payloads: `shell`, `filesystem`, `network`, `agent`, `mcp` or `other`.
    #[must_use]
    pub fn category(self) -> &'static str {
        match self {
            Self::Shell => "shell",
            Self::Read | Self::Write | Self::Edit | Self::Delete | Self::Move | Self::List | Self::Search => {
                "filesystem"
            }
            Self::Fetch | Self::WebSearch => "network",
            Self::Delegate => "agent",
            Self::Mcp => "mcp",
            Self::Todo | Self::AskUser | Self::Other => "other",
        }
    }
}

impl fmt::Display for ToolKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_has_one_name_in_payloads() {
        for kind in ToolKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
    }
}
