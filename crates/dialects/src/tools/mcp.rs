//! How agents call the tools of MCP servers.

/// How an agent joins the names of an MCP server and its tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum McpNames {
    /// `mcp__server__tool`, as Pintle writes it.
    Doubled,
    /// `mcp_server_tool`; the server's name ends at the first `_`.
    Single,
    /// `server-tool`; the tool's name begins after the last `-`.
    Dash,
    /// `MCP:tool`, without the server.
    Colon,
    /// `server__tool`.
    Bare,
    /// They cannot be told from its own tools.
    Unmarked,
}

/// Stands for a server that the agent does not name.
const UNKNOWN: &str = "unknown";

impl McpNames {
    /// The canonical name of an MCP server's tool; `None` for what is none.
    pub(super) fn to_canonical(self, name: &str) -> Option<String> {
        let (server, tool) = match self {
            Self::Doubled => name.strip_prefix("mcp__")?.split_once("__")?,
            Self::Single => match name.strip_prefix("mcp__") {
                Some(rest) => rest.split_once("__")?,
                None => name.strip_prefix("mcp_")?.split_once('_')?,
            },
            Self::Dash => name.rsplit_once('-')?,
            Self::Colon => (UNKNOWN, name.strip_prefix("MCP:")?),
            Self::Bare => name.strip_prefix("mcp__").unwrap_or(name).split_once("__")?,
            Self::Unmarked => return None,
        };
        (!server.is_empty() && !tool.is_empty()).then(|| format!("mcp__{server}__{tool}"))
    }

    /// The agent's name of a canonical one; `None` for what is no MCP server's tool.
    pub(super) fn to_native(self, canonical: &str) -> Option<String> {
        let (server, tool) = canonical.strip_prefix("mcp__")?.split_once("__")?;
        Some(match self {
            Self::Doubled => canonical.to_owned(),
            Self::Single => format!("mcp_{server}_{tool}"),
            Self::Dash => format!("{server}-{tool}"),
            Self::Colon => format!("MCP:{tool}"),
            Self::Bare => format!("{server}__{tool}"),
            Self::Unmarked => format!("{server}_{tool}"),
        })
    }
}
