//! An agent that waits for more to do.

use std::io::{self, BufRead};
use std::thread;

use clap::Args;
use pintle_agent::{DaemonOptions, Inbox, Session};

use crate::error::{CliError, CliStatus};

#[derive(Debug, Args)]
pub(super) struct DaemonArgs {
    /// When there is nothing left to do, wait for lines on standard input, each a prompt, until its end or Ctrl-C.
    #[arg(long)]
    pub(super) daemon: bool,
    /// How long it waits before hooks hear again that it is idle, in milliseconds. 0: they hear once.
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, requires = "daemon")]
    wake_interval_ms: u64,
}

impl DaemonArgs {
    /// Waits, and plays a turn for each line. A turn that is refused or fails does not end the wait.
    pub(super) fn wait(&self, session: &mut Session, mut status: CliStatus) -> Result<CliStatus, CliError> {
        let inbox = session.inbox();
        let reading = thread::Builder::new().name(String::from("input")).spawn(move || feed_inbox(&inbox));
        reading.map_err(|fault| CliError::failure(format!("cannot read from standard input: {fault}")))?;
        let options = DaemonOptions { wake_interval_ms: self.wake_interval_ms, ..DaemonOptions::default() };
        let ended = session.run_daemon(options, |_, answer| match answer {
            Ok(_) => {}
            Err(fault) if fault.is_denied() => status = CliStatus::Denied,
            Err(_) => status = CliStatus::Failed,
        });
        match ended {
            Ok(()) => Ok(status),
            // Ctrl-C is a way to end the wait like any other.
            Err(_) if session.cancel().is_cancelled() => Ok(status),
            Err(fault) => super::status_of_turn_error(fault),
        }
    }
}

/// Puts each line into the inbox until there are no more.
fn feed_inbox(inbox: &Inbox) {
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let words = line.trim();
        if !words.is_empty() {
            inbox.follow_up(words);
        }
    }
    inbox.close();
}
