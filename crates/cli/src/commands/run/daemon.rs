//! `--daemon`: an agent that waits for more prompts.

use std::io::{self, BufRead};
use std::thread;

use clap::Args;
use pintle_agent::{DaemonOptions, Inbox, Session};

use super::commands;
use super::live_display::LiveDisplay;
use super::turn_error::status_of_turn_error;
use crate::error::{CliError, CliStatus};
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(super) struct DaemonArgs {
    /// When idle, wait for more prompts on standard input, one per line, until it ends or Ctrl-C is pressed.
    #[arg(long)]
    pub(super) daemon: bool,
    /// With `--daemon`: milliseconds between `session.idle` events; 0 fires the event once [default: 0].
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, requires = "daemon")]
    wake_interval_ms: u64,
}

impl DaemonArgs {
    /// Waits, and runs a turn for each line. A turn that is denied or fails does not end the wait.
    pub(super) fn wait(
        &self,
        session: &mut Session,
        mut status: CliStatus,
        (live, terminal): (&LiveDisplay, &Terminal),
    ) -> Result<CliStatus, CliError> {
        let inbox = session.inbox();
        let reading = thread::Builder::new().name(String::from("input")).spawn(move || feed_inbox(&inbox));
        reading.map_err(|error| CliError::failure(format!("cannot read from standard input: {error}")))?;
        let options = DaemonOptions { wake_interval_ms: self.wake_interval_ms, ..DaemonOptions::default() };
        let ended = session.run_daemon_with(options, |session, prompt| {
            if commands::run(session, &prompt, live, terminal) {
                return;
            }
            match session.turn(&prompt) {
                Ok(_) => {}
                Err(error) if error.is_denied() => status = CliStatus::Denied,
                Err(_) => status = CliStatus::Failed,
            }
        });
        match ended {
            Ok(()) => Ok(status),
            // Ctrl-C ends the wait as the end of standard input does.
            Err(_) if session.cancel().is_cancelled() => Ok(status),
            Err(error) => status_of_turn_error(error),
        }
    }
}

/// Sends each line to the inbox until standard input ends. A command waits for its turn behind the prompts before it.
fn feed_inbox(inbox: &Inbox) {
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let words = line.trim();
        if commands::is_command(words) {
            inbox.follow_up_between_turns(words);
        } else if !words.is_empty() {
            inbox.follow_up(words);
        }
    }
    inbox.close();
}
