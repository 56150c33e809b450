//! The native names of MCP server tools.

/// How a client joins the names of an MCP server and its tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum McpNames {
    /// `mcp__server__tool`, as in Pintle.
    Doubled,
    /// `mcp_server_tool`; the server's name ends at the first `_`.
    Single,
    /// `server-tool`; the tool's name starts after the last `-`.
    Dash,
    /// `MCP:tool`, without the server.
    Colon,
    /// `server__tool`.
    Bare,
    /// `server_tool`, which cannot be told from the client's own tools; the client's plugin, which knows the servers,
    /// writes them as Pintle does.
    Joined,
}

/// The placeholder for a server that the client does not name.
const UNKNOWN: &str = "unknown";

impl McpNames {
    /// The canonical name of an MCP server's tool; `None` for other tools.
    pub(super) fn to_canonical(self, name: &str) -> Option<String> {
        let (server, tool) = match self {
            Self::Doubled | Self::Joined => name.strip_prefix("mcp__")?.split_once("__")?,
            Self::Single => match name.strip_prefix("mcp__") {
                Some(rest) => rest.split_once("__")?,
                None => name.strip_prefix("mcp_")?.split_once('_')?,
            },
            Self::Dash => name.rsplit_once('-')?,
            Self::Colon => (UNKNOWN, name.strip_prefix("MCP:")?),
            Self::Bare => name.strip_prefix("mcp__").unwrap_or(name).split_once("__")?,
        };
        (!server.is_empty() && !tool.is_empty()).then(|| format!("mcp__{server}__{tool}"))
    }

    /// The native name for a canonical one; `None` for other tools.
    pub(super) fn to_native(self, canonical: &str) -> Option<String> {
        let (server, tool) = canonical.strip_prefix("mcp__")?.split_once("__")?;
        Some(match self {
            Self::Doubled => canonical.to_owned(),
            Self::Single => format!("mcp_{server}_{tool}"),
            Self::Dash => format!("{server}-{tool}"),
            Self::Colon => format!("MCP:{tool}"),
            Self::Bare => format!("{server}__{tool}"),
            Self::Joined => format!("{server}_{tool}"),
        })
    }
}
