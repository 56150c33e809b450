//! `pintle view`: a page about what happened, which only a browser of this machine is shown.

mod answers;
mod browser;
mod charts;
mod page;
mod parameters;
mod payload_size;
mod server;
mod tape_story;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use clap::Args;
use pintle_bridge::find_agent_behind;
use pintle_host::async_runtime::runtime_handle;
use serde_json::json;
use tokio::net::TcpListener;

use self::answers::ViewedLog;
use self::server::ViewService;
use crate::error::{CliError, CliStatus};
use crate::loopback::{HttpToken, LIMITS, TokenFile, accept, watch_signals};
use crate::options::{GlobalOptions, LogTapeOptions};
use crate::terminal::{Terminal, screen_columns};

/// What `--help` says.
pub(crate) const LONG_ABOUT: &str = "Show what happened as a page in your browser: what was refused and why, each session \
with its calls, hooks and changes, charts, and which hooks were reached. The page is for this machine only, changes \
nothing, and loads nothing from elsewhere. It ends at Ctrl-C";

#[derive(Debug, Args)]
pub(crate) struct ViewArgs {
    /// Port of 127.0.0.1 [default: a free one].
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Print the link and open no browser.
    #[arg(long)]
    no_open: bool,
    #[command(flatten)]
    tapes: LogTapeOptions,
}

impl ViewArgs {
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        let failed = |error: &dyn std::fmt::Display| CliError::failure(format!("cannot show the page: {error}"));
        let state_dir = self.tapes.find_state_dir();
        let log = ViewedLog::new(self.tapes.open_log(terminal)?);
        let runtime = runtime_handle().map_err(|error| failed(&error))?;
        let listening = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, self.port)));
        let listener = listening.map_err(|error| {
            failed(&error).help("another program may use the port; without `--port` a free one is used")
        })?;
        let address = listener.local_addr().map_err(|error| failed(&error))?;
        let ended = runtime.block_on(async { watch_signals() }).map_err(|error| failed(&error))?;
        // A link that ends up in a file or a log must not have the token.
        let is_shown = screen_columns().is_some() && !global.json;
        let (token, token_file) = match is_shown {
            true => (HttpToken::random()?, None),
            false => TokenFile::open(None, state_dir).map(|(token, file)| (token, Some(file)))?,
        };
        let ticket = HttpToken::random()?;
        let once = format!("http://{address}/#once={}", ticket.as_str());
        match &token_file {
            Some(file) => terminal.print_json(&json!({
                "url": format!("http://{address}"),
                "token_file": file.path,
                "pintle": env!("CARGO_PKG_VERSION"),
            })),
            None => print_link(address, &token, terminal),
        }
        let (service, stolen) = ViewService::new(log, token, ticket);
        let accepting = runtime.spawn(accept(listener, Arc::new(service), LIMITS));
        if is_shown && !self.no_open && find_agent_behind().is_none() {
            browser::open(&once);
        }
        let is_stolen = runtime.block_on(async {
            tokio::select! {
                () = ended => false,
                // Without the service there is nothing to wait for.
                stolen = stolen => stolen.is_ok(),
            }
        });
        accepting.abort();
        match is_stolen {
            true => Err(CliError::failure("the link that opened the browser was used twice, so the page was ended")
                .help("another program may have read it; `pintle view --no-open` gives it to no other program")),
            false => Ok(CliStatus::Done),
        }
    }
}

fn print_link(address: SocketAddr, token: &HttpToken, terminal: &Terminal) {
    terminal.print_line("The page is open until Ctrl-C. Its link is for you alone:");
    terminal.print_exact_line(format!("\n  http://{address}/#token={}\n", token.as_str()));
}
