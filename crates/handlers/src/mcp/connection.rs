//! Handles one connection to an MCP server.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pintle_contract::McpTransport;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotificationParam, ClientCapabilities, ClientConfig,
    ClientRequest, Implementation, PaginatedRequestParams, RequestId, ServerResult,
};
use rmcp::service::{NotificationContext, PeerRequestOptions, RoleClient, RunningService, ServiceError, ServiceExt};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientHandler, Peer};
use serde_json::Value;

use super::McpTool;
use super::process::{McpServerProcess, StderrTail};
use crate::async_runtime::runtime_handle;

/// The longest message of a server.
const MESSAGE_BYTES: usize = 8 << 20;

/// The most tools of one server, and the most pages of its tool list.
const MAX_TOOLS: usize = 1_000;
const MAX_PAGES: usize = 50;

/// The longest tool description for a model.
const DESCRIPTION_BYTES: usize = 8 << 10;

/// The time limit for connecting over HTTP.
const CONNECT: Duration = Duration::from_secs(10);

/// The time limit for closing a connection.
const CLOSE: Duration = Duration::from_millis(200);

/// The time limit for closing a connection and ending its program.
const LAST_CLOSE: Duration = Duration::from_secs(2);

/// Pintle's client information for the SDK, and its notification handler.
#[derive(Debug, Clone, Default)]
struct McpClientInfo {
    /// Whether the server announced a change of its tools.
    has_changed: Arc<AtomicBool>,
}

impl ClientHandler for McpClientInfo {
    fn get_info(&self) -> ClientConfig {
        let own = Implementation::new("pintle", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), own)
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.has_changed.store(true, Ordering::Release);
    }
}

#[derive(Debug)]
pub(super) struct McpConnection {
    peer: Peer<RoleClient>,
    has_changed: Arc<AtomicBool>,
    stderr_tail: Option<StderrTail>,
    /// Taken when the connection is closed.
    state: Mutex<Option<McpConnectionState>>,
}

/// The state of an open connection.
#[derive(Debug)]
struct McpConnectionState {
    service: RunningService<RoleClient, McpClientInfo>,
    process: Option<McpServerProcess>,
}

impl McpConnection {
    /// Connects and performs the handshake.
    pub(super) async fn open(transport: &McpTransport, directory: &Path) -> Result<Self, String> {
        let client = McpClientInfo::default();
        let changed = Arc::clone(&client.has_changed);
        let (service, process) = match transport {
            McpTransport::Stdio { command, arguments, environment, .. } => {
                let (process, output, input) = McpServerProcess::start(command, arguments, environment, directory)?;
                let transport = AsyncRwTransport::new(output, input).with_max_line_length(MESSAGE_BYTES);
                let service = match client.serve(transport).await {
                    Ok(service) => service,
                    Err(error) => {
                        let complaints = process.stderr_tail().clone();
                        process.stop().await;
                        return Err(format!("{error}{}", quote_stderr(&complaints)));
                    }
                };
                (service, Some(process))
            }
            McpTransport::Http { url, headers } => {
                let config = StreamableHttpClientTransportConfig::with_uri(url.as_str())
                    .custom_headers(parse_headers(headers)?)
                    .max_sse_event_size(MESSAGE_BYTES);
                let transport = StreamableHttpClientTransport::with_client(build_http_client()?, config);
                (client.serve(transport).await.map_err(|error| error.to_string())?, None)
            }
        };
        let complaints = process.as_ref().map(|process| process.stderr_tail().clone());
        let peer = service.peer().clone();
        Ok(Self {
            peer,
            has_changed: changed,
            stderr_tail: complaints,
            state: Mutex::new(Some(McpConnectionState { service, process })),
        })
    }

    /// Reads the tools, page by page.
    pub(super) async fn list_tools(&self) -> Result<Vec<McpTool>, String> {
        let mut tools = Vec::new();
        let mut page = PaginatedRequestParams::default();
        for _ in 0..MAX_PAGES {
            let listed = self.peer.list_tools(Some(page)).await;
            let listed = listed.map_err(|error| format!("cannot list its tools: {error}"))?;
            tools.extend(listed.tools.into_iter().map(to_mcp_tool));
            if tools.len() > MAX_TOOLS {
                return Err(format!("it has more than {MAX_TOOLS} tools"));
            }
            let Some(next) = listed.next_cursor else { return Ok(tools) };
            page = PaginatedRequestParams::default();
            page.cursor = Some(next);
        }
        Err(format!("its list of tools has more than {MAX_PAGES} pages"))
    }

