//! `pintle mcp`: an MCP server behind the hooks.

mod http;
mod program;

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use clap::Args;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use pintle_bridge::mcp_proxy::{LineSink, McpProxy, ProxyOptions};
use url::Url;

use self::http::HttpServer;
use self::program::ProgramServer;
use super::serve::{SessionOptions, read_line};
use crate::error::{CliError, CliStatus};
use crate::options::GlobalOptions;
use crate::terminal::Terminal;

/// What `--help` says.
pub(crate) const LONG_ABOUT: &str = "Run an MCP server behind your hooks.

Write this command in place of the server's own into the settings of an agent or app that speaks MCP. It starts the server, \
or reaches it over HTTP, and passes on what both say. Before a tool is called, a resource read or a prompt taken, your hooks decide, as about any \
other tool call: the tool `T` of the server `NAME` is `mcp__NAME__T`. A refused call does not reach the server, a changed \
one reaches it as changed, and if a hook asks, the user of the client is asked, where the client can do that. Results are \
shown to the hooks before the client gets them. Everything else is passed on unchanged.

The hooks are those that `pintle fire` would call. If one does not load, the server is not started";

/// How long a server may take to end after its client did.
const GRACE: Duration = Duration::from_secs(3);
const POLL: Duration = Duration::from_millis(20);

#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// The name of the server, for hooks: letters, digits, `-` and `_`.
    #[arg(value_name = "NAME", value_parser = parse_name)]
    name: String,
    /// The command that starts the server, and its arguments.
    #[arg(value_name = "COMMAND", last = true, required_unless_present = "url")]
    command: Vec<String>,
    /// Reach the server over HTTP at this address, instead of starting it.
    #[arg(long, value_name = "URL", conflicts_with = "command")]
    url: Option<Url>,
    /// Send a header with every HTTP request, such as `Authorization: Bearer ${TOKEN}`; can be repeated. `${NAME}` is the
    /// environment variable of that name.
    #[arg(long = "header", value_name = "HEADER", requires = "url")]
    headers: Vec<String>,
    /// Show only the tools that match a pattern, such as `read_*`; can be repeated.
    #[arg(long, value_name = "PATTERN")]
    only: Vec<String>,
    /// Hide the tools that match a pattern; can be repeated.
    #[arg(long, value_name = "PATTERN")]
    hide: Vec<String>,
    #[command(flatten)]
    sessions: SessionOptions,
}

/// The name is between underscores in the names of tools.
fn parse_name(name: &str) -> Result<String, String> {
    let is_known = |letter: char| letter.is_ascii_alphanumeric() || ['-', '_'].contains(&letter);
    match !name.is_empty() && name.chars().all(is_known) && !name.contains("__") && !name.ends_with('_') {
        true => Ok(name.to_owned()),
        false => Err(String::from("a name has letters, digits, `-` and single `_`, such as `files`")),
    }
}

/// Passes on each line of a server until it ends; `None` is one that was too long.
type ServerOutput = Box<dyn FnOnce(&mut dyn FnMut(Option<&[u8]>))>;

/// A server that messages are passed on to, a line each.
trait ServerConnection: Send + Sync {
    /// Starts the server, once, and returns what it says.
    fn start(&self) -> Result<ServerOutput, CliError>;

    /// Sends a line to the server. One that has ended gets nothing.
    fn send(&self, line: &[u8]);

    /// Ends the server: nothing more is sent to it. What it was asked before, it may answer for [`GRACE`].
    fn end_input(&self);

    /// Waits for the end of the server. Returns whether it succeeded.
    fn finish(&self) -> bool;
}

impl McpArgs {
    pub(crate) fn execute(self, terminal: &Terminal, _global: &GlobalOptions) -> Result<CliStatus, CliError> {
        let hidden = parse_patterns("--hide", &self.hide)?;
        let only = (!self.only.is_empty()).then(|| parse_patterns("--only", &self.only)).transpose()?;
        let server: Arc<dyn ServerConnection> = match self.url {
            Some(url) => Arc::new(HttpServer::new(url, &self.headers, &|name| std::env::var(name).ok())?),
            None => Arc::new(ProgramServer::new(self.command)),
        };
        let hooks = self.sessions.start_server(None, None, terminal)?;
        let (output, notes) = (terminal.clone(), terminal.clone());
        let options = ProxyOptions { name: self.name.clone(), only, hidden };
        let to_client: LineSink = Box::new(move |line| {
            // A client that does not read has ended, and soon so does standard input.
            let _ = output.write_exact(&String::from_utf8_lossy(line), "");
        });
        let connection = Arc::clone(&server);
        let to_server: LineSink = Box::new(move |line| connection.send(line));
        let name = self.name;
        let notify = Box::new(move |note: &str| notes.print_note(format!("MCP server `{name}`: {note}")));
        let proxy = McpProxy::open(hooks, options, to_client, to_server, notify);
        let proxy = proxy.map_err(|error| CliError::failure(error.message).help(error.help.unwrap_or_default()))?;
        // Nothing is started before the hooks allowed the session.
        let read = server.start().inspect_err(|_| proxy.close())?;
        let (from_client, connection) = (proxy.clone(), Arc::clone(&server));
        // It is not waited for: a client may keep its side open when the server has ended.
        thread::spawn(move || {
            read_lines(io::stdin().lock(), &mut |line| match line {
                Some(line) => from_client.read_client(line),
                None => from_client.skip_long_line(true),
            });
            // What was asked before the end is decided first. A server ends when its input does.
            while from_client.is_deciding() {
                thread::sleep(POLL);
            }
            connection.end_input();
        });
        read(&mut |line| match line {
            Some(line) => proxy.read_server(line),
            None => proxy.skip_long_line(false),
        });
        proxy.end_server();
        proxy.close();
        Ok(if server.finish() { CliStatus::Done } else { CliStatus::Failed })
    }
}

fn parse_patterns(option: &str, patterns: &[String]) -> Result<GlobSet, CliError> {
    let invalid = |error: globset::Error| CliError::invalid_input(format!("{option}: {error}"));
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        set.add(GlobBuilder::new(pattern).build().map_err(invalid)?);
    }
    set.build().map_err(invalid)
}

/// Reads lines to the end, each with its end. One that is too long is `None`.
fn read_lines(mut reader: impl io::BufRead, take: &mut dyn FnMut(Option<&[u8]>)) {
    let mut line = Vec::new();
    // What cannot be read has ended.
    while let Ok(Some(is_whole)) = read_line(&mut reader, &mut line) {
        if !is_whole {
            take(None);
        } else if !line.iter().all(u8::is_ascii_whitespace) {
            if line.last() != Some(&b'\n') {
                line.push(b'\n');
            }
            take(Some(&line));
        }
    }
}
