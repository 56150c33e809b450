//! `mcp`: the tools of an MCP server.
//!
//! The server starts when the member is opened and ends with the session. If a toolset has a name, its tools are called
//! `name_tool`, so that the tools of two servers cannot collide.

use std::sync::Arc;

use pintle_host::contract::{McpSpec, McpTransport};
use pintle_host::mcp::{McpLimits, McpServer, McpTool};
use serde_json::Value;

use super::expand;
use super::set::Toolset;
use crate::model::ModelTool;
use crate::turn_context::SessionContext;
use crate::turn_context::{Tool, ToolContext, ToolError};

/// The time limit of one call.
const TIMEOUT_MS: u64 = 300_000;

#[derive(Debug)]
struct ServerTool {
    definition: ModelTool,
    server: Arc<McpServer>,
    /// The server's own name for the tool.
    name: String,
    is_read_only: bool,
}

/// Starts a server and lists its tools.
///
/// # Errors
/// When it cannot be started.
pub(super) fn open(spec: &McpSpec, context: &SessionContext) -> Result<Toolset, String> {
    let mut spec = spec.clone();
    let mut directory = context.workspace.root().to_owned();
    match &mut spec.transport {
        McpTransport::Stdio { environment, directory: below, .. } => {
            *environment = expand::expand_all(environment);
            if let Some(below) = below {
                directory = context.workspace.directory(below)?;
            }
        }
        McpTransport::Http { headers, .. } => *headers = expand::expand_all(headers),
    }
    let server = McpServer::start(&spec, &directory, McpLimits::default(), &context.cancel)
        .map_err(|error| error.to_string())?;
    let server = Arc::new(server);
    let tool = |tool: McpTool| -> Arc<dyn Tool> {
        let shown = if spec.name.is_empty() { tool.name.clone() } else { format!("{}_{}", spec.name, tool.name) };
        Arc::new(ServerTool {
            definition: ModelTool { name: shown, description: tool.description, parameters: tool.schema },
            server: Arc::clone(&server),
            name: tool.name,
            is_read_only: tool.read_only,
        })
    };
    Ok(Toolset {
        tools: server.tools().into_iter().map(tool).collect(),
        instruction: server.instructions().unwrap_or_default(),
        ..Toolset::default()
    })
}

impl Tool for ServerTool {
    fn definition(&self) -> &ModelTool {
        &self.definition
    }

    fn category(&self) -> Option<&str> {
        Some("mcp")
    }

    fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    fn call(&self, arguments: &Value, context: &ToolContext<'_>) -> Result<Value, ToolError> {
        self.server
            .call(&self.name, arguments, TIMEOUT_MS, context.cancel())
            .map(Value::String)
            .map_err(ToolError::from)
    }
}