    /// Makes one call and returns the result as the server sent it.
    pub(super) async fn call_tool(
        &self,
        name: String,
        arguments: Value,
        timeout: Duration,
    ) -> Result<Value, McpCallError> {
        let mut params = CallToolRequestParams::new(name);
        params.arguments = match arguments {
            Value::Object(arguments) => Some(arguments),
            _ => None,
        };
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        // The SDK's own timeout tells the server that the call was cancelled.
        let options = PeerRequestOptions::with_timeout(timeout);
        let handle = self.peer.send_cancellable_request(request, options).await?;
        let mut asked = PendingMcpRequest(Some((self.peer.clone(), handle.id.clone())));
        let answered = handle.await_response().await;
        asked.0 = None;
        match answered? {
            ServerResult::InputRequiredResult(_) => {
                Err(McpCallError::from_message("it requests input (elicitation), which is not supported here"))
            }
            ServerResult::CreateTaskResult(_) => {
                Err(McpCallError::from_message("it turned the call into a task, which is not supported"))
            }
            // The fields identify a result, whatever type the SDK chose.
            other => {
                serde_json::to_value(&other).map_err(|_| McpCallError::from_message("it sent an unreadable response"))
            }
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        let held = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.peer.is_transport_closed() || held.as_ref().is_none_or(|held| held.service.is_closed())
    }

    pub(super) fn has_changed(&self) -> bool {
        self.has_changed.load(Ordering::Acquire)
    }

    pub(super) fn take_change_flag(&self) -> bool {
        self.has_changed.swap(false, Ordering::AcqRel)
    }

    pub(super) fn instructions(&self) -> Option<String> {
        self.peer.peer_info()?.instructions.clone().filter(|text| !text.trim().is_empty())
    }

    /// The last line of the program's error output, for an error text.
    pub(super) fn last_stderr_line(&self) -> String {
        self.stderr_tail.as_ref().map(quote_stderr).unwrap_or_default()
    }
}

/// A pending request. If it is dropped, the server is told that it was cancelled.
struct PendingMcpRequest(Option<(Peer<RoleClient>, RequestId)>);

impl Drop for PendingMcpRequest {
    fn drop(&mut self) {
        let (Some((peer, id)), Ok(runtime)) = (self.0.take(), runtime_handle()) else { return };
        runtime.spawn(async move {
            // A server that has ended need not be notified.
            let _ = peer.notify_cancelled(CancelledNotificationParam::new(Some(id), None)).await;
        });
    }
}

impl Drop for McpConnection {
    /// Closes the connection and ends the program, within a time limit: this process may end right afterwards.
    fn drop(&mut self) {
        let held = self.state.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        let (Some(mut held), Ok(runtime)) = (held, runtime_handle()) else { return };
        let (done, ended) = channel();
        runtime.spawn(async move {
            let _ = held.service.close_with_timeout(CLOSE).await;
            if let Some(process) = held.process {
                process.stop().await;
            }
            let _ = done.send(());
        });
        // The runtime's own thread cannot wait for itself.
        if tokio::runtime::Handle::try_current().is_err() {
            let _ = ended.recv_timeout(LAST_CLOSE);
        }
    }
}

fn to_mcp_tool(tool: rmcp::model::Tool) -> McpTool {
    let mut description = tool.description.unwrap_or_default().into_owned();
    description.truncate(description.floor_char_boundary(DESCRIPTION_BYTES));
    McpTool {
        name: tool.name.into_owned(),
        description,
        schema: Value::Object(tool.input_schema.as_ref().clone()),
        read_only: tool.annotations.and_then(|annotations| annotations.read_only_hint).unwrap_or(false),
    }
}

/// The reason why a call has no result.
pub(super) enum McpCallError {
    /// The connection was closed during the call.
    ConnectionClosed,
    /// The call exceeded its time limit.
    TimedOut,
    /// The server refused the call, or sent something else.
    Failed { reason: String },
}

impl McpCallError {
    fn from_message(reason: impl Into<String>) -> Self {
        Self::Failed { reason: reason.into() }
    }
}

impl From<ServiceError> for McpCallError {
    fn from(service_error: ServiceError) -> Self {
        match service_error {
            ServiceError::McpError(error) => Self::from_message(error.message),
            ServiceError::TransportClosed => Self::ConnectionClosed,
            ServiceError::Timeout { .. } => Self::TimedOut,
            other => Self::from_message(other.to_string()),
        }
    }
}

fn quote_stderr(complaints: &StderrTail) -> String {
    complaints.last_line().map_or_else(String::new, |line| format!("; it wrote `{line}`"))
}

fn parse_headers(headers: &[(String, String)]) -> Result<HashMap<HeaderName, HeaderValue>, String> {
    let header = |(name, value): &(String, String)| {
        let key =
            HeaderName::from_bytes(name.as_bytes()).map_err(|_| format!("`{name}` is not a valid header name"))?;
        let mut value =
            HeaderValue::from_str(value).map_err(|_| format!("the value of the header `{name}` is not allowed"))?;
        value.set_sensitive(true);
        Ok((key, value))
    };
    headers.iter().map(header).collect()
}

fn build_http_client() -> Result<reqwest::Client, String> {
    crate::http::build_keyed_client(CONNECT)
        .user_agent(concat!("pintle/", env!("CARGO_PKG_VERSION")))
        // A reused connection to a restarted server would make the next call fail.
        .pool_max_idle_per_host(0)
        .build()
        .map_err(|error| format!("cannot create the HTTP client: {error}"))
}
