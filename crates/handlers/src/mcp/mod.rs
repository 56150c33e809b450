//! MCP servers, whose tools an agent uses.
//!
//! The official SDK implements the protocol, over the standard input and output of a program or over streamable HTTP.
//! This module is the synchronous interface: each function waits up to its time limit, and ends early when it is
//! cancelled. A server is not trusted to save time or memory, or to keep running. A server that ended is restarted by
//! the next call, after a pause that grows with every failure.

mod connection;
mod deadline;
mod error;
#[cfg_attr(not(unix), path = "../absent/mcp_process.rs")]
mod process;
mod result;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pintle_contract::{CancelToken, McpSpec, McpTransport};
use serde_json::Value;

use connection::{McpCallError, McpConnection};
use deadline::{CallDeadline, WaitAborted};
pub use error::McpError;

/// A tool as its server declares it.
#[derive(Debug, Clone, PartialEq)]
pub struct McpTool {
    /// The name of the tool.
    pub name: String,
    /// The description for the model.
    pub description: String,
    /// The JSON Schema of its arguments: an object.
    pub schema: Value,
    /// Whether the server claims that the tool is read-only. This is not a proof.
    pub read_only: bool,
}

/// The limits of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct McpLimits {
    /// The time limit for starting and listing the tools. Default: 10,000.
    pub start_ms: u64,
    /// The most bytes of one result; longer results are truncated and marked. Default: 1 MiB.
    pub result_bytes: usize,
    /// The shortest pause before a stopped server is restarted. It doubles with every crash, up to a minute, and is
    /// reset by a successful call. Default: 1,000.
    pub pause_ms: u64,
}

impl Default for McpLimits {
    fn default() -> Self {
        Self { start_ms: 10_000, result_bytes: 1 << 20, pause_ms: 1_000 }
    }
}

/// The longest pause before a stopped server is restarted.
const LONGEST_PAUSE_MS: u64 = 60_000;

/// The delay after the SDK's timeout until this side stops waiting.
const SLACK_MS: u64 = 500;

/// A started server. Dropping it ends it with all its child processes.
#[derive(Debug)]
pub struct McpServer {
    spec: McpSpec,
    directory: PathBuf,
    limits: McpLimits,
    state: Mutex<McpServerState>,
    /// Held while the server is restarted; other calls wait and then use the new connection.
    restart_lock: Mutex<()>,
}

#[derive(Debug)]
struct McpServerState {
    connection: Option<Arc<McpConnection>>,
    tools: Vec<McpTool>,
    instructions: Option<String>,
    /// The number of crashes since the last successful call.
    crash_count: u32,
    /// The earliest time of the next restart.
    retry_at: Option<Instant>,
}

impl McpServer {
    /// Starts a server, or connects to it, and lists its tools. A program starts in `directory`.
    ///
    /// # Errors
    /// When it cannot be started or reached, does not speak the protocol, exceeds the time limit, or `cancel` is set.
    pub fn start(spec: &McpSpec, directory: &Path, limits: McpLimits, cancel: &CancelToken) -> Result<Self, McpError> {
        let (link, tools) = connect(spec, directory, limits, cancel)?;
        let state = McpServerState {
            instructions: link.instructions(),
            connection: Some(link),
            tools,
            crash_count: 0,
            retry_at: None,
        };
        Ok(Self {
            spec: spec.clone(),
            directory: directory.to_owned(),
            limits,
            state: Mutex::new(state),
            restart_lock: Mutex::default(),
        })
    }

    /// The tools as last listed. If the server announced a change, they are listed again.
    #[must_use]
    pub fn tools(&self) -> Vec<McpTool> {
        let link = self.lock_state().connection.clone();
        if let Some(link) = link.filter(|link| link.take_change_flag()) {
            let wait = CallDeadline { timeout_ms: self.limits.start_ms, cancel: &CancelToken::default() };
            // A server that cannot list its new tools keeps its old ones.
            if let Ok(Ok(tools)) = wait.wait_for(async move { link.list_tools().await }) {
                self.lock_state().tools = tools;
            }
        }
        self.lock_state().tools.clone()
    }

    /// Whether the server announced a change of its tools that has not been read yet.
    #[must_use]
    pub fn has_changed(&self) -> bool {
        self.lock_state().connection.as_ref().is_some_and(|link| link.has_changed())
    }

    /// The server's usage instructions, if it has any.
    #[must_use]
    pub fn instructions(&self) -> Option<String> {
        self.lock_state().instructions.clone()
    }

    /// Calls a tool and returns its result as text.
    ///
    /// A call is made only once: if the server crashes during it, it is unknown whether its effects happened.
    ///
    /// # Errors
    /// When the tool itself reports an error, or the result is missing: the server crashed, exceeded the time limit,
    /// sent something that is not a result, or `cancel` was set.
    pub fn call(
        &self,
        tool: &str,
        arguments: &Value,
        timeout_ms: u64,
        cancel: &CancelToken,
    ) -> Result<String, McpError> {
        let link = self.connection(cancel)?;
        // The SDK's timeout comes first, since it tells the server that the call was cancelled.
        let wait = CallDeadline { timeout_ms: timeout_ms.saturating_add(SLACK_MS), cancel };
        let (asked, name, arguments) = (Arc::clone(&link), tool.to_owned(), arguments.clone());
        let timeout = Duration::from_millis(timeout_ms);
        let answered = wait.wait_for(async move { asked.call_tool(name, arguments, timeout).await });
        let server = server_name(&self.spec);
        match answered {
            Ok(Ok(answer)) => {
                self.lock_state().crash_count = 0;
                result::decode_result(&answer, self.limits.result_bytes)
            }
            Ok(Err(McpCallError::ConnectionClosed)) => {
                self.mark_closed(&link);
                Err(McpError::Stopped {
                    server,
                    reason: format!("the connection is closed{}", link.last_stderr_line()),
                })
            }
            Ok(Err(McpCallError::Failed { reason })) => Err(McpError::CallFailed { server, reason }),
            Ok(Err(McpCallError::TimedOut)) | Err(WaitAborted::TimedOut) => {
                Err(McpError::TimedOut { server, timeout_ms })
            }
            Err(WaitAborted::Cancelled) => Err(McpError::Cancelled { server }),
            Err(WaitAborted::TaskFailed(reason)) => Err(McpError::CallFailed { server, reason }),
        }
    }

    /// The connection; a stopped server is restarted after its pause.
    fn connection(&self, cancel: &CancelToken) -> Result<Arc<McpConnection>, McpError> {
        let _restarting = self.restart_lock.lock().unwrap_or_else(PoisonError::into_inner);
        let current = self.lock_state().connection.clone();
        if let Some(link) = current {
            if !link.is_closed() {
                return Ok(link);
            }
            self.mark_closed(&link);
        }
        let left = self.lock_state().retry_at.map(|until| until.saturating_duration_since(Instant::now()));
        if let Some(left) = left.filter(|left| !left.is_zero()) {
            let left_ms = u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
            return Err(McpError::Restarting { server: server_name(&self.spec), left_ms });
        }
        match connect(&self.spec, &self.directory, self.limits, cancel) {
            Ok((link, tools)) => {
                let mut state = self.lock_state();
                state.connection = Some(Arc::clone(&link));
                state.tools = tools;
                state.retry_at = None;
                Ok(link)
            }
            Err(error) => {
                self.lock_state().back_off(self.limits.pause_ms);
                Err(error)
            }
        }
    }

    /// Marks a connection as closed, once.
    fn mark_closed(&self, dead: &Arc<McpConnection>) {
        let mut state = self.lock_state();
        if state.connection.as_ref().is_some_and(|link| Arc::ptr_eq(link, dead)) {
            state.connection = None;
            state.back_off(self.limits.pause_ms);
        }
    }

    fn lock_state(&self) -> std::sync::MutexGuard<'_, McpServerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl McpServerState {
    fn back_off(&mut self, pause_ms: u64) {
        let pause_ms = pause_ms.saturating_mul(1 << self.crash_count.min(16)).min(LONGEST_PAUSE_MS);
        self.crash_count += 1;
        self.retry_at = Some(Instant::now() + Duration::from_millis(pause_ms));
    }
}

/// The display name of a server: its name, or its command or URL.
fn server_name(spec: &McpSpec) -> String {
    let reached = match &spec.transport {
        McpTransport::Stdio { command, .. } => command,
        McpTransport::Http { url, .. } => url,
    };
    if spec.name.is_empty() { reached.clone() } else { spec.name.clone() }
}

fn connect(
    spec: &McpSpec,
    directory: &Path,
    limits: McpLimits,
    cancel: &CancelToken,
) -> Result<(Arc<McpConnection>, Vec<McpTool>), McpError> {
    let wait = CallDeadline { timeout_ms: limits.start_ms, cancel };
    let (transport, directory) = (spec.transport.clone(), directory.to_owned());
    let opened = wait.wait_for(async move {
        let link = McpConnection::open(&transport, &directory).await?;
        let tools = link.list_tools().await.map_err(|reason| format!("{reason}{}", link.last_stderr_line()))?;
        Ok::<_, String>((Arc::new(link), tools))
    });
    let reason = match opened {
        Ok(Ok(opened)) => return Ok(opened),
        Ok(Err(reason)) | Err(WaitAborted::TaskFailed(reason)) => reason,
        Err(WaitAborted::TimedOut) => format!("it took longer than {} ms", limits.start_ms),
        Err(WaitAborted::Cancelled) => String::from("cancelled"),
    };
    Err(McpError::StartFailed { server: server_name(spec), reason })
}
